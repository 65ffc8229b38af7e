"use strict";
// The page of `web2text serve` without a server: a worker answers. This comes after trial.js, and uses its names.

const PYTHON = JSON.parse(find("python").textContent);

const NO_WORKER = location.protocol === "file:"
  ? "Open this page over http: browsers run no workers from a file."
  : "This browser cannot run Python. Is it up to date?";

const note = find("note");
const links = {Documentation: "index", Quickstart: "quickstart", Settings: "settings", "The viewer": "viewer"};
let worker = null;
let turn = Promise.resolve();

note.textContent = `Your browser reads the page, and sends it nowhere. The first click loads Python and the models${PYTHON.measured},
  from ${new URL(PYTHON.base, location).host} and this site.`;
const told = note.textContent;
find("top").append(...Object.entries(links).map(([text, name]) =>
  Object.assign(document.createElement("a"), {textContent: text, href: `../${name}.html`})));

// The theme that was chosen in the documentation, also for the viewer and the page in it.
function readTheme() {
  try {
    return localStorage.theme;
  } catch { // no storage
    return "auto";
  }
}

function applyTheme(root) {
  const theme = readTheme();
  if (!root || !["light", "dark"].includes(theme)) return;
  root.documentElement.style.colorScheme = theme;
  for (const {cssRules} of root.styleSheets) {
    for (const {media} of cssRules) {
      if (media?.mediaText.includes("color-scheme: dark")) media.mediaText = theme === "dark" ? "all" : "not all";
    }
  }
}

applyTheme(document);
find("frame").addEventListener("load", () => {
  const viewer = find("frame").contentDocument;
  const inside = viewer.getElementById("frame");
  applyTheme(viewer);
  applyTheme(inside?.contentDocument);
  inside?.addEventListener("load", () => applyTheme(inside.contentDocument));
});

transport = (message) => {
  const asked = nAsked;
  turn = turn.then(() => asked === nAsked ? read(message) : {}); // or another page was asked for meanwhile
  return turn;
};

function read(message) {
  return new Promise((resolve) => {
    let timer = 0;
    const end = (found) => {
      clearTimeout(timer);
      note.textContent = told;
      resolve(found);
    };
    const stop = (error) => {
      worker?.terminate(); // the next page starts another one
      worker = null;
      end({error});
    };
    try {
      worker ??= new Worker("worker.js", {type: "module"});
    } catch {
      stop(NO_WORKER);
      return;
    }
    worker.onerror = () => stop(NO_WORKER);
    worker.onmessage = ({data: {state, isReady, answer, problem}}) => {
      if (problem) stop(problem);
      else if (answer) end(JSON.parse(answer));
      else note.textContent = state;
      if (isReady) timer = setTimeout(stop, PYTHON.seconds * 1000, `The page took more than ${PYTHON.seconds} seconds.`);
    };
    worker.postMessage({python: PYTHON, message: JSON.stringify(message)});
  });
}
