// Returns the next actions of a reader who knows the right labels: those that bring the most words for each of them. An
// action is a key, ["click", block] or ["drag", first, last]. Null if the labels are right enough.
([wanted, enough, isNew]) => {
  const words = page.texts.map((text) => text.match(/\S+/g)?.length ?? 0);
  const score = (labels) => {
    let [both, chosen, right] = [0, 0, 0];
    for (let i = 0; i < words.length; i++) {
      chosen += words[i] * labels[i];
      right += words[i] * wanted[i];
      both += words[i] * labels[i] * wanted[i];
    }
    return chosen + right ? (2 * both) / (chosen + right) : 1;
  };
  const now = score(edited);
  if (now >= enough) return null;
  let best = {rate: 1e-9, actions: null};
  const offer = (labels, actions) => {
    const rate = (Math.min(score(labels), enough) - now) / actions.length;
    if (rate > best.rate) best = {rate, actions};
  };
  const set = (first, last, label) => edited.map((old, i) => (i >= first && i <= last ? label : old));
  // Without scrolling at the edges, a drag ends on the screen on which it began.
  const isFar = (from, to) => spans.get(to).at(-1).getBoundingClientRect().bottom - spans.get(from)[0].getBoundingClientRect().top >
    frame.clientHeight;
  const change = (from, to) => {
    if (from === to) return [["click", from], [" "]];
    return isNew || !isFar(from, to) ? [["drag", from, to]] : [["click", from], [" "], ["click", to], ["t"]];
  };
  // Runs of blocks with one right label in which some are wrong.
  for (let first = 0; first < words.length;) {
    let end = first;
    const wrong = [];
    for (; end < words.length && wanted[end] === wanted[first]; end++) if (edited[end] !== wanted[end]) wrong.push(end);
    if (wrong.length) {
      const [from, to] = [wrong[0], wrong.at(-1)];
      offer(set(from, to, wanted[from]), change(from, to));
    }
    first = end;
  }
  if (isNew) {
    offer(edited.map(() => 0), [["0"]]);
    offer(page.labels, [["r"]]);
    const ranges = new Map();
    const fewest = new Map(); // the fewest keys for each range
    const firstContent = current < 0 ? edited.indexOf(1) : -1;
    for (const [block, [span]] of spans) {
      const clicks = block === current || block === firstContent ? [] : [["click", block]];
      let [first, last] = [block, block];
      let keys = clicks.length;
      for (let element = span.parentElement; element; element = element.parentElement) {
        if (!ranges.has(element)) ranges.set(element, rangeOf(element));
        const range = ranges.get(element);
        if (range === null || (range[0] >= first && range[1] <= last)) continue;
        [first, last] = range;
        keys += 1;
        const name = `${first}-${last}`;
        if (fewest.get(name) <= keys) continue;
        fewest.set(name, keys);
        const path = [...clicks, ...Array(keys - clicks.length).fill(["e"])];
        offer(edited.map((_, i) => Number(i >= first && i <= last)), [...path, ["="]]);
        for (const label of [0, 1]) offer(set(first, last, label), [...path, [label ? "+" : "-"]]);
      }
    }
  }
  return best.actions;
}
