"""Reproduce tables, figures and section 5 of Kohlschütter et al. 2010 on its news corpus, L3S-GN1.

    python -m research.kohlschuetter --data DIR                  # extra train; ten minutes on one core
    python -m research.kohlschuetter --data DIR --charts docs    # the charts instead, in a minute

In Table 2, blocks are weighted by their words. Precision, recall, F1, false positive rate and area under the curve are
means over the classes, weighted by their words, as in Weka. The figures of the paper are in parentheses; the 95 %
interval of F1 is that of a bootstrap over pages.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from benchmarks.formats import format_table
from research.commands import make_parser
from research.kohlschuetter.charts import (
    GOLDS,
    WITH_COMMENTS,
    draw_classes,
    draw_corpora,
    draw_densities,
    draw_gains,
    draw_lengths,
    draw_ranks,
    draw_scores,
)
from research.kohlschuetter.classes import CONTENT, TextClass, read_pages
from research.kohlschuetter.classifiers import MEASURES, ROWS, Row
from research.kohlschuetter.features import FLOW, FREQUENCY, LOCAL, POSITIONS, NewsBlocks, load_blocks, name_columns
from research.kohlschuetter.information_gain import Gain, information_gain
from research.kohlschuetter.random_writer import describe_blocks
from research.kohlschuetter.rules import GOOGLENEWS_2010, TEST_PAGES, TextScores, read_densities, score_test_pages
from scrapy_web2text.content.content import select_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.evaluation.scores import N_SAMPLES, interval, word_scores
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

Labels = NDArray[np.int64]
Values = NDArray[np.float64]

# Percent of blocks, words and tokens, from Table 1; the rows of the last two are exchanged (see TextClass).
PAPER_SHARES = {
    TextClass.BOILERPLATE: (79, 35, 46),
    TextClass.HEADLINE: (1, 1, 1),
    TextClass.FULL_TEXT: (12, 51, 42),
    TextClass.SUPPLEMENTAL: (3, 3, 2),
    TextClass.RELATED: (1, 1, 1),
    TextClass.COMMENTS: (4, 9, 8),
}
PAPER_TOTALS = (72662, 520483, 644021)
# Per-feature information gain that Figure 1 prints, by the number of classes.
PAPER_GAINS = {
    2: {"text density quotient": 0.508, "number of words quotient": 0.585},
    4: {"text density quotient": 0.626, "number of words quotient": 0.746},
}
_WITHOUT = tuple(each for each in CONTENT if each != TextClass.COMMENTS)
# The classes of the two problems; in the second, comments are full text.
_FOUR = {TextClass.FULL_TEXT: 1, TextClass.COMMENTS: 1, TextClass.HEADLINE: 2, TextClass.SUPPLEMENTAL: 3}


def main() -> None:
    """Print the tables, or write the charts."""
    parser = make_parser(__doc__, "python -m research.kohlschuetter")
    parser.add_argument("--charts", type=Path, metavar="FOLDER", help="write the charts there; print no tables")
    args = parser.parse_args()
    data: Path = args.data
    blocks = load_blocks(data)
    if args.charts:
        for name, chart in draw_charts(blocks, data).items():
            (args.charts / f"{name}.svg").write_text(chart, encoding="utf-8")
        return
    print_shares(blocks)
    for n_classes, title in {2: "two", 4: "four"}.items():
        print(f"\n### Table 2: {title} classes\n\n{score_rows(blocks, n_classes)}", flush=True)
        print(f"\n### Figure 1: {title} classes\n\n{format_gains(rank_features(blocks, n_classes))}", flush=True)
    print(f"\n### Section 5\n\n{describe_blocks(blocks)}")
    print(f"\n### Figure 2b\n\n{format_texts(score_texts(data))}")


def draw_charts(blocks: NewsBlocks, data: Path) -> dict[str, str]:
    """Return the charts of docs/papers.md as SVG, by name."""
    scores = score_texts(data)
    corpora = {"CleanEval": read_densities(data), "L3S-GN1": (blocks.columns["text density"], blocks.words)}
    return {
        "information-gain": draw_gains(rank_features(blocks, 2)),
        "ranked-cleaneval": draw_ranks(score_test_pages(data), TEST_PAGES),
        "ranked-news": draw_ranks(scores, GOLDS[1]),
        "comments": draw_scores(scores),
        "corpus-densities": draw_corpora(corpora),
        "class-lengths": draw_classes(blocks),
        "block-lengths": draw_lengths(blocks),
        "text-density": draw_densities(blocks),
    }


def label(classes: Labels, n_classes: int) -> Labels:
    """Return the classes of a problem: 0 for boilerplate, which related content is, too. *Shape:* ``(n,)``"""
    if n_classes == 2:
        return np.isin(classes, CONTENT).astype(np.int64)
    return np.array([_FOUR.get(TextClass(value), 0) for value in range(len(TextClass))])[classes]


def print_shares(blocks: NewsBlocks) -> None:
    """Print Table 1 of the paper."""
    columns = (np.ones(len(blocks.classes)), blocks.words, blocks.tokens)
    names = ("blocks", "words", "tokens")
    rows = []
    for text_class, paper in PAPER_SHARES.items():
        shares = [100 * column[blocks.classes == text_class].sum() / column.sum() for column in columns]
        cells = [f"{share:.1f} ({theirs})" for share, theirs in zip(shares, paper, strict=True)]
        rows.append([text_class.name.lower(), *cells])
    totals = zip(columns, PAPER_TOTALS, strict=True)
    rows.append(["all", *(f"{column.sum():,.0f} ({paper:,})" for column, paper in totals)])
    print(f"### Table 1, percent\n\n{format_table(['', *names], rows)}", flush=True)


def score_rows(blocks: NewsBlocks, n_classes: int, table: Sequence[Row] = ROWS) -> str:
    """Return Table 2 for a problem of *n_classes* as Markdown."""
    rows = []
    for row in table:
        print(row.name, file=sys.stderr, flush=True)
        labels = label(blocks.classes, n_classes)
        answer = row.classify(blocks, labels)
        counts = count_words(answer.classes, labels, blocks, n_classes)
        ours = [*(100 * class_means(counts.sum(axis=0))), 100 * area_under_curve(answer.shares, labels, blocks.words)]
        rows.append(
            [row.name, str(row.n_columns), *format_scores([*ours, answer.n_leaves], row, n_classes, f1_margin(counts))]
        )
    return format_table(["", "features", *MEASURES], rows)


def format_scores(ours: Sequence[float | None], row: Row, n_classes: int, margin: float) -> list[str]:
    """Return the cells of a row, with the figures of the paper in parentheses."""
    cells = []
    for name, value, paper in zip(MEASURES, ours, row.two if n_classes == 2 else row.four, strict=True):
        digits = 0 if name == "leaves" else 1
        own = "" if value is None else f"{value:.{digits}f}" + (f" ±{margin:.1f}" if name == "F1" else "")
        cells.append(own + ("" if paper is None else f" ({paper:.{digits}f})"))
    return cells


def count_words(answers: Labels, labels: Labels, blocks: NewsBlocks, n_classes: int) -> Values:
    """Return the words of each page by label and answer. *Shape:* ``(pages, n_classes, n_classes)``"""
    counts = np.zeros((blocks.pages.max() + 1, n_classes, n_classes))
    np.add.at(counts, (blocks.pages, labels, answers), blocks.words)
    return counts


def class_means(counts: Values) -> Values:
    """Return precision, recall, F1 and false positive rate, means over the classes weighted by their words.

    *Shapes:* ``(…, n_classes, n_classes)`` by label and answer -> ``(…, 4)``
    """
    expected, found = counts.sum(axis=-1), counts.sum(axis=-2)
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    total = expected.sum(axis=-1, keepdims=True)

    def divide(part: Values, whole: Values) -> Values:
        return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)

    by_class = np.stack(
        [
            divide(right, found),
            divide(right, expected),
            divide(2 * right, expected + found),
            divide(found - right, total - expected),
        ],
        axis=-1,
    )
    return (by_class * (expected / total)[..., None]).sum(axis=-2)


def area_under_curve(shares: Values, labels: Labels, weights: Values) -> float:
    """Return the mean area under the curves of each class against all others, weighted by their words."""
    areas = [roc_auc_score(labels == i, shares[:, i], sample_weight=weights) for i in range(shares.shape[1])]
    return float(np.average(areas, weights=[weights[labels == i].sum() for i in range(shares.shape[1])]))


def f1_margin(counts: Values) -> float:
    """Return half the width of the 95 % interval of F1 in percent, by a bootstrap over pages."""
    n = len(counts)
    samples = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=N_SAMPLES)
    low, high = interval(class_means(np.tensordot(samples, counts, axes=1))[:, 2:3])[:, 0]
    return float(50 * (high - low))


def rank_features(blocks: NewsBlocks, n_classes: int) -> list[Gain]:
    """Return the features with the most information about the class, and those that the paper has.

    The gain depends on the intervals, and these on what counts as an instance: a word, as in all scores, or a block.
    """
    labels = label(blocks.classes, n_classes)
    names = [*name_columns(LOCAL, "PCN"), *name_columns((*POSITIONS, *FLOW)), *name_columns((FREQUENCY,), "PCN")]
    by_words = {name: information_gain(blocks.select([name])[:, 0], labels, blocks.words) for name in names}
    papers = PAPER_GAINS[n_classes]
    ranked = sorted(names, key=lambda name: -by_words[name][0])
    shown = [*ranked[:12], *(name for name in ranked[12:] if name[:-4] in (*papers, POSITIONS[0]))]
    by_blocks = {name: information_gain(blocks.select([name])[:, 0], labels, np.ones(len(labels))) for name in shown}
    return [Gain(name, by_words[name], by_blocks[name], papers.get(name[:-4])) for name in shown]


def format_gains(gains: Sequence[Gain]) -> str:
    """Return the table of Figure 1 as Markdown."""
    rows = []
    for gain in gains:
        cells = [
            cell
            for bits, n_intervals in (gain.by_words, gain.by_blocks)
            for cell in (f"{bits:.3f}", f"{n_intervals:,}")
        ]
        rows.append([gain.name, *cells, "" if gain.paper is None else f"{gain.paper:.3f}"])
    return format_table(["", "bits by words", "intervals", "bits by blocks", "intervals", "paper"], rows)


def score_texts(data: Path) -> list[TextScores]:
    """Return the word F1 of the rules with readers' comments as content and without."""
    golds = {title: CONTENT if title == WITH_COMMENTS else _WITHOUT for title in GOLDS}
    rules = {name: get_labeler(name) for name in GOOGLENEWS_2010}
    scores: dict[str, dict[str, list[float]]] = {name: {title: [] for title in golds} for name in rules}
    for source in read_pages(data):
        answers = {name: rule.label(source.page) for name, rule in rules.items()}
        texts = {name: extract_text(source.page, answer.blocks, answer.labels) for name, answer in answers.items()}
        for title, classes in golds.items():
            gold = extract_text(source.page, source.blocks, np.isin(source.classes, classes).astype(np.int64))
            for name, text in texts.items():
                scores[name][title].append(100 * word_scores(text, gold).f1)
    return [TextScores(name, found) for name, found in scores.items()]


def format_texts(scores: Sequence[TextScores]) -> str:
    """Return figure 2b as Markdown: mean and median over the pages."""
    rows = []
    for each in scores:
        middles = zip((each.means, each.medians), GOOGLENEWS_2010[each.name], strict=True)
        cells = [f"{value:.2f}" for found, paper in middles for value in (*found.values(), paper)]
        rows.append([f"`{each.name}`", *cells])
    header = [f"{middle}, {title}" for middle in ("mean", "median") for title in (*GOLDS, "paper")]
    return format_table(["", *header], rows)


def extract_text(page: Page, blocks: BlockSequence, labels: Labels) -> str:
    """Return the text of the blocks that are content."""
    return content_text(select_content(page, blocks, labels))


if __name__ == "__main__":
    main()
