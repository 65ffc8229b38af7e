"""Compare the rules with the figures of Kohlschütter et al. 2010: the Markdown tables of docs/rules.md.

    python -m research.kohlschuetter.rules --data DIR    # DIR: the unpacked corpora

Token F1 compares the words of a page, mean and median over the pages, as in section 4.3.2 of the paper. Accuracy,
precision, recall and F1 are over text leaves, as in Table 1 of the Web2Text paper. The CleanEval table has only the
rows of the paper; `research.comparison` prints all scores on CleanEval. A missing corpus is skipped.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from research.commands import make_parser
from research.leaf_scores import LeafReport, evaluate_leaves
from scrapy_web2text.evaluation.corpora import open_corpus, read_split
from scrapy_web2text.evaluation.run import evaluate_all
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.shallow.measures import shallow_blocks
from scrapy_web2text.labelers.shallow.rules import SHALLOW_NAMES
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

# Mean and median token F1 in percent, from figures 2a and 2b. The filters were fitted to the means.
CLEANEVAL_2010 = {
    "bte": (91.11, 97.41),
    "shallow:min-words": (90.08, 95.52),
    "shallow:numwords": (89.86, 97.18),
    "shallow:all": (89.24, 95.11),
    "shallow:numwords+main-content": (79.80, 94.91),
    "shallow:density+main-content": (77.76, 93.34),
    "shallow:density+largest": (68.30, 79.81),
    "shallow:numwords+largest": (67.81, 76.89),
}
GOOGLENEWS_2010 = {
    "shallow:numwords+main-content": (95.93, 98.66),
    "shallow:density+main-content": (95.62, 98.49),
    "shallow:numwords+largest": (92.17, 97.65),
    "shallow:density+largest": (92.08, 97.62),
    "shallow:numwords": (91.08, 95.87),
    "shallow:density": (90.61, 95.56),
    "bte": (89.29, 96.28),
    "shallow:min-words": (80.78, 85.10),
    "shallow:all": (68.30, 70.60),
}


@dataclass(frozen=True)
class PageSet:
    """A set of pages, and the figures of the paper.

    :param paper: mean and median token F1 in percent, by rule.
    :param split: split and part of CleanEval; None for all pages.
    """

    title: str
    corpus: str
    paper: dict[str, tuple[float, float]]
    split: tuple[str, str] | None = None


SETS = (
    PageSet("CleanEval, 676 test pages", "cleaneval", CLEANEVAL_2010, ("original", "test")),
    PageSet("L3S-GN1, 610 pages", "seeds/l3s_gn1", GOOGLENEWS_2010),
)


class TextScores(NamedTuple):
    """The word F1 of a rule on each page, in percent, by the name of the clean texts."""

    name: str
    pages: dict[str, list[float]]

    @property
    def means(self) -> dict[str, float]:
        """The means over the pages."""
        return {title: mean(scores) for title, scores in self.pages.items()}

    @property
    def medians(self) -> dict[str, float]:
        """The medians over the pages."""
        return {title: median(scores) for title, scores in self.pages.items()}


# The clean text of figure 2a.
TEST_PAGES = "676 test pages"


def score_test_pages(data: Path) -> list[TextScores]:
    """Return the word F1 of the rules of figure 2a on the test pages, which are the paper's and one more."""
    ids = read_split(data / "splits" / "cleaneval.json", "original", "test")
    rules = {name: get_labeler(name) for name in CLEANEVAL_2010}
    reports = evaluate_all(rules, open_corpus("cleaneval", data).pages(ids))
    return [TextScores(each.name, {TEST_PAGES: [100 * page.words.f1 for page in each.pages]}) for each in reports]


def read_densities(data: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the text density and the number of words of each of the n blocks of all pages. *Shapes:* ``(n,)`` each"""
    densities, words = [], []
    for source in open_corpus("cleaneval", data).pages():
        page = tree_to_page(to_tree(source.html))
        measures = shallow_blocks(page, segment(page, SHALLOW_BLOCKS), with_text_density=True)
        assert measures.text_density is not None
        densities.append(measures.text_density)
        words.append(measures.n_words)
    return np.concatenate(densities), np.concatenate(words).astype(np.float64)


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument(
        "--model", action="append", default=[], help="further models for L3S-GN1, such as web2text-2026"
    )
    args = parser.parse_args()
    for page_set in SETS:
        rules = [*SHALLOW_NAMES, "bte"]
        names = [*rules, "web2text-2018", *args.model]
        if page_set.split is not None:
            names = [name for name in rules if name in page_set.paper]
        try:
            corpus = open_corpus(page_set.corpus, args.data)
            ids = page_set.split and read_split(args.data / "splits" / "cleaneval.json", *page_set.split)
        except (OSError, ValueError) as error:
            print(f"Skipping {page_set.title}: {error}", file=sys.stderr)
            continue
        print_table(page_set, evaluate_leaves({name: get_labeler(name) for name in names}, corpus.pages(ids)))


def print_table(page_set: PageSet, reports: list[LeafReport]) -> None:
    header = ["", "mean", "paper", "difference", "median", "paper", "difference"]
    if page_set.split is None:
        header += ["accuracy", "precision", "recall", "F1"]
    rows = []
    for report in reports:
        blocks, token_f1 = report.blocks, [page.words.f1 for page in report.pages]
        row = [f"`{report.name}`"]
        paper = page_set.paper.get(report.name, (None, None))
        for ours, theirs in zip((100 * mean(token_f1), 100 * median(token_f1)), paper, strict=True):
            row += [f"{ours:.2f}", *(["", ""] if theirs is None else [f"{theirs:.2f}", f"{ours - theirs:+.2f}"])]
        if page_set.split is None:
            row += [f"{score:.3f}" for score in (blocks.accuracy, blocks.precision, blocks.recall, blocks.f1)]
        rows.append(row)
    print(f"\n### {page_set.title}\n")
    for row in (header, ["---", *["---:"] * (len(header) - 1)], *rows):
        print("| " + " | ".join(row) + " |")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
