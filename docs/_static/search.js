// The search of the documentation. It ranks the sections in SECTIONS, which docs/sections.py writes, and needs no network.
// Sections that have some words of a query are found, too, those with the rarest words first; research is last.
const search = (() => {
  const STOPWORDS = new Set(
    ("a all an and any are as at be by can do does don each for from get has have how i if in is it its me my not of on or " +
      "that the there this to use used using want was what when where which while who why will with you your web2text")
      .split(" ")
  );
  // What users call something -> what the pages call it.
  const SYNONYMS = {
    api: "extract extractor python", author: "authors byline metadata", banner: "consent", bot: "robots challenge",
    broken: "wrong damaged", captcha: "challenge robots", cloud: "s3 scrapinghub", class: "css selector",
    consent: "cookie", cookie: "consent", convert: "extract", cpu: "time seconds cost", css: "selector",
    date: "metadata published", dedupe: "duplicates", deduplicate: "duplicates similarity", delete: "drop exclude", developer: "contributing",
    disable: "enabled false", div: "selector include element", docker: "kubernetes", domain: "sites", duplicate: "duplicates similarity",
    element: "selector", env: "environment", error: "error reason troubleshooting", exception: "error",
    exclude: "drop", fast: "performance cost milliseconds", fine: "tune", finetune: "tune train", english: "languages", french: "languages", gdpr: "consent", german: "languages",
    ignore: "exclude skip drop", image: "images", install: "pip installation", javascript: "scripts playwright browser",
    js: "scripts playwright browser", keep: "include", kill: "resume stop", language: "languages", latex: "formulas tex",
    list: "table all", llm: "retrieval language", login: "login", math: "formulas tex", multiple: "several many",
    newline: "lines layout", number: "count", only: "include", option: "settings options", paywall: "subscribers",
     picture: "images", pipeline: "component", precision: "threshold", price: "product",
    quality: "accuracy f1", rag: "retrieval chunks", ram: "memory", react: "script_shell scripts", recall: "threshold",
    remove: "exclude drop", render: "browser scripts", retrain: "train", screenshot: "viewer", selector: "css xpath",
    several: "languages many", skip: "drop exclude", slow: "performance time cost", spa: "script_shell scripts",
    spanish: "languages", speed: "performance cost", string: "str html", strip: "drop exclude", table: "tables", test: "contract",
    thumbnail: "images", title: "headline", train: "training recipe", translate: "languages", tutorial: "quickstart",
    upgrade: "changelog", variable: "environment", vector: "chunks retrieval", wait: "timeout", xpath: "selector",
  };
  const OF_RESEARCH = 0.3;
  const MOST_RESULTS = 20;

  const stem = (word) => {
    let stemmed = word.replace(/ies$/, "y").replace(/([^aeious])s$|([aeo])s$/, "$1$2");
    if (stemmed.length > 5) stemmed = stemmed.replace(/(?:ing|ed|ly|er|ion)$/, "");
    return stemmed.length > 3 ? stemmed.replace(/e$|(.)(?=\1$)/, "") : stemmed;
  };
  // A name such as WEB2TEXT_ON_EMPTY counts as a whole, and so do its parts.
  const split = (text) =>
    (text.toLowerCase().replace(/['’](?:t|s)\b/g, "").match(/[\p{L}\p{N}_]+/gu) || []).flatMap((word) =>
      word.includes("_") ? [word, ...word.split("_").filter(Boolean)] : [word]
    );
  const count = (text) => {
    const counts = new Map();
    for (const word of split(text).map(stem)) counts.set(word, (counts.get(word) || 0) + 1);
    return counts;
  };

  const prepare = (sections) => {
    const prepared = sections.map((section) => ({
      ...section,
      isResearch: /^(research|models)\/|^rules$/.test(section.page),
      heads: count(section.heading),
      nHeads: split(section.heading).filter((word) => !STOPWORDS.has(word) && !word.includes("_")).length || 1,
      titles: count(section.title),
      words: count(`${section.text} ${section.code}`),
    }));
    const nWith = new Map();
    for (const { heads, titles, words } of prepared)
      for (const word of new Set([...heads.keys(), ...titles.keys(), ...words.keys()]))
        nWith.set(word, (nWith.get(word) || 0) + 1);
    return { sections: prepared, nWith };
  };

  // The terms of a query, each as [[word, weight], ...]: itself, its synonyms, and longer words that begin with it.
  const readQuery = (query, { nWith }) => {
    const words = split(query);
    const wanted = words.filter((word) => !STOPWORDS.has(word));
    return (wanted.length ? wanted : words).map((word) => {
      const variants = new Map([[stem(word), 1]]);
      for (const other of (SYNONYMS[word] || SYNONYMS[stem(word)] || "").split(" ").filter(Boolean))
        if (!variants.has(stem(other))) variants.set(stem(other), 0.5);
      if (word.length > 2)
        for (const other of nWith.keys())
          if (other.startsWith(stem(word)) && !variants.has(other)) variants.set(other, 0.4);
      return [...variants];
    });
  };

  const rarity = (word, { sections, nWith }) => (nWith.has(word) ? Math.log(1 + sections.length / nWith.get(word)) : 0);

  const scoreTerm = (variants, section, index) => {
    let best = 0;
    for (const [word, weight] of variants) {
      const times = section.words.get(word) || 0;
      const inHead = section.heads.has(word) ? 2 + 2 / Math.sqrt(section.nHeads) : 0;
      const inTitle = section.titles.has(word) ? 1 : 0;
      best = Math.max(best, weight * rarity(word, index) * (inHead + inTitle + (1.5 * times) / (times + 1.2)));
    }
    return best;
  };

  // Pages, best first, each with its best sections.
  const rank = (query, index) => {
    const terms = readQuery(query, index);
    const weights = terms.map((variants) => Math.max(...variants.map(([word, weight]) => weight * rarity(word, index))));
    const total = weights.reduce((a, b) => a + b, 0);
    const pages = new Map();
    for (const section of index.sections) {
      const scores = terms.map((variants) => scoreTerm(variants, section, index));
      if (!scores.some(Boolean)) continue;
      const share = weights.reduce((sum, weight, i) => sum + (scores[i] ? weight : 0), 0) / total;
      const score = scores.reduce((a, b) => a + b, 0) * share * (section.isResearch ? OF_RESEARCH : 1);
      if (!pages.has(section.page)) pages.set(section.page, { page: section.page, title: section.title, parts: [] });
      pages.get(section.page).parts.push({ section, score, scores });
    }
    for (const page of pages.values()) {
      page.parts.sort((a, b) => b.score - a.score);
      const best = page.parts[0];
      // Words that only other sections of the page have count a little.
      const rest = terms.map((_, i) => Math.max(...page.parts.map(({ scores }) => scores[i])) - best.scores[i]);
      const weight = 0.25 * (best.section.isResearch ? OF_RESEARCH : 1);
      page.score = best.score + weight * rest.reduce((a, b) => a + b, 0);
    }
    return [...pages.values()].sort((a, b) => b.score - a.score).slice(0, MOST_RESULTS);
  };

  const excerpt = (section, stems) => {
    const words = section.text.split(" ");
    const isFound = (word) => split(word).some((part) => stems.has(stem(part)));
    let start = 0;
    let most = -1;
    for (let i = 0; i < words.length; i += 5) {
      const found = words.slice(i, i + 30).filter(isFound).length;
      if (found > most) [start, most] = [i, found];
    }
    const nodes = words.slice(start, start + 30).flatMap((word) => {
      if (!isFound(word)) return [`${word} `];
      const mark = document.createElement("mark");
      mark.textContent = word;
      return [mark, " "];
    });
    return [start ? "… " : "", ...nodes, start + 30 < words.length ? "…" : ""];
  };

  const element = (tag, ...children) => {
    const made = document.createElement(tag);
    made.append(...children);
    return made;
  };

  const show = (query, index, place, toUrl) => {
    const stems = new Set(readQuery(query, index).flatMap((variants) => variants.map(([word]) => word)));
    const results = rank(query, index);
    const list = element("ol");
    list.className = "search";
    for (const { parts, title } of results) {
      const item = element("li");
      parts.slice(0, 1 + (parts[1]?.score > 0.6 * parts[0].score)).forEach(({ section }) => {
        const link = element("a", section.heading === title ? title : `${title} › ${section.heading}`);
        link.href = toUrl(section.page) + (section.anchor ? `#${section.anchor}` : "");
        item.append(element("p", link), element("p", ...excerpt(section, stems)));
      });
      list.append(item);
    }
    place.replaceChildren(
      element("h1", query ? `Search: ${query}` : "Search"),
      results.length || !query ? list : element("p", "No page has one of these words.")
    );
  };

  return { prepare, rank, show };
})();

document.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("search-results");
  if (!place) return;
  const query = new URLSearchParams(window.location.search).get("q") || "";
  for (const input of document.querySelectorAll("input[name=q]")) input.value = query;
  const root = document.documentElement.dataset.content_root || "./";
  search.show(query, search.prepare(SECTIONS), place, (page) => `${root}${page}.html`);
});
