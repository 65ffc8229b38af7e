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

__all__ = ["BlockCounts", "count_blocks"]


_LONG_BLOCK: Final = 15  # words
_WORDS: Final = TEXT_COUNTS.index("words")
_INSIDE: Final = (("a",), ("b", "strong", "em", "i"))  # elements whose words are counted


@dataclass(frozen=True, slots=True, eq=False)
class BlockCounts:
    """Counts of n blocks, or sums of them over n nodes; each of *Shape:* ``(n,)``.

    :param copyrights: number of ``©``; `bars` is for ``|``, and `ats` for ``@``.
    :param long_words: the words of blocks that are long, have a full stop and lie mostly outside links.
    """

    chars: DoubleArray
    words: DoubleArray
    linked_words: DoubleArray
    bold_words: DoubleArray
    letters: DoubleArray
    upper: DoubleArray
    digits: DoubleArray
    marks: DoubleArray
    commas: DoubleArray
    full_stops: DoubleArray
    currency: DoubleArray
    long_words: DoubleArray
    copyrights: DoubleArray
    bars: DoubleArray
    ats: DoubleArray

    def stack(self) -> DoubleArray:
        """Return all counts in the order of the fields. *Shape:* ``(15, n)``"""
        return np.stack([getattr(self, name) for name in self.__slots__])


def count_blocks(page: Page, blocks: BlockSequence, counts: IntArray) -> BlockCounts:
    """Return the counts of *blocks*.

    :param counts: those of the blocks' leaves, see `TextReading`. *Shape:* ``(k, 12)``
    """
    check_time()
    inside = [counts[:, _WORDS] * page.is_inside(tags, blocks.leaves) for tags in _INSIDE]
    totals = np.add.reduceat(np.concatenate([counts.T, inside]), blocks.starts, axis=1).astype(np.float64)
    found = dict(zip((*TEXT_COUNTS, "linked_words", "bold_words"), totals, strict=True))
    words = found["words"]
    is_long = (words >= _LONG_BLOCK) & (found["full_stops"] > 0) & (found["linked_words"] < words / 2)
    return BlockCounts(**found, long_words=words * is_long)
