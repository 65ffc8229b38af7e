"use strict";
// A column for each of the other extractors: its text, and, struck through, the parts that only our text has.

function showPeers() {
  const peers = page.peers ?? [];
  find("peers").hidden = !peers.length;
  find("peers").replaceChildren(...peers.map(makeColumn));
  document.body.toggleAttribute("data-peers", peers.length > 0);
  document.body.style.setProperty("--peers", `${peers.length}fr`);
}

function makeColumn({name, f1, rows, error}) {
  const column = make("section", "", {"aria-label": name});
  const head = make("div", "", {class: "head"});
  head.append(make("h2", name), make("span", error ? "" : `word F1 ${f1.toFixed(3)} with ours`));
  const lines = make("div", error ? `It failed: ${error}` : "", {class: "lines", tabindex: "0"});
  for (const [ours, theirs] of rows ?? []) lines.append(...showRow(ours, theirs));
  if (!error && !lines.textContent) lines.dataset.empty = "No text.";
  column.append(head, lines);
  return column;
}

// Returns the pieces of the lines of both texts in order: pieces that both texts have, and pieces that one has.
function showRow(ours, theirs) {
  if (theirs === null) return [`${ours[0][0]}\n`];
  const [left, right] = [ours, theirs].map((pieces) => pieces.map(([text, isOwn]) => [text, isOwn]));
  const shown = [];
  while (left.length || right.length) {
    if (left[0]?.[1]) shown.push(showPart("del", left[0][0]), /\s$/.test(left.shift()[0]) ? "" : " ");
    else if (right[0]?.[1]) shown.push(showPart("ins", right.shift()[0]));
    else if (!left.length || !right.length) shown.push((left.shift() ?? right.shift())[0]);
    else shown.push(takeShared(left, right));
  }
  return shown;
}

// Whitespace alone is shown as in their text, without a mark.
function showPart(tag, text) {
  if (!text.trim()) return tag === "ins" ? text : "";
  return make(tag, text, {[tag === "ins" ? "data-new" : "data-gone"]: ""});
}

// Removes and returns the text with which both lists of pieces begin. Only its whitespace can differ.
function takeShared(left, right) {
  const n = Math.min(...[left, right].map(([[text]]) => text.replace(/\s/g, "").length));
  const [, text] = [left, right].map((pieces) => {
    const [all] = pieces[0];
    let end = 0;
    for (let k = 0; k < n || (end < all.length && /\s/.test(all[end])); end++) k += /\S/.test(all[end]);
    pieces[0][0] = all.slice(end);
    if (end === all.length) pieces.shift();
    return all.slice(0, end);
  });
  return text;
}
