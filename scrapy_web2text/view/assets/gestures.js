"use strict";
// Two ways to change the labels of many blocks at once: an element that is chosen by a key, and a drag.

const EDGE = 40; // pixels at the upper and lower edge of the frame at which it scrolls
const FASTEST = 25; // pixels in each frame of the animation
const LEAST_MOVE = 5; // pixels; less is a click
let picked = []; // the elements around the block that were chosen, from the inside out
let cancelDrag = () => false; // returns whether there was a drag

// The first and the last block in an element of the frame.
function rangeOf(element) {
  const inside = element.querySelectorAll("[data-b]");
  return inside.length ? [Number(inside[0].dataset.b), Number(inside[inside.length - 1].dataset.b)] : null;
}

// Returns the blocks that keys change: the blocks in the chosen element, or else the chosen block.
function chosenRange() {
  return picked.length ? rangeOf(picked.at(-1)) : [current, current];
}

function askForBlock() {
  report("Choose a block first: click it, or press j.");
}

// Chooses the smallest element around the chosen one that has more blocks.
function grow() {
  if (current < 0) selectNext((block) => edited[block] === 1);
  if (current < 0 || !spans.has(current)) return askForBlock();
  const [first, last] = chosenRange();
  let element = picked.at(-1) ?? spans.get(current)[0];
  do element = element.parentElement; while (element && !isLarger(rangeOf(element), first, last));
  if (!element || element === element.ownerDocument.documentElement) return report("This is the whole page.");
  picked.push(element);
  showPicked();
}

function isLarger(range, first, last) {
  return range !== null && (range[0] < first || range[1] > last);
}

function shrink() {
  picked.pop();
  showPicked();
}

function showPicked() {
  const [first, last] = chosenRange();
  markRange("pick", picked.length ? first : -1, last);
  find("picked").hidden = !picked.length;
  if (!picked.length) return;
  const element = picked.at(-1);
  const words = countWords(first, last);
  const name = element.dataset.t ?? element.localName;
  find("picked").textContent = `<${name}> · ${last - first + 1} blocks, ${words} words · E goes back`;
}

function countWords(first, last, isCounted = () => true) {
  let n = 0;
  for (let block = first; block <= last; block++) if (isCounted(block)) n += page.texts[block].match(/\S+/g)?.length ?? 0;
  return n;
}

// Marks the elements of the blocks from first to last; none if first is -1.
function markRange(name, first, last) {
  for (const [block, elements] of spans) {
    const isIn = first >= 0 && block >= first && block <= last;
    elements.forEach((element) => element.toggleAttribute(`data-${name}`, isIn));
  }
}

function setChosen(label) {
  if (current < 0) return askForBlock();
  flipped = current;
  setLabels(...chosenRange(), label);
}

function setOnly() {
  if (current < 0) return askForBlock();
  const [first, last] = chosenRange();
  change(edited.map((_, block) => Number(block >= first && block <= last)));
}

const selectBlock = select;
select = (block, from = null) => {
  if (block !== current && picked.length) {
    picked = [];
    showPicked();
  }
  selectBlock(block, from);
};

// Blocks that are dragged over get the opposite of the first block's label. Beside blocks, the nearest block counts.
function listenToDrags() {
  const inside = frame.contentDocument;
  const pane = inside.scrollingElement;
  let start = -1, end = -1, origin = null, pointer = null, isMoving = false;
  const stop = () => {
    if (isMoving) markRange("drag", -1, -1);
    start = end = -1;
    isMoving = false;
  };
  const follow = () => {
    const next = findNearest(inside, pointer);
    if (next === end) return;
    end = next;
    markRange("drag", Math.min(start, end), Math.max(start, end));
    const n = Math.abs(end - start) + 1;
    report(`${n} block${n > 1 ? "s" : ""} to ${NAMES[1 - edited[start]]}; Esc cancels`);
  };
  const move = () => {
    if (!isMoving) return;
    const height = frame.clientHeight;
    const over = Math.min(0, pointer.clientY - EDGE) || Math.max(0, pointer.clientY - height + EDGE);
    const before = pane.scrollTop;
    if (over) pane.scrollTop += Math.max(-FASTEST, Math.min(FASTEST, over / 2));
    follow();
    if (pane.scrollTop !== before) requestAnimationFrame(move);
  };
  inside.addEventListener("mousedown", (event) => {
    if (event.button !== 0 || event.target.closest?.("button")) return;
    stop();
    start = findNearest(inside, event);
    origin = event;
    if (start >= 0) event.preventDefault(); // selects no text
  });
  inside.addEventListener("mousemove", (event) => {
    if (start < 0) return;
    if (!(event.buttons & 1)) return stop();
    pointer = event;
    if (isMoving) return move();
    isMoving = Math.hypot(event.clientX - origin.clientX, event.clientY - origin.clientY) >= LEAST_MOVE;
    if (isMoving) move();
  });
  inside.addEventListener("mouseup", (event) => {
    if (!isMoving) return stop();
    pointer = event;
    follow();
    const [first, last] = [start, end];
    stop();
    report(first === last ? "A drag within one block changes nothing; double-click it to flip it." : "");
    if (first === last) return;
    flipped = last;
    setLabels(Math.min(first, last), Math.max(first, last), 1 - edited[first]);
  });
  inside.addEventListener("dblclick", (event) => {
    if (event.target.closest?.("[data-b]")) flip(current, current);
  });
  cancelDrag = () => {
    const wasMoving = isMoving;
    stop();
    if (wasMoving) report("");
    return wasMoving;
  };
}

// Returns the block at a place of the frame, or the nearest one; -1 if the page has none.
function findNearest(inside, {clientX, clientY}) {
  const at = inside.elementFromPoint(clientX, clientY)?.closest("[data-b]");
  if (at) return Number(at.dataset.b);
  const y = Math.max(0, Math.min(frame.clientHeight, clientY));
  let [nearest, least] = [-1, Infinity];
  for (const [block, elements] of spans) {
    for (const element of elements) {
      const box = element.getBoundingClientRect();
      const distance = Math.hypot(Math.max(box.left - clientX, 0, clientX - box.right), Math.max(box.top - y, 0, y - box.bottom));
      if (box.width && distance < least) [nearest, least] = [block, distance];
    }
  }
  return nearest;
}

Object.assign(KEYS, {
  e: grow, E: shrink, "+": () => setChosen(1), "-": () => setChosen(0), "=": setOnly,
  0: () => change(edited.map(() => 0)),
});
const leave = KEYS.Escape;
KEYS.Escape = () => cancelDrag() || leave();
for (const [name, key] of Object.entries({grow: "e", content: "+", only: "=", boilerplate: "-", none: "0"})) {
  find(name).onclick = () => KEYS[key]();
}
