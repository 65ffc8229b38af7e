"""Columns of the group of a block: the blocks in the same place of the page's template, and how much text they have.

Cards of a list, comments and rows of a table fill the same place again and again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.features.columns import Feature
from scrapy_web2text.features.modern.context import Context, share
from scrapy_web2text.features.modern.table import Table

__all__ = ["GROUPS"]


@dataclass(frozen=True, slots=True, eq=False)
class GroupMeasures:
    """Measures of the groups of n blocks, by tags and by tags and classes; each array of *Shape:* ``(2, n)``.

    :param n_blocks: number of blocks of the page, and `n_words` of its words.
    :param size: number of blocks in the group.
    :param words: number of their words; of those in links, and in long blocks.
    :param rank: number of earlier blocks in the group.
    :param extent: number of blocks of the page from the first in the group to the last.
    """

    n_blocks: int
    n_words: float
    size: IntArray
    words: DoubleArray
    linked_words: DoubleArray
    long_words: DoubleArray
    rank: IntArray
    extent: IntArray


_FEATURES: Final[tuple[Feature[GroupMeasures], ...]] = (
    Feature("{}.log_size", lambda m: np.log(m.size), scale=3, why="20 blocks give 1"),
    Feature("{}.mean_words", lambda m: np.log1p(m.words / m.size), scale=3, why="19 words give 1"),
    Feature("{}.word_share", lambda m: share(m.words, m.n_words)),
    Feature("{}.link_density", lambda m: share(m.linked_words, m.words)),
    Feature("{}.long_share", lambda m: share(m.long_words, m.words)),
    Feature("{}.rank", lambda m: m.rank / m.size),
    Feature("{}.spread", lambda m: m.extent / m.n_blocks),
)


def _measure(context: Context) -> GroupMeasures:
    n, counts = context.n_blocks, context.counts
    integers = np.empty((3, *context.groups.shape), dtype=np.int64)
    words = np.empty((3, *context.groups.shape))
    for variant, groups in enumerate(context.groups):
        sizes = np.bincount(groups)
        order = np.argsort(groups, kind="stable")
        starts = np.cumsum(sizes) - sizes
        extents = order[starts + sizes - 1] - order[starts]
        integers[:2, variant] = np.stack([sizes, extents])[:, groups]
        integers[2, variant, order] = np.arange(n) - np.repeat(starts, sizes)
        for row, weights in zip(words[:, variant], (counts.words, counts.linked_words, counts.long_words), strict=True):
            row[:] = np.bincount(groups, weights)[groups]
    return GroupMeasures(
        n_blocks=n,
        n_words=float(context.words_before[-1]),
        size=integers[0],
        words=words[0],
        linked_words=words[1],
        long_words=words[2],
        rank=integers[2],
        extent=integers[1],
    )


GROUPS: Final = Table(_measure, _FEATURES, variants=("tags", "classes"))
