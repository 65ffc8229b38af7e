"""Measure the blocks of SemText: how many they are with ids and without, and F1 over them beside F1 over leaves.

    python benchmarks/semtext_blocks.py --data DIR [--model models/semtext]    # extra train for a model

The paper compares the classes of neighboring elements, and says that ids may be added to them. Blocks "are treated
equally with the same weight" in its tables; those of this project are over leaves, which all systems share.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from timing import format_table

from scrapy_web2text.alignment.characters import align_leaves, counts_to_labels, leaf_counts_to_labels
from scrapy_web2text.evaluation import LabeledPage, open_corpus, read_split
from scrapy_web2text.evaluation.scores import BlockScores, confusion_counts
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.research.segments import search_and_combine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_web2text.labelers.base import Labeler

# Corpora by their titles: name, file of the split, split and part.
CORPORA = {
    "CleanEval, 148 test pages": ("cleaneval", "cleaneval.json", "web2text", "test"),
    "WCXB, 218 val pages": ("wcxb", "wcxb-dev.json", None, "val"),
    "GoogleTrends-2017, 180 pages": ("seeds/google_trends", None, None, ""),
}


@dataclass(frozen=True, eq=False)
class PageCounts:
    """What is counted on one page.

    :param sizes: numbers of leaves, of blocks with ids and of blocks without. *Shape:* ``(3,)``
    :param confusions: of leaves with the best label for each block, of the blocks of a model, and of its leaves; in the
        order of `COUNT_NAMES`. *Shape:* ``(3, 4)``
    """

    sizes: NDArray[np.int64]
    confusions: NDArray[np.int64]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", required=True, type=Path, metavar="DIR")
    parser.add_argument("--model", help="a folder of the kind semtext")
    args = parser.parse_args()
    labeler = args.model and get_labeler(args.model)
    header = ["", "leaves", "blocks", "without ids", "best leaf F1", "block F1", "leaf F1"]
    rows = []
    for title, (name, file, split, part) in CORPORA.items():
        ids = file and read_split(args.data / "splits" / file, split, part)
        counts = [count_page(page, labeler) for page in open_corpus(name, args.data).pages(ids or None)]
        rows.append([title, *format_counts(counts, has_model=labeler is not None)])
    print(format_table(header, rows))


def count_page(source: LabeledPage, labeler: Labeler | None) -> PageCounts:
    """Return the counts of one page; those of a model are 0 without one."""
    page = tree_to_page(to_tree(source.html))
    blocks = search_and_combine(page)
    sizes = [len(blocks.leaves), blocks.n_blocks, search_and_combine(page, with_ids=False).n_blocks]
    counts = align_leaves(page.texts, source.text)
    leaf_labels = counts_to_labels(*counts)[blocks.leaves]
    n_content = np.bincount(blocks.leaf_blocks, weights=leaf_labels, minlength=blocks.n_blocks)
    majority = (2 * n_content > blocks.ends - blocks.starts).astype(np.int64)
    confusions = np.zeros((3, 4), dtype=np.int64)
    confusions[0] = confusion_counts(majority[blocks.leaf_blocks], leaf_labels)
    if labeler is not None:
        found = labeler.label(page).labels
        confusions[1] = confusion_counts(found, leaf_counts_to_labels(blocks, *counts))
        confusions[2] = confusion_counts(found[blocks.leaf_blocks], leaf_labels)
    return PageCounts(np.array(sizes), confusions)


def format_counts(counts: Sequence[PageCounts], *, has_model: bool) -> list[str]:
    """Return the numbers and the F1 of all pages together."""
    sizes = np.sum([page.sizes for page in counts], axis=0)
    scores = [BlockScores.of(each).f1 for each in np.sum([page.confusions for page in counts], axis=0)]
    return [*(f"{size:,}" for size in sizes), *(f"{score:.3f}" for score in scores[: 3 if has_model else 1])] + [
        "" for _ in range(0 if has_model else 2)
    ]


if __name__ == "__main__":
    main()
