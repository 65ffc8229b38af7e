"use strict";
// The page as it looks, in the same frame: with its own classes, but without scripts, links, images and fonts. The
// content security policy allows no styles in the HTML. Scripts may set styles, but the policy refuses what they load.

const WIDTH = 1200; // least width of a page on wide screens, in pixels; the page is then scaled down
const SMALLEST = 11; // pixels of the text of nearly all blocks, below which the page is not scaled
let isLooking = false; // whether pages are shown as they look, where they can be
let isWhole = false; // whether they are shown in their own size

function isLook() {
  return isLooking && Boolean(page.look);
}

// Shows the page in its frame.
function showFrame() {
  find("views").hidden = !page.look;
  find("outline").setAttribute("aria-pressed", String(!isLook()));
  find("look").setAttribute("aria-pressed", String(isLook()));
  find("page").toggleAttribute("data-look", isLook());
  find("missing").textContent = isLook() && page.look.n_missing
    ? `without ${page.look.n_missing} style sheet${page.look.n_missing > 1 ? "s" : ""} in other files` : "";
  fitFrame();
  delete document.body.dataset.ready;
  frame.title = isLook() ? "The page, as it looks without scripts" : "The page, without its styles and scripts";
  frame.srcdoc = isLook() ? readData("look-head") + (page.look.html ?? "") : readData("frame-head") + (page.html ?? "");
}

function chooseView(isWanted) {
  isLooking = isWanted;
  showFrame();
}

// Gives the page the width of a screen.
function fitFrame() {
  const set = (values) => Object.assign(frame.style, values);
  set({flex: "", width: "", height: "", marginRight: "", transform: ""});
  if (!isLook() || isWhole || page.look.problem || matchMedia("(max-width: 800px)").matches) return;
  const scale = Math.min(1, Math.max(SMALLEST / findFontSize(), frame.clientWidth / WIDTH));
  const {clientWidth: width, clientHeight: height} = frame;
  set({flex: "none", width: `${width / scale}px`, height: `${height / scale}px`, transform: `scale(${scale})`});
  set({marginRight: `${width - width / scale}px`});
}

// Returns the font size, in pixels, that nine of ten blocks have or exceed.
function findFontSize() {
  const sizes = [...spans.values()].map(([span]) => parseFloat(getComputedStyle(span).fontSize)).sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 10)] ?? 16;
}

// Returns whether a color of text, as the browser states it, is light.
function isLight(color) {
  const [red, green, blue] = color.match(/[\d.]+/g).map(Number);
  return color.startsWith("rgb") && 0.3 * red + 0.6 * green + 0.1 * blue > 160;
}

// Applies the styles of the page.
function dress(inside) {
  if (page.look.problem) {
    const text = `The page cannot be shown as it looks: ${page.look.problem}. The outline shows it.`;
    inside.body.append(Object.assign(inside.createElement("p"), {textContent: text}));
    return;
  }
  inside.adoptedStyleSheets = page.look.sheets.map(([media, text]) => {
    const sheet = new inside.defaultView.CSSStyleSheet({media});
    sheet.replaceSync(text);
    return sheet;
  });
  for (const element of inside.querySelectorAll("[data-style]")) {
    element.style.cssText = element.dataset.style;
    element.removeAttribute("data-style");
  }
  inside.documentElement.toggleAttribute("data-missing", page.look.n_missing > 0);
  for (const mark of [...spans.values()].flat()) {
    const {color, display} = inside.defaultView.getComputedStyle(mark);
    mark.toggleAttribute("data-light", isLight(color));
    mark.toggleAttribute("data-box", display !== "inline"); // as in a flexible box
  }
  fitFrame();
  // An element that keeps its place on the screen would cover the text.
  const fixed = [...inside.body.querySelectorAll("*")].filter((element) =>
    inside.defaultView.getComputedStyle(element).position === "fixed");
  fixed.forEach((element) => element.style.setProperty("position", "absolute", "important"));
}
