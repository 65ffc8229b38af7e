"use strict";
// The page of `web2text serve`. The server answers; the viewer is a document of its own, in a frame.
// docs/try/page.js is the page without a server: it replaces `transport`.

const find = (id) => document.getElementById(id);
const MODELS = JSON.parse(find("models").textContent);
const EXAMPLE = JSON.parse(find("sample").textContent);
const FORMS = {
  viewer: () => "",
  text: ({answer: {text}}) => text,
  Markdown: ({answer: {markdown = ""}}) => markdown,
  JSON: ({answer: {markdown, ...data}}) => JSON.stringify(data, null, 2),
  settings: ({options}) => ['ADDONS = {"scrapy_web2text.Addon": 300}', ...Object.entries(options)
    .filter(([, value]) => value !== null && value !== DEFAULT_MODEL)
    .map(([name, value]) => `WEB2TEXT_${name.toUpperCase()} = ${JSON.stringify(value)}`)].join("\n"),
};
const DEFAULT_MODEL = "web2text-2026"; // as options.py has it
// How the viewer shows its threshold and decoder as settings.
const DECODING = /^WEB2TEXT_THRESHOLD = ([\d.]+)\nWEB2TEXT_DECODER = "(\w+)"$/;
const LONGEST = 10_000_000; // characters
const URL_ALONE = /^\s*[a-z][a-z\d+.-]*:[^\s<]+\s*$/i;
const DELAY = 400; // milliseconds after the last change in the viewer

let answer = null; // with what was asked for, as `given`
let decoding = {}; // the threshold and decoder as changed in the viewer
let opened = {settings: "", threshold: ""}; // what the viewer opened with
let nAsked = 0;
let nAnswers = 0;
let timer = 0;

const POST = {method: "POST", headers: {"Content-Type": "application/json"}};
let transport = async (message) => (await fetch("", {...POST, body: JSON.stringify(message)})).json();

function addOptions(select, names) {
  find(select).replaceChildren(...names.map(([value, text]) => new Option(text, value)));
}

function fillThresholds() {
  const names = MODELS[find("model").value];
  addOptions("threshold", [["", "the model's own"], ...names.map((name) => [name, name])]);
  find("threshold").disabled = !names.length;
}

// Asks for a page, given as its input or file, and shows the answer.
async function ask(given, isOpen = false) {
  const asked = ++nAsked;
  clearTimeout(timer);
  find("answer").setAttribute("aria-busy", "true");
  find("show").textContent = "Reading the page …";
  const options = {model: find("model").value, threshold: find("threshold").value || null, ...decoding};
  const page = await given;
  const {name} = page;
  delete page.name;
  let found = {error: page.problem};
  let problem = "";
  try {
    if (!page.problem) found = await transport({...page, options});
    problem = (found.error ?? "").replace(/^A worker/, "The page took too much time or memory: a worker");
  } catch {
    const isLong = (page.input ?? page.file)?.length > LONGEST; // the server closes the connection
    problem = isLong ? "The page is too long." : "The server does not answer. Is web2text serve still running?";
  }
  if (asked !== nAsked) return; // another page was asked for meanwhile
  find("answer").setAttribute("aria-busy", "false");
  find("show").textContent = "Show the content";
  find("error").textContent = problem;
  find("error").hidden = !problem;
  find("answer").hidden = Boolean(problem);
  fold(!problem);
  if (problem) return;
  if (name) find("source").textContent = name;
  answer = {...found, options, given: page};
  document.body.dataset.page = ++nAnswers;
  find("status").textContent = describe(answer.answer, answer.reason);
  showForm();
  if (!isOpen) find("frame").srcdoc = answer.document;
}

function fold(isFolded) {
  document.body.toggleAttribute("data-folded", isFolded);
}

// Returns what to ask for: the file that was chosen or dropped, or else the pasted text. Or returns a problem.
async function readInput() {
  const [file] = find("file").files;
  const input = find("input").value;
  if (file) return readFile(file);
  if (!input.trim()) return {problem: "Paste the HTML of a page, or choose a file."};
  if (URL_ALONE.test(input)) return {problem: "URLs are not fetched. Paste the HTML of the page."};
  return {input, name: input === EXAMPLE ? "the example" : `${input.length.toLocaleString("en")} pasted characters`};
}

// Returns the bytes of a file in base64. The page itself names its encoding.
function readFile(file) {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve({file: reader.result.split(",")[1] ?? "", name: file.name});
    reader.onerror = () => resolve({problem: `${file.name} cannot be read.`});
    reader.readAsDataURL(file);
  });
}

function askForInput() {
  decoding = {};
  ask(readInput());
}

function describe({model, method, page_kind: pageKind, n_blocks: n, n_content: nContent, confidence, text}, reason) {
  const kind = pageKind && pageKind !== "content" && `kind of page: ${pageKind.replaceAll("_", " ")}`;
  const parts = [n > 0 && `${model ?? method}: ${nContent} of ${n} blocks are content`, kind,
    n > 0 && confidence !== null && `confidence ${confidence.toFixed(3).replace(/^0/, "")}`,
    reason && `${text ? "fallback" : "no text"}: ${reason}`];
  return parts.filter(Boolean).join(" · ");
}

function showForm() {
  const form = document.querySelector("#forms input:checked").value;
  const isViewer = form === "viewer";
  find("frame").hidden = !isViewer;
  find("shown").hidden = find("copy").hidden = isViewer;
  find("shown").textContent = FORMS[form](answer);
  find("copied").textContent = "";
}

// Another model or threshold: the viewer begins again.
function change() {
  decoding = {};
  if (answer) ask(answer.given);
}

// Takes over the threshold and the decoder of the viewer, whether by its sliders or by its keys.
function followViewer() {
  const settings = find("frame").contentDocument?.getElementById("settings");
  if (!settings) return;
  const viewer = find("frame").contentDocument;
  viewer.getElementById("facts").hidden = true; // the status has them
  if (answer.reason) viewer.getElementById("reason").hidden = true; // and the reason
  opened = {settings: settings.textContent, threshold: find("threshold").value};
  new MutationObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => takeOver(settings.textContent), DELAY);
  }).observe(settings, {childList: true, characterData: true, subtree: true});
}

function takeOver(settings) {
  opened.settings ||= settings;
  const isSame = settings === opened.settings;
  const found = DECODING.exec(settings);
  const next = isSame || !found ? {} : {threshold: Number(found[1]), decoder: found[2]};
  if (JSON.stringify(next) === JSON.stringify(decoding)) return;
  decoding = next;
  find("threshold").value = isSame ? opened.threshold : "";
  ask(answer.given, true);
}

async function copy() {
  try {
    await navigator.clipboard.writeText(find("shown").textContent);
    find("copied").textContent = "copied";
  } catch {
    getSelection().selectAllChildren(find("shown"));
    find("copied").textContent = "press Ctrl+C to copy";
  }
}

addOptions("model", Object.keys(MODELS).map((name) => [name, name]));
fillThresholds();
find("forms").append(...Object.keys(FORMS).map((name, i) => {
  const label = document.createElement("label");
  const input = Object.assign(document.createElement("input"), {type: "radio", name: "form", value: name, checked: !i});
  label.append(input, ` ${name}`);
  return label;
}));
find("options").open = matchMedia("(min-width: 801px)").matches;
find("forms").onchange = showForm;
find("model").onchange = () => { fillThresholds(); change(); };
find("threshold").onchange = change;
find("copy").onclick = copy;
find("frame").onload = followViewer;
find("form").onsubmit = (event) => {
  event.preventDefault();
  askForInput();
};
document.ondragover = (event) => {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault(); // else the browser opens the file
  find("form").toggleAttribute("data-over", true);
};
document.ondragleave = () => find("form").removeAttribute("data-over");
document.ondrop = (event) => {
  find("form").removeAttribute("data-over");
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  find("file").files = event.dataTransfer.files;
  find("file").onchange();
};
find("file").onchange = () => {
  find("input").value = "";
  if (find("file").files.length) askForInput();
};
find("example").onclick = () => {
  find("file").value = "";
  find("input").value = EXAMPLE;
  askForInput();
};
find("again").onclick = () => {
  fold(false);
  find("input").select();
};
find("input").oninput = () => { find("file").value = ""; };
find("input").onkeydown = (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) find("form").requestSubmit();
};
