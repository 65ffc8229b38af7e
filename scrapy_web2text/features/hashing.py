"""The hashes of words and other keys, and the stopwords of Web2Text, which are recognized by their hashes.

The hash of a word is a polynomial of its code points in 64-bit arithmetic. The table of stopwords is open-addressed
with a single probe: with this `MULTIPLIER` no two stopwords share a slot, which a test checks.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray, UintArray, mark_changes

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
_N_BITS: Final = 14
N_WORD_HASHES: Final = 1 << _N_BITS
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)  # odd, of random bits: products are spread over all 64-bit numbers


def hash_word(word: str) -> int:
    """Return the 64-bit hash of one word: the sum of its code points, each times `MULTIPLIER` ** position."""
    value = 0
    for character in reversed(word):
        value = (value * MULTIPLIER + ord(character)) & _MASK
    return value


def find_stopwords(hashes: UintArray) -> BoolArray:
    """Return which words are stopwords, by their hashes. *Shapes:* ``(w,)`` -> ``(w,)``"""
    slots = (hashes * np.uint64(MULTIPLIER)) >> np.uint64(SLOT_SHIFT)
    return stopword_table()[slots.astype(np.int64)] == hashes


@cache
def stopword_table() -> UintArray:
    """Return the hashes of the stopwords in their slots: hash * `MULTIPLIER` >> `SLOT_SHIFT`. *Shape:* ``(4096,)``"""
    table = np.zeros(1 << _SLOT_BITS, dtype=np.uint64)
    for word in STOPWORDS:
        value = hash_word(word)
        table[((value * MULTIPLIER) & _MASK) >> SLOT_SHIFT] = value
    return table


def to_word_numbers(hashes: UintArray) -> IntArray:
    """Return 64-bit hashes as numbers below `N_WORD_HASHES`. *Shapes:* ``(b,)`` -> ``(b,)``"""
    return ((hashes * _FACTOR) >> np.uint64(64 - _N_BITS)).astype(np.int64)


def number_keys(keys: UintArray) -> tuple[IntArray, IntArray]:
    """Return a number for each key, and how many keys have each number. Equal keys have equal numbers.

    The numbers are in the order of the sorted keys. `numpy.unique` does the same in twice the time.

    *Shapes:* ``(n,)`` -> ``(n,)``, ``(distinct keys,)``
    """
    order = keys.argsort()
    ordered = keys[order]
    numbers = np.empty(len(keys), dtype=np.int64)
    numbers[order] = mark_changes(ordered).cumsum() - 1
    return numbers, np.bincount(numbers)
