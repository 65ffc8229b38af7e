"use strict";
// The rule of the site that fits the pages labeled so far. It suggests the labels of the next pages.

const LONGEST_WAIT = 1500; // milliseconds for a rule before a page is shown without its labels
let rule = null; // as the server answered
let suggested = null; // the labels that the page was opened with, until it is done

let asking = null; // ends the request for a rule: a browser has few connections, which pages and saves need

async function askRule(i) {
  asking?.abort();
  asking = new AbortController();
  if (states.filter((state) => state === "done").length < 2) return null;
  try {
    return await ask(`rules/${i}`, null, asking.signal);
  } catch (error) {
    return {n_pages: 0, error: error.message};
  }
}

function showRule(found) {
  rule = found;
  find("rule").hidden = !rule?.n_pages;
  if (!rule?.n_pages) return;
  const f1 = `F1 ${share(rule.f1, 2)} on ${rule.n_pages} pages`;
  const none = rule.model_f1 < 1 ? `no rule is better than the model (${f1})` : "no corrections yet, so no rule is needed";
  if (!rule.rule.length) find("rule-text").replaceChildren(`${rule.site}: ${none}`);
  else find("rule-text").replaceChildren(`${rule.site}: `, make("code", rule.rule.join(", ")), `, ${f1} (model ${share(rule.model_f1, 2)})`);
  if (rule.is_unstable) find("rule-text").append(" · ", make("b", "Classes that style or are generated may not last."));
  if (suggested) find("rule-text").append(" · ", make("b", "These labels are suggested by the rule: Enter confirms them."));
  else if (rule.labels) find("rule-text").append(" · R takes its labels");
}

function isSuggested(block) {
  return suggested !== null && states[number] !== "done" && edited[block] === suggested[block] && edited[block] !== page.labels[block];
}

Object.assign(KEYS, {R: () => rule?.labels && change(rule.labels)});
// No key changes a page that is finished, or is not shown yet.
for (const [key, act] of Object.entries(KEYS)) KEYS[key] = () => { if (!isOpening) act(); };
