"""The words of all blocks: hashes that ignore case, and what they share with title and headline."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.features.characters import Characters, SpanHasher, join_texts

__all__ = ["N_WORD_HASHES", "Words", "hash_words", "list_words", "word_bags"]

IntArray = NDArray[np.int64]
UintArray = NDArray[np.uint64]

N_WORD_HASHES: Final = 1 << 14
_BAG_ENDS: Final = 6
_N_TABLED: Final = 0x10000
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The t words of n blocks, in order.

    :param hashes: 64-bit hash of each word in lower case. *Shape:* ``(t,)``
    :param starts: first word of each block. *Shape:* ``(n,)``
    :param ends: one past the last word of each block. *Shape:* ``(n,)``
    """

    hashes: UintArray
    starts: IntArray
    ends: IntArray

    def sum(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the sum of the words' *values* over each block. *Shapes:* ``(t,)`` -> ``(n,)``"""
        sums = np.zeros(len(values) + 1)
        np.cumsum(values, out=sums[1:])
        total: NDArray[np.float64] = sums[self.ends] - sums[self.starts]
        return total


def list_words(characters: Characters, tokens: tuple[IntArray, IntArray], block_bounds: IntArray) -> Words:
    """Return the words of blocks.

    :param tokens: start and end of each word, as `Characters.tokens` gives them.
    :param block_bounds: number of texts before each block, and of all texts. *Shape:* ``(n + 1,)``
    """
    starts, ends = tokens
    hashes = SpanHasher(_lower(characters.codes)).hash_spans(starts, ends)
    # A text's words begin where its characters do; one more bound stands behind the last text.
    text_starts = np.append(characters.starts, len(characters.codes))
    bounds = np.searchsorted(starts, text_starts[block_bounds])
    return Words(hashes, bounds[:-1], bounds[1:])


def hash_words(text: str) -> UintArray:
    """Return the hashes of the words of one text. *Shape:* ``(t,)``"""
    if not text.strip():
        return np.zeros(0, dtype=np.uint64)
    characters = join_texts([text])
    return list_words(characters, characters.tokens(), np.array([0, 1])).hashes


def word_bags(words: Words) -> tuple[IntArray, IntArray]:
    """Return up to 12 words of each block, its first and its last, and their number. *Shapes:* ``(b,)``, ``(n,)``

    The words are hashes below `N_WORD_HASHES`, block by block.
    """
    n_words = words.ends - words.starts
    sizes = np.minimum(n_words, 2 * _BAG_ENDS)
    places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    skipped = np.where(places >= _BAG_ENDS, np.repeat(n_words - sizes, sizes), 0)
    chosen = words.hashes[np.repeat(words.starts, sizes) + places + skipped]
    return to_word_numbers(chosen), sizes


def to_word_numbers(hashes: UintArray) -> IntArray:
    """Return 64-bit hashes as numbers below `N_WORD_HASHES`. *Shapes:* ``(b,)`` -> ``(b,)``"""
    numbers: IntArray = ((hashes * _SPREAD) >> np.uint64(64 - 14)).astype(np.int64)
    return numbers


def _lower(codes: NDArray[Any]) -> NDArray[Any]:
    """Return the code points in lower case. *Shapes:* ``(c,)`` -> ``(c,)``"""
    table = _lower_table()
    if codes.dtype == np.uint8:
        small: NDArray[Any] = table[codes]
        return small
    lowered: NDArray[Any] = np.where(codes < _N_TABLED, table[np.minimum(codes, _N_TABLED - 1)], codes)
    return lowered


@cache
def _lower_table() -> NDArray[np.uint32]:
    lowered = [character.lower() for character in map(chr, range(_N_TABLED))]
    codes = [ord(low) if len(low) == 1 else code for code, low in enumerate(lowered)]
    return np.array(codes, dtype=np.uint32)
