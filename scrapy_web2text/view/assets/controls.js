"use strict";
// Keys, pointer and buttons of the viewer.

// Chooses the next block that is not folded; the first time, the block at which the page opened, or the block before.
function step(by) {
  const n = labels.length;
  let next = current < 0 ? wrap(findStart() + Math.min(by, 0), n) : stepFrom(by, n);
  for (let i = 0; i < n && isFolded(next); i++) next = wrap(next + by, n);
  if (n) select(next);
}

// Chooses the next block for which a function of its number is true; after the last one, the first.
function selectNext(isWanted) {
  const next = labels.map((_, i) => wrap(current + 1 + i, labels.length)).find(isWanted);
  if (next !== undefined) select(next);
}

function isUnsure(block) {
  return probabilities !== null && probabilities[block] > UNSURE[0] && probabilities[block] < UNSURE[1];
}

function raise(by) {
  if (page.chain !== null) choose({threshold: Math.min(0.99, Math.max(0.01, chosen().threshold + by))});
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  c: () => selectNext((block) => labels[block] === 1),
  u: () => selectNext(isUnsure),
  n: () => stepPage(1),
  p: () => stepPage(-1),
  ">": () => raise(0.05),
  "<": () => raise(-0.05),
  f: () => foldAll(!isFolding),
  l: () => page.look && chooseView(!isLook()),
  d: () => page.chain && choose({decoder: chosen().decoder === "viterbi" ? "marginal" : "viterbi"}),
  r: reset,
  "?": () => find("keys").showModal(),
  Escape: () => {
    closePanels();
    select(-1);
  },
};

function reset() {
  settings = null;
  update();
}

function listen(root) {
  const blockAt = (event) => {
    const element = event.target.closest?.("[data-b]");
    return element ? Number(element.dataset.b) : -1;
  };
  root.addEventListener("mouseover", (event) => {
    const block = blockAt(event);
    mark("hot", block);
    describe(block < 0 ? current : block);
  });
  root.addEventListener("click", (event) => {
    closePanels(event.target);
    const block = blockAt(event);
    if (block >= 0) select(block, event.target);
    const button = event.target.closest?.("[data-fold]");
    if (button) toggleFold(Number(button.dataset.fold));
  });
  root.addEventListener("keydown", (event) => handleKey(event, KEYS));
}

// Closes what opens over the page, unless it has the element that was clicked.
function closePanels(clicked = null) {
  for (const panel of document.querySelectorAll("#tools details")) panel.open &&= panel.contains(clicked);
}

// Copies the text of an element, and calls a function with what to say.
async function copyText(name, tell) {
  getSelection().selectAllChildren(find(name));
  try {
    await navigator.clipboard.writeText(find(name).textContent);
    tell("copied");
  } catch {
    tell("press Ctrl+C to copy");
  }
}

frame.addEventListener("load", onPageLoaded);
find("threshold").oninput = (event) => choose({threshold: Number(event.target.value)});
find("lam").oninput = (event) => choose({lam: Number(event.target.value)});
find("decoder").onchange = (event) => choose({decoder: event.target.value});
find("reset").onclick = reset;
find("role").onchange = chooseRole;
find("folds").onclick = KEYS.f;
find("outline").onclick = () => chooseView(false);
find("look").onclick = () => chooseView(true);
find("zoom").onclick = () => {
  isWhole = !isWhole;
  find("zoom").setAttribute("aria-pressed", isWhole);
  fitFrame();
};
find("copy").onclick = () => copyText("settings", (text) => { find("changes").textContent = text; });
find("form").onsubmit = (event) => event.preventDefault();
listen(document);
