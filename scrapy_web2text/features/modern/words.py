"""The words of texts, as hashes that ignore case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray, UintArray
from scrapy_web2text.features.hashing import number_equals, to_word_numbers
from scrapy_web2text.features.texts import TEXT_COUNTS, count_among, read_texts

_BAG_ENDS: Final = 6


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The t words of n blocks, in order.

    :param hashes: 64-bit hash of each word in lower case. *Shape:* ``(t,)``
    :param bounds: first word of each block, and the number of all words. *Shape:* ``(n + 1,)``
    """

    hashes: UintArray
    bounds: IntArray

    @property
    def starts(self) -> IntArray:
        """First word of each block. *Shape:* ``(n,)``"""
        return self.bounds[:-1]

    @property
    def ends(self) -> IntArray:
        """One past the last word of each block. *Shape:* ``(n,)``"""
        return self.bounds[1:]

    @property
    def n_words(self) -> IntArray:
        """Number of words of each block. *Shape:* ``(n,)``"""
        return self.ends - self.starts

    def count_among(self, wanted: UintArray) -> IntArray:
        """Return how many words of each block are among those *wanted*. *Shapes:* ``(w,)`` -> ``(n,)``"""
        return count_among(self.hashes, self.starts, self.ends, np.sort(wanted))


def list_words(counts: IntArray, hashes: UintArray, block_bounds: IntArray) -> Words:
    """Return the words of blocks.

    :param counts: the counts of `read_texts`. *Shape:* ``(k, 12)``
    :param hashes: the hashes of `read_texts`. *Shape:* ``(t,)``
    :param block_bounds: number of texts before each block, and of all texts. *Shape:* ``(n + 1,)``
    """
    n_before = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts[:, TEXT_COUNTS.index("words")], out=n_before[1:])
    return Words(hashes, n_before[block_bounds])


def hash_words(text: str) -> UintArray:
    """Return the hashes of the words of a text, in order. *Shape:* ``(t,)``"""
    return read_texts([text or " "])[2]  # `read_texts` does not accept empty texts


def word_bags(words: Words) -> tuple[IntArray, IntArray]:
    """Return the first six and the last six words of each block, and the number of them. *Shapes:* ``(b,)``, ``(n,)``

    The words are numbers below `N_WORD_HASHES`, block by block.
    """
    n_words = words.n_words
    sizes = np.minimum(n_words, 2 * _BAG_ENDS)
    places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    skipped = np.where(places >= _BAG_ENDS, np.repeat(n_words - sizes, sizes), 0)
    chosen = words.hashes[np.repeat(words.starts, sizes) + places + skipped]
    return to_word_numbers(chosen), sizes


def find_copies(keys: UintArray) -> tuple[IntArray, BoolArray]:
    """Return how many blocks have each block's words, and whether an earlier one has them. *Shapes:* ``(n,)`` twice

    :param keys: one number for the words of each block. *Shape:* ``(n,)``
    """
    numbers, sizes = number_equals(keys)
    firsts = np.empty(len(sizes), dtype=np.int64)
    positions = np.arange(len(keys))
    firsts[numbers[::-1]] = positions[::-1]  # numpy keeps the last assignment
    return sizes[numbers], firsts[numbers] < positions
