"""Information about a class in a numeric column, as Weka's InfoGainAttributeEval measures it.

Fayyad and Irani's method cuts the values into intervals: the best cut by entropy, and so on in both halves, as long as
a cut saves more bits than it takes to describe it (minimum description length).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Gain(NamedTuple):
    """What a feature says about the class, in bits, and the intervals of its values.

    :param paper: bits in the paper, if it prints them.
    """

    name: str
    by_words: tuple[float, int]
    by_blocks: tuple[float, int]
    paper: float | None


def information_gain(
    values: NDArray[np.float64], labels: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[float, int]:
    """Return the bits that the interval of a value says about its label, and the number of intervals.

    *Shapes:* ``(n,)`` each
    """
    table = np.eye(labels.max() + 1)[labels] * weights[:, None]
    levels, places = np.unique(values, return_inverse=True)
    counts = np.zeros((len(levels), table.shape[1]))
    np.add.at(counts, places, table)
    sums = np.vstack([np.zeros(table.shape[1]), counts.cumsum(axis=0)])
    ends = [0, *sorted(find_cuts(sums, 0, len(levels))), len(levels)]
    intervals = np.diff(sums[ends], axis=0)
    total = intervals.sum()
    return float(entropy(sums[-1]) - (intervals.sum(axis=1) / total) @ entropy(intervals)), len(intervals)


def find_cuts(sums: NDArray[np.float64], start: int, end: int) -> Iterator[int]:
    """Return the cuts between the different values from *start* to *end*.

    :param sums: weights of each class below each of the m values, in ascending order. *Shape:* ``(m + 1, n_classes)``
    """
    todo = [(start, end)]
    while todo:
        first, last = todo.pop()
        if last - first < 2:
            continue
        left, right = sums[first + 1 : last] - sums[first], sums[last] - sums[first + 1 : last]
        whole = sums[last] - sums[first]
        n = whole.sum()
        bits = (left.sum(axis=1) * entropy(left) + right.sum(axis=1) * entropy(right)) / max(n, 1e-9)
        best = int(bits.argmin())
        if _saves_bits(whole, left[best], right[best], float(bits[best]), last - first):
            yield first + 1 + best
            todo += [(first, first + 1 + best), (first + 1 + best, last)]


def entropy(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of each row in bits. *Shapes:* ``(…, n_classes)`` -> ``(…)``"""
    shares = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1e-12)
    bits: NDArray[np.float64] = shares * np.log2(np.where(shares > 0, shares, 1))
    return -bits.sum(axis=-1)


def _saves_bits(
    whole: NDArray[np.float64], left: NDArray[np.float64], right: NDArray[np.float64], bits: float, n_values: int
) -> bool:
    """Return whether a cut is worth its description, by Fayyad and Irani's criterion."""
    n = whole.sum()
    gain = entropy(whole) - bits
    k, k_left, k_right = (int((part > 0).sum()) for part in (whole, left, right))
    cost = np.log2(3.0**k - 2) - (k * entropy(whole) - k_left * entropy(left) - k_right * entropy(right))
    return bool(n > 0 and gain > (np.log2(n_values - 1) + cost) / n)
