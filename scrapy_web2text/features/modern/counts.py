"""Counts of a page's blocks: words and characters of several kinds, words in links and in bold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import AnyArray, DoubleArray, IntArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.characters import CharacterClass, Characters
from scrapy_web2text.features.modern.words import Words
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

__all__ = ["BlockCounts", "count_blocks"]


_LONG_BLOCK: Final = 15  # words


@dataclass(frozen=True, slots=True, eq=False)
class BlockCounts:
    """Counts of n blocks, or sums of them over n nodes; each of *Shape:* ``(n,)``.

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

    def stack(self) -> DoubleArray:
        """Return all counts in the order of the fields. *Shape:* ``(12, n)``"""
        return np.stack([getattr(self, name) for name in self.__slots__])


def count_blocks(
    page: Page, blocks: BlockSequence, characters: Characters, words: Words, leaf_words: IntArray
) -> BlockCounts:
    """Return the counts of *blocks*.

    :param characters: those of the blocks' leaves.
    :param words: those of the blocks.
    :param leaf_words: number of words of each leaf. *Shape:* ``(k,)``
    """

    def by_block(counts: AnyArray) -> DoubleArray:
        return np.add.reduceat(counts, blocks.starts).astype(np.float64)

    def words_inside(tags: tuple[str, ...]) -> DoubleArray:
        return by_block(leaf_words * page.is_inside(tags, blocks.leaves))

    def in_class(wanted: CharacterClass) -> DoubleArray:
        check_time()
        return by_block(characters.count(characters.in_class(wanted)))

    n_words = (words.ends - words.starts).astype(np.float64)
    linked, full_stops = words_inside(("a",)), in_class(CharacterClass.FULL_STOP)
    is_long = (n_words >= _LONG_BLOCK) & (full_stops > 0) & (linked < n_words / 2)
    return BlockCounts(
        chars=by_block(characters.ends - characters.starts),
        words=n_words,
        linked_words=linked,
        bold_words=words_inside(("b", "strong", "em", "i")),
        letters=in_class(CharacterClass.LETTER),
        upper=in_class(CharacterClass.UPPER),
        digits=in_class(CharacterClass.DIGIT),
        marks=in_class(CharacterClass.MARK),
        commas=in_class(CharacterClass.COMMA),
        full_stops=full_stops,
        currency=in_class(CharacterClass.CURRENCY),
        long_words=n_words * is_long,
    )
