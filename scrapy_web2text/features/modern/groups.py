"""Columns of the group of a block: the blocks in the same place of the page's template, and how much text they have.

Cards of a list, comments and rows of a table fill the same place again and again.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import AnyArray
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.table import Rows, Table, log, log1p, ratio, value

__all__ = ["GROUPS"]


_COLUMNS: Final = (
    log("{}.log_size", "size", scale=3, why="20 blocks give 1"),
    log1p("{}.mean_words", "mean_words", scale=3, why="19 words give 1"),
    ratio("{}.word_share", "group_words", "page_words"),
    ratio("{}.link_density", "group_linked", "group_words"),
    ratio("{}.long_share", "group_long", "group_words"),
    value("{}.rank", "rank"),
    value("{}.spread", "spread"),
)


def _measure(context: Context, rows: Rows) -> None:
    """Measure the groups by tags, and those by tags and classes."""
    n, counts = context.n_blocks, context.counts
    # Both kinds of groups are numbered together, one kind after the other.
    first, second = context.groups
    groups = np.concatenate([first, second + (first.max() + 1)])
    sizes = np.bincount(groups)
    order = groups.argsort(kind="stable")
    starts = sizes.cumsum() - sizes
    extents = order[starts + sizes - 1] - order[starts]
    ranks = np.empty(2 * n, dtype=np.int64)
    ranks[order] = np.arange(2 * n) - starts.repeat(sizes)

    def by_block(values: AnyArray) -> AnyArray:
        found: AnyArray = values[groups].reshape(2, n)
        return found

    words, linked, long = (
        np.bincount(groups, np.concatenate([each, each]))
        for each in (counts.words, counts.linked_words, counts.long_words)
    )
    rows["size"] = by_block(sizes)
    rows["mean_words"] = by_block(words / sizes)
    rows["page_words"] = context.words_before[-1]
    rows["group_words"] = by_block(words)
    rows["group_linked"] = by_block(linked)
    rows["group_long"] = by_block(long)
    rows["rank"] = (ranks / sizes[groups]).reshape(2, n)
    rows["spread"] = by_block(extents / n)


GROUPS: Final = Table("groups", _measure, _COLUMNS, variants=("tags", "classes"))
