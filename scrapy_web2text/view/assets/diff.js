"use strict";
// Two texts of each page side by side, with what changed. All text enters the document as text, never as HTML.

const KEPT = matchMedia("(max-width: 800px)").matches ? 1 : 2; // equal lines that are shown next to a change
const SHORTEST = 4; // characters of a line that is compared with parts of blocks
const MOST_SEARCHED = 5_000_000; // blocks that are compared in this way, for all lines of a page
const pane = document.querySelector("main");
let isAll = false; // whether equal lines are shown
let changes = []; // the rows that changed
let blocks = []; // the probability of each block, by its text without spaces, before and after
let nSearched = 0;

function openPage(i) {
  const page = readData(`page-${i}`);
  markListed(i);
  find("title").textContent = page.title || page.name;
  find("facts").replaceChildren(...describeListed(readData("pages")[i]), " words");
  for (const [side, other] of [["before", "after"], ["after", "before"]]) {
    find(side).replaceChildren(make("h2", page[side].name), make("p", describeFacts(page[side], page[other].facts)));
  }
  current = -1;
  changes = [];
  blocks = page.blocks.map((side) => new Map(side.map(([text, probability]) => [squeeze(text), probability])));
  nSearched = 0;
  find("probabilities").hidden = !blocks.some(({size}) => size);
  find("rows").replaceChildren(...page.rows.flatMap(([left, right], k) =>
    right === null ? showEqual(left[0][0].split("\n"), k > 0, k < page.rows.length - 1) : [showChange(left, right, page.rows.length === 1)]));
  showFolds();
  pane.scrollTop = 0;
  find("place").textContent = changes.length === 1 ? "1 change" : `${count(changes.length)} changes`;
  document.body.dataset.ready = String(i);
}

function describeListed({f1, gained, lost}) {
  const most = gained || lost ? 0.999 : 1; // texts with other words are never shown as equal
  return [`F1 ${share(Math.min(f1, most))} · +${count(gained)} −${count(lost)}`];
}

// Returns the value of an option as the command prints it.
function showValue(value) {
  return Array.isArray(value) ? value.join(", ") || "none" : String(value);
}

// Shows what is known of all pages.
function showTotals() {
  const all = readData("changes");
  find("totals").hidden = !all;
  if (!all) return;
  const options = Object.entries(all.settings ?? {});
  const differ = options.length === 1 ? "Option that differs: " : "Options that differ: ";
  find("options").append(...options.flatMap(([name, values], i) =>
    [`${i ? " · " : differ}${name.replaceAll("_", " ")} `, make("b", values.map(showValue).join(" → "))]));
  find("totals").querySelector("summary").textContent = [
    `${count(all.changed)} of ${count(all.equal + all.changed)} pages changed`, `mean F1 ${share(all.mean_f1)}`,
    `+${count(all.gained)} −${count(all.lost)} words`,
    ...["before", "after"].filter((side) => all[`only_${side}`]).map((side) => `${count(all[`only_${side}`])} only ${side}`),
  ].join(" · ");
  const rows = all.lines.map(({line, gained, site, pages, of}) => [
    `line ${gained ? "gained" : "lost"}: ${count(pages)} of ${count(of)} pages${site && ` of ${site}`}`, line]);
  find("totals").querySelector("dl").append(...rows.flatMap(([name, value]) => [make("dt", name), make("dd", value)]));
}

// Returns the facts that differ between the sides.
function describeFacts({name, facts}, others) {
  return Object.entries(facts).filter(([key, value]) => value !== name && value !== others[key])
    .map((fact) => showFact(fact).join(" ")).join(" · ");
}

// isOnly: whether the page has no other rows.
function showChange(left, right, isOnly) {
  const row = make("div", "", {class: "row changed"});
  const hasWords = [left, right].map((pieces) => pieces.some(([text]) => text.trim()));
  const cells = [left, right].map((pieces, side) => showPieces(hasWords[side] || !hasWords[1 - side] ? pieces : [], side));
  if (isOnly) cells.forEach((cell, side) => hasWords[side] || (cell.dataset.empty = "No text."));
  row.append(...cells);
  row.onclick = () => choose(changes.indexOf(row));
  changes.push(row);
  return row;
}

// Shows the pieces of a side (0: before, 1: after), with a probability beside each line that has one.
function showPieces(pieces, side) {
  const lines = [[]];
  for (const [text, isChanged] of pieces) {
    text.split("\n").forEach((part, i) => {
      // If only a line break changed, an arrow shows it.
      if (i && isChanged && !text.trim()) lines.at(-1).push(["↵", true]);
      if (i) lines.push([]);
      if (part) lines.at(-1).push([part, isChanged]);
    });
  }
  if (!lines.at(-1).length) lines.pop(); // after the last line break
  const cell = make("div", "");
  cell.append(...lines.map((parts) => {
    const isWhole = parts.some(([text]) => text.trim()) && parts.every(([, isChanged]) => isChanged);
    const line = make("div", "", {class: isWhole ? "line whole" : "line", dir: "auto"}), shown = make("span", "");
    shown.append(...parts.map(([text, isChanged]) => isChanged ? make(side ? "ins" : "del", text) : text));
    line.append(shown);
    const found = findProbabilities(parts.map(([text]) => text).join(""));
    if (found) line.append(make("small", found, {dir: "ltr"}));
    return line;
  }));
  return cell;
}

const squeeze = (text) => text.replace(/\s+/g, "");

// Returns the probabilities of a line before and after, as they are shown; an empty text without any.
function findProbabilities(line) {
  const found = blocks.filter(({size}) => size).map((side) => findProbability(squeeze(line), side));
  return found.some(Boolean) ? found.map((value) => value || "–").join(" → ") : "";
}

// Returns the probability of the longest block that makes up much of a line, or of a block that contains the line.
function findProbability(text, side) {
  let key = side.has(text) ? text : "";
  if (!key && text.length >= SHORTEST && nSearched < MOST_SEARCHED) {
    nSearched += side.size;
    const isLonger = (each) => each.length > key.length && 3 * each.length > text.length;
    for (const each of side.keys()) if (isLonger(each) && text.includes(each)) key = each;
    key ||= [...side.keys()].find((each) => each.includes(text)) ?? "";
  }
  return key && share(side.get(key), 2);
}

// Returns rows of equal lines: the lines next to changes, and a button that shows the other lines below it.
function showEqual(lines, isAfter, isBefore) {
  const first = isAfter ? KEPT : 0, last = lines.length - (isBefore ? KEPT : 0);
  if (last - first < 2) return [showLines(lines)];
  const fold = make("button", "", {type: "button", class: "fold"});
  const folded = showLines(lines.slice(first, last));
  fold.dataset.n = last - first;
  fold.onclick = () => setFold(fold, folded.hidden);
  fold.folded = folded;
  return [...(first ? [showLines(lines.slice(0, first))] : []), fold, folded,
    ...(isBefore ? [showLines(lines.slice(last))] : [])];
}

function showLines(lines) {
  const row = make("div", "", {class: "row equal"});
  row.append(make("div", lines.join("\n")), make("div", lines.join("\n")));
  return row;
}

function setFold(fold, isOpen) {
  fold.folded.hidden = !isOpen;
  fold.setAttribute("aria-expanded", isOpen);
  fold.textContent = `${isOpen ? "Hide" : "Show"} ${fold.dataset.n} equal lines`;
}

function showFolds() {
  find("all").setAttribute("aria-pressed", isAll);
  document.querySelectorAll(".fold").forEach((fold) => setFold(fold, isAll));
}

function choose(i) {
  changes[current]?.classList.remove("now");
  current = i;
  const row = changes[i];
  if (!row) return;
  row.classList.add("now");
  if (pane.scrollHeight > pane.clientHeight) {
    // The names of the sides stay on top of the pane.
    scrollPane(pane, row, pane.getBoundingClientRect().top + document.querySelector(".sides").offsetHeight);
  } else {
    scrollPane(document.scrollingElement, row, 0);
  }
  find("place").textContent = `Change ${count(i + 1)} of ${count(changes.length)}`;
}

function step(by) {
  if (changes.length) choose(stepFrom(by, changes.length));
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  n: () => stepPage(1),
  p: () => stepPage(-1),
  e: () => {
    isAll = !isAll;
    showFolds();
  },
  "?": () => find("keys").showModal(),
  Escape: () => choose(-1),
};

if (nPages) document.addEventListener("keydown", (event) => handleKey(event, KEYS));
showTotals();
if (!nPages) {
  const {equal} = readData("changes") ?? {};
  find("title").textContent = equal === 1 ? "The text of the only page is equal" : `All ${count(equal ?? 0)} texts are equal`;
  find("tools").hidden = pane.hidden = true;
}
find("back").onclick = KEYS.k;
find("next").onclick = KEYS.j;
find("all").onclick = KEYS.e;
