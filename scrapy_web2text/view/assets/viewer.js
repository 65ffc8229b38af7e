"use strict";
// The viewer. The page is in a frame that runs no scripts; this script, outside of it, colors its blocks and listens to
// what users point at.

const NAMES = ["boilerplate", "content"];
// Why blocks are boilerplate although the model calls them content. The last two do not hold for other settings.
const DROP_REASONS = {
  copy: "dropped as a copy of other content",
  excluded: "inside an element that exclude selects",
  verdict: "dropped because the page has no content by its kind",
  unlikely: "dropped because the page has too little content",
};
const ALWAYS_DROPPED = ["copy", "excluded"];
const EMPTIED = {
  verdict: "The page has no content by its kind, so the labels of its blocks do not count (page_kind).",
  unlikely: "The model expects too little content on the page, so no block is content.",
};
const NO_BLOCKS = "The feed has no blocks. Write them (--blocks all, or WEB2TEXT_BLOCKS in a crawl), or view the folder of the pages.";
const UNSURE = [0.2, 0.8];
// The elements in a path whose lines are set in their own way.
const SET_APART = /\/(h[1-6]|pre|blockquote|t[dh])(?=[[/]|$)/g;

const frame = find("frame");
let page = null; // the data of the page that is shown
let settings = null; // threshold, decoder and lam as chosen; null to show the answer
let labels = [];
let probabilities = null;
let spans = new Map(); // the elements of each block in the frame
let lines = new Map(); // the element of each block in the text

function describeListed({facts: {confidence, low_confidence: isLow, page_kind: kind, method, n_blocks: nBlocks}}) {
  const isContent = kind === undefined || kind === "content";
  const parts = [];
  if (confidence !== undefined && (isContent || nBlocks)) parts.push(isLow ? make("mark", `confidence ${share(confidence)}`) : `confidence ${share(confidence)}`);
  else if (isContent) parts.push(make("mark", method === "none" ? "no answer" : "confidence unknown"));
  if (!isContent) parts.push(parts.length ? " · " : "", make("mark", kind.replaceAll("_", " ")));
  return parts;
}

// How pages are opened, and what is shown of them. The label editor replaces both.
let openPage = (i) => showPage(i, readData(`page-${i}`));
let findLabels = decodeLabels;
// Returns the block at which a page opens.
let findStart = () => Math.max(0, labels.indexOf(1));

function showPage(i, data) {
  page = data;
  settings = null;
  current = -1;
  delete find("block").dataset.chosen;
  markListed(i);
  showFacts();
  setUpTools();
  showFrame();
}

function showFacts() {
  find("title").textContent = page.title || page.name;
  const {n_blocks: n, n_content: nContent = 0, ...others} = page.facts;
  if (n) others["blocks of content"] = `${count(nContent)}\u00a0of\u00a0${count(n)}`;
  if (others.method === "model") delete others.method;
  if (page.no_content && !n && !page.texts.length) delete others.confidence; // nothing is sure of a page without blocks
  find("facts").replaceChildren(...Object.entries(others).map(showFact).flatMap(([name, value], i) =>
    [`${i ? " · " : ""}${name} `, make("b", value)]));
  const isEmpty = !page.texts.length && !page.pieces.length;
  document.body.toggleAttribute("data-bare", isEmpty);
  const nothing = page.no_content ?? page.reason ?? "the page has no text";
  const reasons = [isEmpty || page.no_content ? `No ${page.facts.method === "none" ? "answer" : "text"}: ${nothing}.` : page.reason && `Fallback: ${page.reason}.`,
    EMPTIED[page.emptied], page.html === null && !isEmpty
      && (page.texts.length ? "The page itself is not at hand; these are its blocks." : page.reason ? "No blocks." : NO_BLOCKS)];
  find("reason").textContent = reasons.filter(Boolean).join(" ");
  find("reason").hidden = !reasons.some(Boolean);
}

// The page is loaded: its blocks are found once.
function onPageLoaded() {
  const inside = frame.contentDocument;
  if (page === null || inside === null) return;
  if (page.html === null) page.texts.forEach((text, i) => inside.body.append(makeBlock(inside, text, i)));
  spans = new Map();
  for (const span of inside.querySelectorAll("[data-b]")) {
    const block = Number(span.dataset.b);
    spans.has(block) ? spans.get(block).push(span) : spans.set(block, [span]);
  }
  isLook() ? dress(inside) : spaceBlocks();
  listen(inside);
  writeLines();
  outline(inside);
  update();
  openAtStart(current < 0 ? undefined : current);
  describe(current);
  mark("now", current);
  document.body.dataset.ready = String(number);
}

function makeBlock(inside, text, i) {
  const tag = /^(h[1-6]|li|pre)$/.test(page.tags[i]) ? page.tags[i].replace("li", "p") : "p";
  const element = inside.createElement(tag);
  const span = inside.createElement("span");
  span.textContent = text;
  span.dataset.b = i;
  element.append(span);
  return element;
}

// Writes the parts of the text in the order of their blocks, with blocks that are not in it hidden.
function writeLines() {
  lines = new Map();
  const written = [];
  let parts = []; // of the line that is not finished
  let next = 0;
  const write = (block, text) => {
    const span = make("span", text);
    if (block >= 0) {
      span.dataset.b = block;
      lines.set(block, span);
    }
    parts.push(span);
    if (!text.endsWith("\n")) return;
    written.push(makeLine(parts));
    parts = [];
  };
  const hide = (end) => {
    for (; next < end; next++) {
      if (!page.labels[next]) write(next, `${page.texts[next]}${parts.length ? " " : "\n"}`);
    }
  };
  // Without blocks, each line of the text is a part.
  const splitLines = ([block, text]) => text.split(/(?<=\n)(?!\n)/).map((line) => [block, line]);
  for (const [block, text] of page.texts.length ? page.pieces : page.pieces.flatMap(splitLines)) {
    if (block >= 0) hide(block);
    write(block, text);
    next = Math.max(next, block + 1);
  }
  if (parts.length) written.push(makeLine(parts));
  parts = [];
  hide(page.labels.length);
  find("lines").replaceChildren(...written);
}

// Returns a line of the text, set as what it is on the page. The cells of a row end with tabs.
function makeLine(parts) {
  const kind = kindOf(parts);
  const line = make("div", "", {class: `line ${kind}`});
  const addCell = () => line.appendChild(make("div", "", {class: "cell"}));
  let cell = null;
  for (const part of parts) {
    if (kind !== "row") {
      line.append(part);
      continue;
    }
    cell ??= addCell();
    cell.append(part);
    const [tabs] = /\t*$/.exec(part.textContent);
    if (tabs) cell = null;
    [...tabs.slice(1)].forEach(addCell);
  }
  return line;
}

// Returns the class of a line: heading, item, row, code or quote; empty for a paragraph.
function kindOf(parts) {
  const text = parts.map((part) => part.textContent).join("").trimEnd();
  const block = parts[0].dataset.b ?? -1;
  const steps = `${page.paths[block] ?? ""}/${page.tags[block] ?? ""}`;
  const tag = [...steps.matchAll(SET_APART)].at(-1)?.[1] ?? "";
  if (tag !== "pre" && /^\s*(-|\d+\.) /.test(text)) return "item";
  if (/^t[dh]$/.test(tag)) return text.includes("\t") ? "row" : "";
  return tag;
}

// Returns the labels and the probabilities by the settings.
function decodeLabels() {
  if (settings === null) return [page.labels, page.probabilities];
  const {odds, pairs, origins, temperature} = page.chain;
  const decoded = decodeChain(odds, pairs, {...settings, temperature});
  return [
    origins.map((origin, i) => (decoded.isContent[origin] && !ALWAYS_DROPPED.includes(page.drop_reasons[i]) ? 1 : 0)),
    origins.map((origin, i) => (page.drop_reasons[i] === "excluded" ? 0 : decoded.probabilities[origin])),
  ];
}

// Shows the labels.
function update() {
  [labels, probabilities] = findLabels();
  for (const [block, elements] of spans) {
    for (const span of elements) {
      span.dataset.l = labels[block];
      span.dataset.s = strength(block);
      span.toggleAttribute("data-dropped", page.drop_reasons[block] !== "" && !labels[block]);
    }
  }
  for (const [block, span] of lines) {
    const [isIn, wasIn] = [labels[block] === 1, page.labels[block] === 1];
    span.hidden = !(isIn || wasIn) || !hasRole(block);
    span.toggleAttribute("data-new", isIn && !wasIn);
    span.toggleAttribute("data-gone", wasIn && !isIn);
    span.role = isIn === wasIn ? null : isIn ? "insertion" : "deletion";
  }
  fold();
  const isEmpty = role ? [...lines.values()].every((span) => span.hidden) : !labels.includes(1) && !page.pieces.length;
  const {page_kind: kind = "content"} = page.facts;
  const noContent = kind === "content" ? "No block is content." : `No main content (${kind.replaceAll("_", " ")}).`;
  const nothing = labels.length || kind !== "content" ? noContent : "No answer.";
  if (isEmpty) find("lines").dataset.empty = role ? "No block of this role is content." : nothing;
  else delete find("lines").dataset.empty;
  showTools();
  if (find("block").dataset.chosen) describe(Number(find("block").dataset.chosen));
}

function strength(block) {
  if (probabilities === null) return 3;
  return Math.min(4, Math.floor(Math.abs(probabilities[block] - 0.5) * 10));
}

function setUpTools() {
  find("form").hidden = page.chain === null;
  find("page").toggleAttribute("data-bare", !page.texts.length);
  document.querySelector(".key").hidden = !page.texts.length;
  document.querySelectorAll(".unsure").forEach((part) => { part.hidden = page.probabilities === null || isByRules(); });
  find("dropped").hidden = !page.drop_reasons.some(Boolean);
  if (page.chain !== null) find("lam").max = Math.max(2, 2 * page.chain.lam);
}

function chosen() {
  return settings ?? page.chain;
}

function showTools() {
  const before = page.labels;
  const n = (label) => labels.filter((value, i) => value === label && before[i] !== label).length;
  const isSame = settings === null;
  const nothing = n(0) && !labels.includes(1) ? "; no block is content, so the rules would answer" : "";
  find("changes").textContent = isSame ? "" : `blocks of content: ${n(1)} more, ${n(0)} fewer than in the answer${nothing}`;
  find("reset").hidden = isSame;
  if (page.chain === null) return;
  const {threshold, decoder, lam} = chosen();
  find("threshold").value = threshold;
  find("threshold-value").textContent = share(threshold, 2);
  find("decoder").value = decoder;
  find("lam").value = lam;
  find("lam-value").textContent = lam.toFixed(2);
  const rows = [`WEB2TEXT_THRESHOLD = ${Number(threshold.toFixed(6))}`, `WEB2TEXT_DECODER = "${decoder}"`];
  find("manifest").textContent = lam === page.chain.lam ? "" : `"lam": ${lam} in its manifest.json`;
  find("settings").textContent = rows.join("\n");
}

function choose(change) {
  if (page.chain === null) return;
  const {threshold, decoder, lam} = chosen();
  settings = {threshold, decoder, lam, ...change};
  update();
}

function describe(block) {
  find("info").hidden = !labels.length;
  if (block < 0) {
    find("block").textContent = labels.length ? "Point at a block, or press j, for its details." : "";
    find("path").textContent = "";
    delete find("block").dataset.chosen;
    return;
  }
  find("block").dataset.chosen = block;
  const parts = [`Block ${count(block + 1)} of ${count(labels.length)}`, NAMES[labels[block]]];
  if (probabilities !== null) parts.push(`probability ${share(probabilities[block])}`);
  if (page.tags[block]) parts.push(`<${page.tags[block]}>`);
  if (page.roles[block]) parts.push(page.roles[block].replaceAll("_", " "));
  if (DROP_REASONS[page.drop_reasons[block]] && !labels[block]) parts.push(DROP_REASONS[page.drop_reasons[block]]);
  if (labels[block] && !lines.has(block)) parts.push("left out of the text");
  find("block").textContent = parts.join(" · ");
  find("path").textContent = page.paths[block] ?? "";
}

function elementsOf(block) {
  const line = lines.get(block);
  return [...(spans.get(block) ?? []), ...(line ? [line] : [])];
}

function mark(name, block) {
  for (const root of [document, frame.contentDocument]) {
    root.querySelectorAll(`[data-${name}]`).forEach((element) => element.removeAttribute(`data-${name}`));
  }
  elementsOf(block).forEach((element) => element.setAttribute(`data-${name}`, ""));
}

// Chooses a block: both of its places are shown. from: the element that was clicked, which stays where it is.
function select(block, from = null) {
  current = block;
  unfold(block);
  mark("now", block);
  describe(block);
  for (const element of [spans.get(block)?.[0], lines.get(block)]) {
    if (element?.getClientRects().length && !(from && element.ownerDocument === from.ownerDocument)) {
      center(element);
    }
  }
}

// Scrolls the pane of an element: the text, or the page in its frame.
function center(element) {
  if (element.ownerDocument === document) scrollPane(find("lines"), element);
  else scrollPane(frame.contentDocument.scrollingElement, element, 0);
}
