"use strict";
// The outline of the page in its frame: runs of boilerplate are folded, roles filter the blocks, and a map beside the
// frame shows the labels of the whole page.

const LEAST_FOLDED = 4; // blocks in a row
const ABOVE = 56; // most pixels above the block at which a page opens
const GAP = 3; // pixels above the first text in a pane
// The elements that a button needs around it in a list or table.
const AROUND = {ul: ["li"], ol: ["li"], dl: ["dd"], tr: ["td"], table: ["tr", "td"]};
for (const part of ["thead", "tbody", "tfoot"]) AROUND[part] = AROUND.table;

let isFolding = true;
let role = ""; // the role of the blocks that are shown; "" for all
let runs = []; // first and last block of each run that can be folded
let runOf = []; // the run of each block; -1 for none
let opened = new Set(); // the first blocks of the runs that are open
let headline; // its block is never folded
let ranges = new Map(); // the first and the last block in each element of the frame
let folding = ""; // what is folded
let isDrawing = false;

// Prepares the outline of another page.
function outline(inside) {
  opened = new Set();
  folding = role = "";
  ranges = findRanges([...inside.body.querySelectorAll("*")]);
  const counts = new Map();
  for (const name of page.roles) if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
  find("role").replaceChildren(make("option", "all", {value: ""}), ...[...counts].map(([name, n]) =>
    make("option", `${name.replaceAll("_", " ")} (${n})`, {value: name})));
  find("role").parentElement.hidden = !counts.size;
  inside.addEventListener("scroll", showView);
}

// Adds a space wherever blocks would run together, or parts of a block that whitespace separates in its text.
function spaceBlocks() {
  const dense = (text) => text.replace(/\s/g, "");
  for (const [block, elements] of spans) {
    elements.at(-1).after(" ");
    const text = page.texts[block];
    if (elements.length === 1 || dense(elements.map((part) => part.textContent).join("")) !== dense(text)) continue;
    let at = 0;
    for (const part of elements) {
      for (let left = dense(part.textContent).length; left; at++) left -= dense(text[at]).length;
      if (/\s/.test(text[at] ?? "") && !part.closest("pre")) part.after(" ");
    }
  }
}

// An element without blocks, such as an image, belongs to the blocks before and after it.
function findRanges(elements) {
  const found = new Map();
  const note = (element, first, last) => {
    const range = found.get(element);
    found.set(element, range ? [Math.min(range[0], first), Math.max(range[1], last)] : [first, last]);
  };
  const blockOf = (element) => Number(element.dataset.b ?? -1);
  let before = -1;
  for (const element of elements) {
    if (blockOf(element) >= 0) before = blockOf(element);
    else if (before >= 0 && !element.firstElementChild) note(element, before, before);
  }
  let after = -1;
  for (const element of elements.reverse()) {
    if (blockOf(element) >= 0) note(element, after = blockOf(element), after);
    else if (after >= 0 && !element.firstElementChild) note(element, after, after);
    if (found.has(element)) note(element.parentElement, ...found.get(element));
  }
  return found;
}

function hasRole(block) {
  return role === "" || page.roles[block] === role;
}

// Returns the block of the headline: the last h1 before the content or at its start; undefined for none.
function findHeadline() {
  const first = findStart();
  return [...spans.keys()].filter((block) => block <= first && spans.get(block)[0].closest("h1")).at(-1);
}

// Returns whether a block is of no interest: it is surely boilerplate, now and in the answer, or has another role.
function isPlain(block) {
  if (role) return !hasRole(block);
  if (block === headline) return false;
  return !labels[block] && !page.labels[block] && !page.drop_reasons[block] && (isByRules() || !isUnsure(block));
}

// With rules, each label has a fixed probability, so no block is unsure.
function isByRules() {
  return page.facts.method === "rules";
}

function findRuns() {
  const found = [];
  if (role === "" && !labels.includes(1)) return found;
  for (let first = 0; first < labels.length; first++) {
    let end = first;
    while (end < labels.length && isPlain(end)) end++;
    if (end - first >= (role ? 1 : LEAST_FOLDED)) found.push([first, end - 1]);
    first = Math.max(first, end);
  }
  return found;
}

function isFolded(block) {
  return isFolding && runOf[block] >= 0 && !opened.has(runs[runOf[block]][0]);
}

// Folds blocks if other blocks than before are to be folded. The text on the screen stays in its place.
function fold() {
  headline = findHeadline();
  runs = isFolding && !isLook() ? findRuns() : [];
  scheduleMap();
  const wanted = JSON.stringify([runs, [...opened]]);
  if (wanted === folding) return;
  folding = wanted;
  runOf = new Array(labels.length).fill(-1);
  runs.forEach(([first, last], run) => runOf.fill(run, first, last + 1));
  const seen = [...spans].find(([block, [span]]) => !isFolded(block) && span.getBoundingClientRect().bottom > 0)?.[1][0];
  const before = seen?.getBoundingClientRect().top;
  frame.contentDocument.querySelectorAll("[data-around]").forEach((element) => element.remove());
  const isIn = ([first, last], run) => run >= 0 && runOf[first] === run && runOf[last] === run;
  for (const [element, range] of ranges) {
    element.toggleAttribute("data-off", isIn(range, runOf[range[0]]) && isFolded(range[0]));
  }
  runs.forEach(([first, last], run) => {
    let top = spans.get(first)?.[0];
    if (!top) return;
    while (top.parentElement !== top.ownerDocument.body && isIn(ranges.get(top.parentElement), run)) {
      top = top.parentElement;
    }
    top.before(makeFold(first, last, AROUND[top.parentElement.localName] ?? []));
  });
  if (seen) frame.contentDocument.scrollingElement.scrollTop += seen.getBoundingClientRect().top - before;
}

function makeFold(first, last, around) {
  const n = last - first + 1;
  const button = make("button", n === 1 ? "1 block" : `${n} blocks`, {"data-fold": first, type: "button"});
  button.setAttribute("aria-expanded", String(!isFolded(first)));
  if (isFolded(first)) button.append(make("small", [...new Set([first, last])].map((i) => page.texts[i].slice(0, 30)).join(" … ")));
  const element = around.reduceRight((child, tag) => {
    const parent = make(tag, "");
    parent.append(child);
    return parent;
  }, button);
  element.dataset.around = "";
  return element;
}

function toggleFold(first) {
  if (!opened.delete(first)) opened.add(first);
  fold();
  frame.contentDocument.querySelector(`[data-fold="${first}"]`).focus();
}

// Opens the run of a block that is folded.
function unfold(block) {
  if (block < 0 || !isFolded(block)) return;
  opened.add(runs[runOf[block]][0]);
  fold();
}

function foldAll(isWanted) {
  isFolding = isWanted;
  find("folds").setAttribute("aria-pressed", String(isFolding));
  opened = new Set();
  fold();
  if (current >= 0) select(current);
}

function chooseRole() {
  role = find("role").value;
  opened = new Set();
  if (role) foldAll(true);
  update();
  openAtStart(role ? page.roles.indexOf(role) : undefined);
}

// Returns where the first text begins that is not cut at a height of the frame.
function findTop(least) {
  const texts = [...frame.contentDocument.querySelectorAll("[data-b], [data-fold]")];
  const tops = texts.filter((each) => each.getClientRects().length).map((each) => each.getBoundingClientRect().top);
  return tops.reduce((found, top) => (top >= least ? Math.min(found, top) : found), Infinity);
}

// Returns the block at which a page opens: the headline, or where the content begins if the headline is a screen away.
function findOpening() {
  const topOf = (block) => spans.get(block)[0].getBoundingClientRect().top;
  const isShown = (block) => labels[block] === 1 && spans.get(block)[0].getClientRects().length > 0;
  const start = findStart();
  if (headline === undefined) return start;
  const shown = [...spans.keys()].filter(isShown);
  const isNear = shown.some((block) => Math.abs(topOf(block) - topOf(headline)) < frame.clientHeight * 2 / 3);
  if (isNear || !shown.length) return headline;
  return shown.includes(start) ? start : Math.min(...shown);
}

// Scrolls both panes to a block.
function openAtStart(block = findOpening()) {
  const pane = frame.contentDocument.scrollingElement;
  const [span, line] = [spans.get(block)?.[0], lines.get(block)];
  if (span && block) pane.scrollTop += findTop(span.getBoundingClientRect().top - (isLook() ? pane.clientHeight / 3 : ABOVE)) - GAP;
  else pane.scrollTop = 0;
  const text = find("lines");
  const top = line && !line.hidden
    ? text.scrollTop + line.getBoundingClientRect().top - text.getBoundingClientRect().top - GAP : 0;
  text.scrollTo({top, behavior: "instant"});
  showView();
}

function scheduleMap() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    drawMap();
    showView();
  });
}

// Draws a bar for each block that is shown, as high on the map as the block is on the page. There is no element to
// measure while the next page is being loaded; the map is drawn after that.
function drawMap() {
  const bars = find("bars"), pane = frame.contentDocument.scrollingElement;
  if (!pane) return;
  const style = getComputedStyle(document.documentElement);
  const colors = ["--boilerplate", "--content"].map((name) => style.getPropertyValue(name));
  bars.height = find("map").clientHeight;
  const scale = bars.height / pane.scrollHeight;
  const context = bars.getContext("2d");
  for (const [block, elements] of spans) {
    if (isFolded(block) || !elements[0].getClientRects().length) continue;
    const [top, bottom] = [elements[0].getBoundingClientRect().top, elements.at(-1).getBoundingClientRect().bottom];
    context.fillStyle = colors[labels[block]];
    context.globalAlpha = (2 + strength(block)) / 6;
    context.fillRect(0, (top + pane.scrollTop) * scale, bars.width, Math.max(1, (bottom - top) * scale - 0.5));
  }
}

// Shows on the map which part of the page is visible.
function showView() {
  const pane = frame.contentDocument.scrollingElement, height = find("map").clientHeight;
  if (!pane) return;
  find("view").style.top = `${(pane.scrollTop / pane.scrollHeight) * height}px`;
  find("view").style.height = `${Math.min(1, pane.clientHeight / pane.scrollHeight) * height}px`;
}

function scrollByMap(event) {
  if (!(event.buttons & 1)) return;
  const pane = frame.contentDocument.scrollingElement, map = find("map").getBoundingClientRect();
  pane.scrollTop = ((event.clientY - map.top) / map.height) * pane.scrollHeight - pane.clientHeight / 2;
}

find("map").onpointerdown = find("map").onpointermove = scrollByMap;
addEventListener("resize", () => {
  if (page === null) return;
  fitFrame();
  scheduleMap();
});
// Only the height of a frame is printed, so it gets the height of its page.
addEventListener("beforeprint", () => {
  Object.assign(frame.style, {flex: "none", width: "17cm", marginRight: "", transform: ""});
  frame.style.height = `${frame.contentDocument.scrollingElement.scrollHeight}px`;
});
addEventListener("afterprint", fitFrame);
