"use strict";
// What the documents share: the data of their pages, the list of pages, and keys. Each document has the functions
// openPage(i) and describeListed(page), which returns texts and elements to show below the name of a page in the list.

const find = (id) => document.getElementById(id);
const readData = (id) => JSON.parse(find(id).textContent);
const nPages = readData("pages").length;
const FACTS = {n_blocks: "blocks", n_content: "blocks of content", page_kind: "kind", page_type: "type"};
let number = 0; // the place in the list of the page that is shown
let current = -1; // the block or the change that was chosen

function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function wrap(i, n) {
  return (i + n) % n;
}

// Returns which of n places is by steps away from the chosen one. The first follows the last, and the other way round.
function stepFrom(by, n) {
  return current < 0 ? (by > 0 ? 0 : n - 1) : wrap(current + by, n);
}

function stepPage(by) {
  if (nPages > 1) openPage(wrap(number + by, nPages));
}

// Returns a number from 0 to 1 as all tables have it, without a zero before the point.
function share(value, nDigits = 3) {
  return value.toFixed(nDigits).replace(/^0/, "");
}

function count(n) {
  return n.toLocaleString("en");
}

// Returns the name and the value of a fact of a page as they are shown.
function showFact([name, value]) {
  const text = name === "page_kind" ? String(value).replaceAll("_", " ") : String(value);
  const shown = typeof value !== "number" ? text : Number.isInteger(value) ? count(value) : share(value);
  return [FACTS[name] ?? name.replaceAll("_", " "), shown];
}

// Fills the list of pages.
function fillList() {
  document.body.classList.toggle("single", nPages < 2);
  document.querySelector("nav").hidden = nPages < 2;
  find("n-pages").textContent = `${count(nPages)} pages`;
  find("list").append(...readData("pages").map((listed, i) => {
    const button = make("button", "", {type: "button", title: listed.name});
    button.append(make("span", listed.title || listed.name));
    const small = make("small", listed.title ? `${siteOf(listed)} · ` : "");
    small.append(...describeListed(listed));
    button.append(small);
    button.onclick = () => openPage(i);
    const item = make("li", "");
    item.append(button);
    return item;
  }));
}

// Returns the host of a page, or its name if its URL is unknown.
function siteOf({name, facts}) {
  return /^https?:\/\/([^/?#]+)/.exec(facts?.url ?? name)?.[1] ?? name;
}

// Notes that a page is shown, and marks it in the list.
function markListed(i) {
  number = i;
  find("list").querySelectorAll("button").forEach((button, k) => {
    k === i ? button.setAttribute("aria-current", "page") : button.removeAttribute("aria-current");
    if (k === i) scrollPane(document.querySelector("nav"), button);
  });
}

// Scrolls only a pane, so that an element is in its middle. top: where the pane begins.
function scrollPane(pane, element, top = pane.getBoundingClientRect().top) {
  const place = element.getBoundingClientRect();
  pane.scrollBy({top: place.top - top - Math.max(0, (pane.clientHeight - place.height) / 2)});
}

// Calls the function of a key. If the list of keys is open or a control needs the key, it does nothing.
function handleKey(event, keys) {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
  if (find("keys").open || isForControl(event)) return;
  event.preventDefault();
  keys[event.key]();
}

// Returns whether the control with the focus needs the key.
function isForControl({target, key}) {
  if (target.matches?.("select, textarea, input:not([type=range])")) return true;
  return (key === "Enter" || key === " ") && target.matches?.("button, summary, input");
}

find("help").onclick = () => find("keys").showModal();
addEventListener("DOMContentLoaded", () => {
  fillList();
  if (nPages) openPage(0);
});
