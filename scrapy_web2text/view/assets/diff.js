"use strict";
// Two texts of each page side by side, with what changed. All text enters the document as text, never as HTML.

const KEPT = 2; // equal lines that are shown next to a change
const pane = document.querySelector("main");
let isAll = false; // whether equal lines are shown
let changes = []; // the rows that changed

function openPage(i) {
  const page = readData(`page-${i}`);
  markListed(i);
  find("title").textContent = page.title || page.name;
  find("facts").textContent = describeListed(readData("pages")[i]);
  for (const side of ["before", "after"]) {
    find(side).replaceChildren(make("h2", page[side].name), make("p", describeFacts(page[side])));
  }
  current = -1;
  changes = [];
  find("rows").replaceChildren(...page.rows.flatMap(([left, right], k) =>
    right === null ? showEqual(left[0][0].split("\n"), k > 0, k < page.rows.length - 1) : [showChange(left, right)]));
  showFolds();
  pane.scrollTop = 0;
  find("place").textContent = changes.length === 1 ? "1 change" : `${changes.length} changes`;
  document.body.dataset.ready = String(i);
}

function describeListed({f1, gained, lost}) {
  return `F1 ${f1.toFixed(3)} · +${gained} −${lost} words`;
}

function describeFacts({name, facts}) {
  return Object.entries(facts).filter(([, value]) => value !== name)
    .map((fact) => showFact(fact).join(" ")).join(" · ");
}

function showChange(left, right) {
  const row = make("div", "", {class: "row changed"});
  row.append(showPieces(left, "del"), showPieces(right, "ins"));
  row.onclick = () => choose(changes.indexOf(row));
  changes.push(row);
  return row;
}

function showPieces(pieces, tag) {
  const cell = make("div", "");
  cell.append(...pieces.map(([text, isChanged], i) => {
    // The last line break would be an empty line, unless it is all that changed.
    const isKept = i < pieces.length - 1 || (isChanged && text === "\n");
    const shown = isKept ? text : text.replace(/\n$/, "");
    if (!isChanged) return document.createTextNode(shown);
    return make(tag, shown.trim() ? shown : shown.replaceAll("\n", "↵\n"));
  }));
  return cell;
}

// Returns rows of equal lines: those next to changes, and a button for the others, with these after it.
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
  find("place").textContent = `Change ${i + 1} of ${changes.length}`;
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

document.addEventListener("keydown", (event) => handleKey(event, KEYS));
find("back").onclick = KEYS.k;
find("next").onclick = KEYS.j;
find("all").onclick = KEYS.e;
