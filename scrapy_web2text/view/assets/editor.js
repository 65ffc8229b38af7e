"use strict";
// The label editor: keys that change labels, which the server saves after each change. The labels of a page are a
// draft until the page is done. The browser keeps unsaved edits, under the names of the labels file and of the page.

const FIELDS = ["kind", "type", "note"];
const OUTDATED = 404; // the server was started again, with another token
const RETRY_AFTER = 2000; // milliseconds
const REFUSED = [400, OUTDATED, 409]; // a repeated request gets the same answer
const listed = readData("pages");
const session = readData("session");
const states = listed.map(({state}) => state); // of each page: done, draft, skipped or ""
const versions = new Map(); // of the labels of each page, as the server counts them
const unsaved = new Map(); // what to send for each page
let isKeeping = true; // whether the browser keeps what is unsaved
let isOffered = false; // whether the page shows labels that an earlier tab did not save
let edited = []; // the labels of the page that is shown
let before = []; // earlier labels, for undo
let flipped = -1; // the block that was flipped last
const refused = new Set(); // pages whose labels the server refused
let isSending = false;
let isOpening = false; // whether keys are ignored: the page is finished, or the next one is not shown yet
let opening = 0; // the number of pages that were asked for

async function ask(path, message, signal) {
  const options = message ? {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(message),
  } : {signal};
  const response = await fetch(path, options);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(answer.error), {status: response.status});
  return answer;
}

openPage = async (i) => {
  if (!opening) i = Math.max(i, listed.findIndex((_, k) => readKept(k)));
  const turn = ++opening;
  isOpening = true;
  try {
    await sent(i);
    const asked = askRule(i);
    const data = await ask(`pages/${i}`);
    const found = await Promise.race([asked, new Promise((resume) => setTimeout(resume, LONGEST_WAIT))]);
    if (turn !== opening) return;
    showLabels(i, data, found);
    if (!found) asked.then((late) => { if (turn === opening) showRule(late); });
  } catch (error) {
    if (turn === opening) isOpening = false;
    report(`${listed[i].name}: ${describeFailure(error)}`, true);
  }
};
findLabels = () => [edited, page.probabilities];

function showLabels(i, data, found) {
  const {saved} = data;
  versions.set(i, saved.version);
  edited = data.labels.map((label, block) => (saved.labels?.[block] >= 0 ? saved.labels[block] : label));
  before = [];
  flipped = -1;
  picked = [];
  let message = "";
  let fields = saved;
  const kept = readKept(i);
  isOffered = kept?.blocks === saved.blocks;
  suggested = isOffered || saved.state ? null : found?.labels ?? null;
  if (suggested) edited = suggested;
  if (isOffered) {
    before = [edited];
    edited = [...kept.labels].map(Number);
    fields = kept;
    message = "These edits were not saved before: Enter or any change saves them, z drops them.";
  } else if (kept) {
    forget(i);
    message = "Edits that were not saved are dropped, since the blocks of the page have changed.";
  } else if (saved.n_lost) {
    message = `${saved.n_lost === 1 ? "1 labeled block is" : `${saved.n_lost} labeled blocks are`} no longer on the page`;
  }
  showFields({type: data.facts.page_type, ...fields});
  const {n_blocks, n_content, ...facts} = data.facts; // the line above the page has them, as they change
  showPage(i, {...data, facts});
  showRule(found);
  report(message);
}

function showFields(saved) {
  for (const name of FIELDS) find(name).value = saved[name] ?? (name === "kind" ? "content" : "");
  find("certainty").value = saved.certainty ?? 1;
  showKind();
}

// Says on the folded fields of a page if it has no content by its kind.
function showKind() {
  const kind = find("kind").value;
  find("more").querySelector("summary").textContent = kind === "content" ? "More" : `More (kind: ${kind.replaceAll("_", " ")})`;
}

// Returns the key under which the browser keeps the edits of a page until they are saved.
function keyOf(i) {
  return `web2text ${session.out} ${listed[i].id}`;
}

function readKept(i) {
  try {
    return JSON.parse(localStorage.getItem(keyOf(i)));
  } catch {
    return null;
  }
}

function keep(i, message) {
  try {
    localStorage.setItem(keyOf(i), JSON.stringify({...message, blocks: page.saved.blocks}));
  } catch { // no storage, or it is full
    isKeeping = false;
  }
}

function forget(i) {
  try {
    localStorage.removeItem(keyOf(i));
  } catch { // no storage
    isKeeping = false;
  }
}

// Shows the labels after a page was loaded or changed.
function show() {
  update();
  for (let block = 0; block < labels.length; block++) {
    for (const span of spans.get(block) ?? []) {
      span.toggleAttribute("data-mine", labels[block] !== page.labels[block] && !isSuggested(block));
      span.toggleAttribute("data-suggested", isSuggested(block));
      span.toggleAttribute("data-unread", page.saved.labels?.[block] === -1);
    }
  }
  find("undo").disabled = !before.length;
  const n = labels.filter((label) => label === 1).length;
  const words = countWords(0, labels.length - 1, (block) => labels[block] === 1);
  find("count").textContent = `content: ${count(n)} of ${count(labels.length)} blocks, ${count(words)} words`;
}

function change(next) {
  if (isOpening || next.every((label, block) => label === edited[block])) return;
  before.push(edited);
  edited = next;
  show();
  save(false);
}

// Gives the blocks from first to last one label.
function setLabels(first, last, label) {
  change(edited.map((old, block) => (block >= first && block <= last ? label : old)));
}

function flip(first = current, last = current) {
  if (first < 0) return;
  flipped = current;
  setLabels(first, last, 1 - edited[current]);
}

function flipToHere() {
  if (current < 0 || flipped < 0) return;
  setLabels(Math.min(flipped, current), Math.max(flipped, current), edited[flipped]);
}

function flipAlike() {
  let [first, last] = [current, current];
  while (first > 0 && edited[first - 1] === edited[current]) first--;
  while (last < edited.length - 1 && edited[last + 1] === edited[current]) last++;
  flip(first, last);
}

// The level of a heading from 1; 7 for other blocks.
function level(block) {
  const steps = `/${page.tags[block]}/${page.paths[block] ?? ""}/`;
  return Number(/\/h([1-6])(\[\d+\])?\//.exec(steps)?.[1] ?? 7);
}

function flipSection() {
  let first = current;
  while (first > 0 && level(first) === 7) first--;
  let last = current;
  while (last < edited.length - 1 && level(last + 1) > Math.min(6, level(first))) last++;
  flip(first, last);
}

function undo() {
  if (isOpening || !before.length) return;
  const isDropped = isOffered;
  edited = before.pop();
  isOffered = false;
  if (isDropped) {
    forget(number);
    showFields({type: page.facts.page_type, ...page.saved});
    report("The edits are dropped.");
  }
  show();
  if (!isDropped) save(false);
}

function save(isDone) {
  const message = {
    labels: edited.join(""),
    done: isDone,
    certainty: readCertainty(),
    ...Object.fromEntries(FIELDS.map((name) => [name, find(name).value])),
  };
  isOffered = false;
  unsaved.set(number, message);
  keep(number, message);
  return send();
}

// Returns the certainty in its field. The field then shows the value that is saved.
function readCertainty() {
  const field = find("certainty");
  field.value = Number.isNaN(field.valueAsNumber) ? 1 : Math.min(1, Math.max(0, field.valueAsNumber));
  return Number(field.value);
}

// Sends what is unsaved, one page after another; tries again later if the server does not answer.
async function send() {
  if (isSending) return;
  isSending = true;
  const failed = new Map(); // the error of each page
  const findNext = () => [...unsaved.keys()].find((i) => !failed.has(i));
  for (let i = findNext(); i !== undefined; i = findNext()) {
    const message = unsaved.get(i);
    try {
      report("saving …");
      const {version, state} = await ask(`labels/${i}`, {...message, version: versions.get(i)});
      versions.set(i, version);
      if (unsaved.get(i) === message) {
        unsaved.delete(i);
        forget(i);
      }
      setState(i, state);
      report(state === "done" ? "saved" : "draft saved");
    } catch (error) {
      failed.set(i, describeFailure(error));
      isOpening = false;
      if (!REFUSED.includes(error.status)) continue;
      unsaved.delete(i);
      refused.add(i);
      if (error.status !== OUTDATED) forget(i);
    }
  }
  isSending = false;
  if (failed.size) report(`Not saved: ${[...new Set(failed.values())].join("; ")}`, true);
  if (unsaved.size) setTimeout(send, RETRY_AFTER);
}

function describeFailure({status, message}) {
  if (status && status !== OUTDATED) return message;
  const what = status ? "the server was started again; open its new address" : "the server does not answer";
  return isKeeping ? `${what}. This browser keeps the edits` : what;
}

// Waits until the labels of a page are sent.
async function sent(i) {
  while (unsaved.has(i)) await new Promise((resume) => setTimeout(resume, 20));
}

async function finish() {
  if (isOpening) return;
  const i = number;
  const turn = opening;
  isOpening = true;
  refused.delete(i);
  await save(true);
  await sent(i);
  if (turn !== opening) return; // the user has asked for another page
  if (states[i] === "done" && !refused.has(i)) openNext();
  else isOpening = false;
}

function skip() {
  if (isOpening) return;
  if (states[number] === "") setState(number, "skipped");
  openNext();
}

// Opens the next page that is neither done nor skipped.
function openNext() {
  const next = states.map((_, k) => wrap(number + 1 + k, nPages));
  const found = next.find((i) => states[i] === "" || (i !== number && (states[i] === "draft" || readKept(i))));
  isOpening = false;
  if (found !== undefined) openPage(found);
}

function setState(i, state) {
  states[i] = state;
  find("list").querySelectorAll("button")[i].dataset.state = state;
  const nDone = states.filter((value) => value === "done").length;
  find("progress").max = nPages;
  find("progress").value = nDone;
  find("done-pages").textContent = `${nDone} of ${nPages} pages labeled`;
  find("end").hidden = states.some((value) => value !== "done" && value !== "skipped");
}

function report(text, isFailure = false) {
  find("saved").textContent = text;
  find("saved").classList.toggle("failed", isFailure);
}

Object.assign(KEYS, {
  " ": () => flip(), t: flipToHere, s: flipSection, a: flipAlike, z: undo, x: skip, Enter: finish,
  r: () => change(page.labels),
});
for (const key of ["<", ">", "d"]) delete KEYS[key]; // keys of the viewer, which change settings
frame.addEventListener("load", () => {
  if (page === null) return;
  try {
    show();
    showPicked();
    listenToDrags();
  } finally { // a page that cannot be shown must not lock the keys
    isOpening = false;
  }
});
find("done").onclick = finish;
find("skip").onclick = skip;
find("undo").onclick = undo;
for (const name of [...FIELDS, "certainty"]) find(name).onchange = () => {
  showKind();
  save(states[number] === "done");
};
find("end-command").textContent = session.next;
find("end-copy").onclick = () => copyText("end-command", report);
// After a click, and in the fields after Escape, keys are for the blocks again.
addEventListener("click", ({detail, target}) => {
  const button = target.closest("button, summary");
  if (button && (detail || button.closest("nav"))) button.blur();
});
find("keys").addEventListener("close", () => document.activeElement.blur());
addEventListener("keydown", ({key, target}) => {
  if (key === "Escape" && target.matches?.("#editor :is(input, select)")) target.blur();
});
addEventListener("DOMContentLoaded", () => states.forEach((state, i) => setState(i, state)));
addEventListener("beforeunload", (event) => { if (unsaved.size && !isKeeping) event.preventDefault(); });
