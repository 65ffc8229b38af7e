"""Counts of a page's blocks: words and characters of several kinds, words in links and in bold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.texts import TEXT_COUNTS
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

__all__ = ["COUNT_NAMES", "BlockCounts", "count_blocks"]

COUNT_NAMES: Final = (*TEXT_COUNTS, "linked_words", "bold_words", "long_words")
_LONG_BLOCK: Final = 15  # words
_WORDS: Final = TEXT_COUNTS.index("words")
_INSIDE: Final = (("a",), ("b", "strong", "em", "i"))  # elements whose words are counted


@dataclass(frozen=True, slots=True, eq=False)
class BlockCounts:
    """Counts of n blocks; each of *Shape:* ``(n,)``.

    :param table: all counts, in the order of `COUNT_NAMES`. *Shape:* ``(15, n)``
    :param copyrights: number of ``©``; `bars` is for ``|``, and `ats` for ``@``.
    :param long_words: the words of blocks that are long, have a full stop and lie mostly outside links.
    """

    table: DoubleArray
    chars: DoubleArray
    words: DoubleArray
    letters: DoubleArray
    upper: DoubleArray
    digits: DoubleArray
    marks: DoubleArray
    commas: DoubleArray
    full_stops: DoubleArray
    currency: DoubleArray
    copyrights: DoubleArray
    bars: DoubleArray
    ats: DoubleArray
    linked_words: DoubleArray
    bold_words: DoubleArray
    long_words: DoubleArray


def count_blocks(page: Page, blocks: BlockSequence, counts: IntArray) -> BlockCounts:
    """Return the counts of *blocks*.

    :param counts: those of the blocks' leaves, see `TextReading`. *Shape:* ``(k, 12)``
    """
    check_time()
    k, n = len(blocks.leaves), blocks.n_blocks
    by_leaf = np.empty((len(TEXT_COUNTS) + len(_INSIDE), k), dtype=np.int64)
    by_leaf[: len(TEXT_COUNTS)] = counts.T
    for row, tags in zip(by_leaf[len(TEXT_COUNTS) :], _INSIDE, strict=True):
        np.multiply(counts[:, _WORDS], page.is_inside(tags, blocks.leaves), out=row)
    table = np.empty((len(COUNT_NAMES), n))
    table[:-1] = np.add.reduceat(by_leaf, blocks.starts, axis=1)
    found = BlockCounts(table, *table)
    is_long = (found.words >= _LONG_BLOCK) & (found.full_stops > 0) & (found.linked_words < found.words / 2)
    np.multiply(found.words, is_long, out=found.long_words)
    return found
