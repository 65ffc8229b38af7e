// How Sphinx's search ranks a page: first by the words of the query in one of its headings, to which the result leads.
// The numbers are those of searchtools.js, which this replaces.
const toStems = (text) =>
  (text.toLowerCase().match(/\w+/g) || [])
    .filter((word) => !stopwords.has(word))
    .map((word) => new Stemmer().stemWord(word));

var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: (result) => {
    const [docname, title, , , score, , kind] = result;
    if (kind !== SearchResultKind.text) return score;
    const wanted = toStems(new URLSearchParams(window.location.search).get("q") || "");
    let best = 0;
    for (const [heading, places] of Object.entries(Search._index.alltitles)) {
      const place = places.find(([file]) => Search._index.docnames[file] === docname);
      const stems = toStems(heading);
      const found = wanted.filter((word) => stems.includes(word)).length;
      const points = found && 10 * found + (10 * found) / stems.length;
      if (!place || points <= best) continue;
      best = points;
      result[1] = heading === title ? title : `${title} > ${heading}`;
      result[2] = place[1] === null ? "" : `#${place[1]}`;
    }
    return score + best;
  },
};
