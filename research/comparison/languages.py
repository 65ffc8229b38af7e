"""Score all systems by language, which Kohlschütter et al. 2010 leave for further work: tables of docs/papers.md.

    python -m research.comparison.languages --data DIR [--limit 100]    # extra bench for other extractors; half an hour

DAnIEL and the Chinese news of Xiamen University name the language of each page. The pages of magic-html and
CleanPortalEval are grouped by the script of their clean texts. All models but the default were trained on English
pages only. The default was trained on the last three corpora, so it is only scored on DAnIEL.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.formats import format_estimate, format_table
from research import MODELS
from research.commands import make_parser
from research.comparison.systems import load_peer
from research.leaf_scores import LeafReport, evaluate_leaves
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus
from scrapy_web2text.evaluation.peers import PEERS
from scrapy_web2text.labelers.registry import get_labeler

DEFAULT = "web2text-2026"
LABELERS = {
    "shallow:numwords": "shallow:numwords",
    "shallow:density": "shallow:density",
    "bte": "bte",
    **{name: str(MODELS / name) for name in ("dragnet-2013", "boilernet", "semtext", "crf-2018")},
    "web2text-2018": "web2text-2018",
    DEFAULT: DEFAULT,
}
# Corpora by their titles, and whether the default was trained on them.
CORPORA = {
    "DAnIEL": ("more/daniel5", False),
    "Xiamen": ("more/wwwxmu_zh_news", True),
    "magic-html": ("more/magic_html_article", True),
    "magic-html forum": ("more/magic_html_forum", True),
    "CleanPortalEval": ("more/cleanportaleval", True),
}
# Codes of languages in the files of pages, by the names that the tables have.
_NAMES = {"zh": "Chinese"}
# A smaller group says nothing about a language.
LEAST_PAGES = 10


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--limit", type=int, help="pages of each group, spread over the corpus (all)")
    args = parser.parse_args()
    peers = dict(filter(None, map(load_peer, PEERS)))
    tables: dict[str, list[LeafReport]] = {}
    for title, (name, is_trained) in CORPORA.items():
        labelers = {row: get_labeler(model) for row, model in LABELERS.items() if not (is_trained and row == DEFAULT)}
        for group, pages in sorted(read_groups(args.data, name).items()):
            print(f"{title}, {group}: {len(pages)} pages", file=sys.stderr, flush=True)
            if len(pages) >= LEAST_PAGES:
                tables[f"{title}, {group}"] = evaluate_leaves(labelers, spread(pages, args.limit), peers=peers)
    for heading, score in {"Word F1": word_f1, "Leaf F1": leaf_f1}.items():
        print(f"\n### {heading}\n\n{format_scores(tables, score)}")


def read_groups(data: Path, name: str) -> Mapping[str, Sequence[CorpusPage]]:
    """Return the pages of a corpus by language, or by script where it does not name the language."""
    languages = dict(read_languages(data / name / "meta.jsonl"))
    groups = defaultdict(list)
    for page in open_corpus(name, data).pages():
        groups[languages.get(page.id) or find_script(page.text)].append(page)
    return groups


def read_languages(path: Path) -> Iterator[tuple[str, str]]:
    """Return ids and languages of the pages whose language is known."""
    for line in path.read_bytes().splitlines():
        entry = json.loads(line)
        if entry.get("lang"):
            yield entry["id"], _NAMES.get(entry["lang"], entry["lang"])


def find_script(text: str) -> str:
    """Return the script of most letters of *text*, as in the names of Unicode; Japanese if one in ten is kana."""
    letters = Counter(unicodedata.name(letter, "").split(" ")[0] for letter in text if letter.isalpha())
    kana = letters.pop("HIRAGANA", 0) + letters.pop("KATAKANA", 0)
    if kana and kana >= (letters.total() + kana) / 10:
        return "Japanese"
    script = letters.most_common(1)[0][0] if letters else "none"
    return {"CJK": "Chinese"}.get(script, f"{script.capitalize()} script")


def spread(pages: Sequence[CorpusPage], limit: int | None) -> Sequence[CorpusPage]:
    """Return *limit* of the pages at equal distances, since neighbors are often of one site; all if None."""
    if limit is None or limit >= len(pages):
        return pages
    return [pages[i * len(pages) // limit] for i in range(limit)]


def word_f1(report: LeafReport) -> tuple[float, tuple[float, float]]:
    """Return the mean word F1 and its interval."""
    return report.words.f1, report.intervals()["word_f1"]


def leaf_f1(report: LeafReport) -> tuple[float, tuple[float, float]]:
    """Return the F1 of leaves and its interval."""
    return report.blocks.f1, report.intervals()["f1"]


def format_scores(
    tables: Mapping[str, Sequence[LeafReport]], score: Callable[[LeafReport], tuple[float, tuple[float, float]]]
) -> str:
    """Return the scores of all systems as Markdown, one column for each group of pages."""
    names = list(dict.fromkeys(report.name for reports in tables.values() for report in reports))
    columns = []
    for reports in tables.values():
        values = {report.name: score(report) for report in reports}
        columns.append({name: format_estimate(f1, (low, high)) for name, (f1, (low, high)) in values.items()})
    header = ["", *(f"{group} ({len(reports[0].pages)})" for group, reports in tables.items())]
    return format_table(header, [[f"`{name}`", *(column.get(name, "") for column in columns)] for name in names])


if __name__ == "__main__":
    main()
