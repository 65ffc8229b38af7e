"""The stopwords of Web2Text, and a hash table that looks up an array of words at once.

The hash of a word is a polynomial of its code points in 64-bit arithmetic, so that one cumulative sum gives the hashes
of all words of a page (see `SpanHasher`). The table is open-addressed with a single probe: with this `MULTIPLIER` no
two stopwords share a slot, which a test checks.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, UintArray

__all__ = ["MULTIPLIER", "SLOT_SHIFT", "STOPWORDS", "find_stopwords", "hash_word", "stopword_table"]


# Case-sensitive, as in the authors' program: "The" is not a stopword.
STOPWORDS: Final = frozenset(
    """a about above after again against all am an and any are as at be because been before being below between both but
    by cannot could did do does doing down during each few for from further had has have having he her here hers
    herself him himself his how i if in into is it its itself me more most my myself no nor not of off on once only or
    other ought our ours ourselves out over own same she should so some such than that the their theirs them themselves
    then there these they this those through to too under until up very was we were what when where which while who
    whom why with would you your yours yourself yourselves""".split()
)
MULTIPLIER: Final = 0xF728B4FA42485E3B
_SLOT_BITS: Final = 12
SLOT_SHIFT: Final = 64 - _SLOT_BITS
_MASK: Final = (1 << 64) - 1


def hash_word(word: str) -> int:
    """Return the 64-bit hash of one word: the sum of its code points, each times `MULTIPLIER` ** position."""
    return sum(ord(character) * pow(MULTIPLIER, i, 1 << 64) for i, character in enumerate(word)) & _MASK


def find_stopwords(hashes: UintArray) -> BoolArray:
    """Return which words are stopwords, by their hashes. *Shapes:* ``(w,)`` -> ``(w,)``"""
    slots = (hashes * np.uint64(MULTIPLIER)) >> np.uint64(SLOT_SHIFT)
    found: BoolArray = stopword_table()[slots.astype(np.int64)] == hashes
    return found


@cache
def stopword_table() -> UintArray:
    """Return the hashes of the stopwords in their slots: hash * `MULTIPLIER` >> `SLOT_SHIFT`. *Shape:* ``(4096,)``"""
    table = np.zeros(1 << _SLOT_BITS, dtype=np.uint64)
    for word in STOPWORDS:
        value = hash_word(word)
        table[((value * MULTIPLIER) & _MASK) >> SLOT_SHIFT] = value
    return table
