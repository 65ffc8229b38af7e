"""Reproduce Table 1, and the rows with few features of Table 2, of Kohlschütter et al. 2010 on the news corpus L3S-GN1.

    python benchmarks/shallow_accuracy.py --data DIR    # extra train; a minute on one core

In Table 2, blocks are content or not (the two-class problem of the paper), weighted by their words. Precision and F1
are means over both classes, weighted by their words, as in Weka; so recall is the share of correctly labeled words. The
trees are fitted by scikit-learn's CART instead of Weka's C4.8, in ten folds of whole pages.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from news_classes import TextClass, read_pages
from sklearn.metrics import precision_recall_fscore_support
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from scrapy_web2text.features.texts import count_between_spaces
from scrapy_web2text.labelers.shallow.measures import shallow_blocks
from scrapy_web2text.labelers.shallow.trees import TREES

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_FOLDS = 10
# Words of the smallest leaf of a fitted tree: "only consider leaves matching at least 1000 instances".
LEAST_LEAF = 1000
# Comments are content, as in the paper; related content is not, without which ZeroR would not have the paper's recall.
CONTENT = (TextClass.HEADLINE, TextClass.FULL_TEXT, TextClass.SUPPLEMENTAL, TextClass.COMMENTS)
# Percent of blocks, words and tokens, from Table 1; the rows of the last two are exchanged (see TextClass).
PAPER_SHARES = {
    TextClass.BOILERPLATE: (79, 35, 46),
    TextClass.HEADLINE: (1, 1, 1),
    TextClass.FULL_TEXT: (12, 51, 42),
    TextClass.SUPPLEMENTAL: (3, 3, 2),
    TextClass.RELATED: (1, 1, 1),
    TextClass.COMMENTS: (4, 9, 8),
}
# Precision, recall and F1 in percent, by the name of the row.
PAPER = {
    "ZeroR, all content": (40.7, 63.8, 49.7),
    "number of words @15": (86.7, 86.7, 86.7),
    "link density @0.33": (88.5, 87.8, 87.4),
    "text density @10.5": (87.8, 87.9, 87.9),
    "tree, link density (P/C/N)": (91.1, 91.1, 91.0),
    "tree, number of words (P/C/N)": (91.1, 90.8, 90.9),
    "NumWords + LinkDensity, simplified": (92.2, 92.2, 92.2),
    "Text + LinkDensity, simplified": (92.4, 92.4, 92.4),
    "tree, text + link density (P/C/N)": (93.9, 93.8, 93.9),
}


@dataclass(frozen=True, eq=False)
class Blocks:
    """All n blocks of the corpus.

    :param words: of the previous, this and the next block, like the two densities. *Shape:* ``(n, 3)``
    :param by_tree: answers of the simplified trees of the paper.
    :param tokens: number of tokens, words or not. *Shape:* ``(n,)``
    :param classes: values of `TextClass`. *Shape:* ``(n,)``
    :param pages: number of the page. *Shape:* ``(n,)``
    """

    words: NDArray[np.int64]
    link_density: NDArray[np.float64]
    text_density: NDArray[np.float64]
    by_tree: dict[str, NDArray[np.int64]]
    tokens: NDArray[np.int64]
    classes: NDArray[np.int64]
    pages: NDArray[np.int64]

    @property
    def labels(self) -> NDArray[np.int64]:
        """1 for content, 0 for boilerplate. *Shape:* ``(n,)``"""
        return np.isin(self.classes, CONTENT).astype(np.int64)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, metavar="DIR")
    blocks = load_blocks(parser.parse_args().data)
    weights = blocks.words[:, 1]
    print_shares(blocks)
    print("In brackets the paper's:              precision       recall          F1")
    for name, answers in answer_all(blocks).items():
        scores = precision_recall_fscore_support(
            blocks.labels, answers, sample_weight=weights, average="weighted", zero_division=0
        )[:3]
        cells = [f"{100 * score:.1f} ({paper})" for score, paper in zip(scores, PAPER[name], strict=True)]
        print(f"{name:<36}  " + "".join(f"{cell:<16}" for cell in cells).rstrip())


def print_shares(blocks: Blocks) -> None:
    """Print Table 1 of the paper."""
    columns = (np.ones(len(blocks.classes)), blocks.words[:, 1], blocks.tokens)
    totals = ", ".join(f"{column.sum():.0f}" for column in columns)
    print(f"Blocks, words, tokens: {totals} (72662, 520483, 644021)\n")
    print("Percent, in brackets the paper's:     blocks          words           tokens")
    for text_class, paper in PAPER_SHARES.items():
        shares = [100 * column[blocks.classes == text_class].sum() / column.sum() for column in columns]
        cells = [f"{share:.1f} ({theirs})" for share, theirs in zip(shares, paper, strict=True)]
        print(f"{text_class.name.lower():<36}  " + "".join(f"{cell:<16}" for cell in cells).rstrip())
    print()


def load_blocks(data: Path) -> Blocks:
    """Return the blocks of all pages of the corpus."""
    parts = []
    for number, source in enumerate(read_pages(data)):
        page, blocks = source.page, source.blocks
        measures = shallow_blocks(page, blocks, with_text_density=True)
        values = (measures.n_words, measures.link_density, measures.text_density)
        trees = [TREES[name].labels[TREES[name].find_leaves(measures)] for name in ("numwords", "density")]
        tokens = blocks.sum_leaves(count_between_spaces(page.texts)[0])
        numbers = np.full(blocks.n_blocks, number)
        parts.append((*map(with_neighbors, values), *trees, tokens, source.classes, numbers))
    words, links, densities, numwords, density, tokens, classes, pages = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    return Blocks(words, links, densities, {"numwords": numwords, "density": density}, tokens, classes, pages)


def with_neighbors(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return each value between those of its neighbors, 0 beyond both ends. *Shapes:* ``(n,)`` -> ``(n, 3)``"""
    padded = np.pad(values, 1)
    return np.stack([padded[:-2], values, padded[2:]], axis=1)


def answer_all(blocks: Blocks) -> dict[str, NDArray[np.int64]]:
    """Return the answers of each row of the table."""
    both = np.concatenate([blocks.text_density, blocks.link_density], axis=1)
    answers = {
        "ZeroR, all content": np.ones(len(blocks.labels)),
        "number of words @15": blocks.words[:, 1] > 15,
        "link density @0.33": blocks.link_density[:, 1] <= 1 / 3,
        "text density @10.5": blocks.text_density[:, 1] > 10.5,
        "tree, link density (P/C/N)": learn(blocks, blocks.link_density),
        "tree, number of words (P/C/N)": learn(blocks, blocks.words),
        "NumWords + LinkDensity, simplified": blocks.by_tree["numwords"],
        "Text + LinkDensity, simplified": blocks.by_tree["density"],
        "tree, text + link density (P/C/N)": learn(blocks, both),
    }
    return {name: answer.astype(np.int64) for name, answer in answers.items()}


def learn(blocks: Blocks, columns: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return the answers of trees for pages that they were not fitted to."""
    weights = blocks.words[:, 1]
    tree = DecisionTreeClassifier(
        criterion="entropy", min_weight_fraction_leaf=LEAST_LEAF / weights.sum(), random_state=0
    )
    folds = GroupKFold(N_FOLDS, shuffle=True, random_state=0)
    return cross_val_predict(
        tree, columns, blocks.labels, groups=blocks.pages, cv=folds, params={"sample_weight": weights}
    )


if __name__ == "__main__":
    main()
