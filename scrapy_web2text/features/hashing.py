"""Hashes as smaller numbers."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import IntArray, UintArray

__all__ = ["N_WORD_HASHES", "number_equals", "to_word_numbers"]

_N_BITS: Final = 14
N_WORD_HASHES: Final = 1 << _N_BITS
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)  # odd, of random bits: products are spread over all 64-bit numbers


def to_word_numbers(hashes: UintArray) -> IntArray:
    """Return 64-bit hashes as numbers below `N_WORD_HASHES`. *Shapes:* ``(b,)`` -> ``(b,)``"""
    numbers: IntArray = ((hashes * _FACTOR) >> np.uint64(64 - _N_BITS)).astype(np.int64)
    return numbers


def number_equals(keys: UintArray) -> tuple[IntArray, IntArray]:
    """Return a number for each key, the same for equal ones, in the order of the keys; and how many have each number.

    `numpy.unique` does the same in twice the time.

    *Shapes:* ``(n,)`` -> ``(n,)``, ``(distinct keys,)``
    """
    order = keys.argsort(kind="stable")
    ordered = keys[order]
    steps = np.zeros(len(keys), dtype=np.int64)
    np.not_equal(ordered[1:], ordered[:-1], out=steps[1:], casting="unsafe")
    numbers = np.empty(len(keys), dtype=np.int64)
    numbers[order] = steps.cumsum()
    return numbers, np.bincount(numbers)
