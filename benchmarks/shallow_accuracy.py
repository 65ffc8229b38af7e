"""Reproduce the rows with few features of Table 2 of Kohlschütter et al. 2010, on the news corpus L3S-GN1.

    python benchmarks/shallow_accuracy.py --data DIR    # extra train; a minute on one core

Blocks are content or not (the two-class problem of the paper), weighted by their words. Precision and F1 are means over
both classes, weighted by their words, as in Weka; so recall is the share of correctly labeled words. The trees are
fitted by scikit-learn's CART instead of Weka's C4.8, in ten folds of whole pages.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import precision_recall_fscore_support
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from scrapy_web2text.alignment.characters import align_page
from scrapy_web2text.evaluation import open_corpus
from scrapy_web2text.labelers.shallow.measures import shallow_blocks
from scrapy_web2text.labelers.shallow.trees import TREES
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.corpus_facts import CORPORA, read_comments

if TYPE_CHECKING:
    from numpy.typing import NDArray

CORPUS = "seeds/l3s_gn1"
N_FOLDS = 10
# Words of the smallest leaf of a fitted tree: "only consider leaves matching at least 1000 instances".
LEAST_LEAF = 1000
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
    """All blocks of the corpus; the columns belong to the previous, this and the next block. *Shapes:* ``(n, 3)``"""

    words: NDArray[np.int64]
    link_density: NDArray[np.float64]
    text_density: NDArray[np.float64]
    by_tree: dict[str, NDArray[np.int64]]
    labels: NDArray[np.int64]
    pages: NDArray[np.int64]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, metavar="DIR")
    blocks = load_blocks(parser.parse_args().data)
    weights = blocks.words[:, 1]
    share = weights[blocks.labels == 1].sum() / weights.sum()
    print(f"{len(weights)} blocks, {blocks.labels.mean():.1%} content; {weights.sum()} words, {share:.1%} content")
    print("paper: 72662 blocks, 21 % content; 520483 words, 63.8 % content\n")
    print("In brackets the paper's:              precision       recall          F1")
    for name, answers in answer_all(blocks).items():
        scores = precision_recall_fscore_support(
            blocks.labels, answers, sample_weight=weights, average="weighted", zero_division=0
        )[:3]
        cells = [f"{100 * score:.1f} ({paper})" for score, paper in zip(scores, PAPER[name], strict=True)]
        print(f"{name:<36}  " + "".join(f"{cell:<16}" for cell in cells).rstrip())


def load_blocks(data: Path) -> Blocks:
    """Return the blocks of all pages of the corpus; readers' comments are content, as in the paper."""
    parts = []
    for number, source in enumerate(open_corpus(CORPUS, data).pages()):
        page = tree_to_page(to_tree(source.html))
        blocks = segment(page, SHALLOW_BLOCKS)
        measures = shallow_blocks(page, blocks, with_text_density=True)
        clean = f"{source.text}\n{read_comments(data, CORPORA[CORPUS], source.id)}"
        values = (measures.n_words, measures.link_density, measures.text_density)
        trees = [TREES[name].labels[TREES[name].find_leaves(measures)] for name in ("numwords", "density")]
        numbers = np.full(blocks.n_blocks, number)
        parts.append((*map(with_neighbors, values), *trees, align_page(page, blocks, clean), numbers))
    words, links, densities, numwords, density, labels, pages = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    return Blocks(words, links, densities, {"numwords": numwords, "density": density}, labels, pages)


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
