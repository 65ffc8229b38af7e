"""Anchors (runs of symbols that two texts share and that occur once in the page), and the heaviest chain of matches."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, Int32Array, IntArray, UintArray, mark_changes

_BASE: Final = 0x9E3779B97F4A7C15
_SHIFT: Final = np.uint64(32)


def find_anchors(
    page: Int32Array | IntArray, clean: Int32Array | IntArray, length: int, *, once_in_clean: bool = False
) -> tuple[IntArray, IntArray]:
    """Return the starts, in *page* and in *clean*, of the runs of *length* symbols that occur once in *page*.

    Runs are compared by a 64-bit hash.

    *Shapes:* ``(n,)``, ``(m,)`` -> ``(number of anchors,)`` twice

    :param once_in_clean: whether to drop the runs that *clean* repeats; otherwise each occurrence is an anchor.
    """
    hashes, wanted = _hash_runs(page, length), _hash_runs(clean, length)
    if not len(hashes):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    in_page, in_clean = np.argsort(hashes), np.argsort(wanted)
    hashes, wanted = hashes[in_page], wanted[in_clean]
    found = np.minimum(np.searchsorted(hashes, wanted), len(hashes) - 1)
    is_anchor = (hashes[found] == wanted) & _is_single(hashes)[found]
    if once_in_clean:
        is_anchor &= _is_single(wanted)
    return in_page[found[is_anchor]], in_clean[is_anchor]


def join_anchors(in_page: IntArray, in_clean: IntArray, length: int) -> IntArray:
    """Return the matches, ordered by shift and start: anchors with the same shift and no gap between them are joined.

    A match is a stretch of the page that also occurs in the clean text. Its shift is the difference of its starts in
    both texts.

    *Shapes:* ``(number of anchors,)`` each -> ``(number of matches, 3)``: start in the page, start in the clean text,
    length
    """
    shifts = in_page - in_clean
    order = np.lexsort((in_page, shifts))
    in_page, in_clean, shifts = in_page[order], in_clean[order], shifts[order]
    begins = np.ones(len(order) + 1, dtype=bool)
    begins[1:-1] = (np.diff(shifts) != 0) | (np.diff(in_page) > length)
    bounds = np.flatnonzero(begins)
    firsts, lasts = bounds[:-1], bounds[1:] - 1
    return np.stack([in_page[firsts], in_clean[firsts], in_page[lasts] + length - in_page[firsts]], axis=1)


def _hash_runs(symbols: Int32Array | IntArray, length: int) -> UintArray:
    """Return a hash of each run of *length* symbols. *Shapes:* ``(n,)`` -> ``(max(n - length + 1, 0),)``"""
    values = _polynomials(symbols.astype(np.uint64), length)
    return values ^ (values >> _SHIFT)


def _polynomials(values: UintArray, length: int) -> UintArray:
    """Return the value, modulo 2**64, of the polynomial with each run of *length* values as its coefficients.

    *Shapes:* ``(n,)`` -> ``(max(n - length + 1, 0),)``
    """
    if length == 1:
        return values
    half = length // 2
    halves = _polynomials(values, half)
    n = max(len(values) - length + 1, 0)
    hashes: UintArray = halves[:n] * np.uint64(pow(_BASE, half, 1 << 64))
    hashes += halves[half : half + n]
    if length % 2:
        hashes *= np.uint64(_BASE)
        hashes += values[length - 1 :]
    return hashes


def _is_single(hashes: UintArray) -> BoolArray:
    """Return which of the sorted *hashes* differ from both neighbors. *Shapes:* ``(n,)`` -> ``(n,)``"""
    differs = mark_changes(hashes)
    differs[:-1] &= differs[1:]
    return differs


def find_heaviest_chain(begins: IntArray, ends: IntArray, weights: IntArray) -> IntArray:
    """Return the indices of the stretches that make the heaviest chain, in ascending order, in time ``n log n``.

    In a chain each stretch begins, in both texts, at the end of the previous one or after it. A stretch that could
    continue several equally heavy chains continues the chain that ends first in the second text.

    *Shapes:* ``(n, 2)``, ``(n, 2)``, ``(n,)`` -> ``(number of stretches in the chain,)``

    :param begins: the first position of each stretch in the first and in the second text, 0 or more.
    :param ends: one past the last position of each stretch in both texts; greater than *begins*.
    """
    starts, stops, totals = begins.tolist(), ends.tolist(), weights.tolist()
    previous = [-1] * len(totals)
    finished = _FinishedChains()
    by_stop = np.argsort(ends[:, 0], kind="stable").tolist()
    n_finished = 0
    for i in np.argsort(begins[:, 0], kind="stable").tolist():
        in_first, in_second = starts[i]
        while stops[by_stop[n_finished]][0] <= in_first:
            last = by_stop[n_finished]
            finished.add(stops[last][1], totals[last], last)
            n_finished += 1
        total, previous[i] = finished.find_heaviest(in_second)
        totals[i] += total  # from here on the weight of the whole chain
    chain = []
    last = max(range(len(totals)), key=totals.__getitem__, default=-1)
    while last >= 0:
        chain.append(last)
        last = previous[last]
    return np.array(chain[::-1], dtype=np.int64)


class _FinishedChains:
    """The chains that may be continued, ordered by their ends in the second text.

    A chain is kept only if it is heavier than all chains that end earlier. So the weights ascend, too.
    """

    def __init__(self) -> None:
        self._ends, self._totals, self._lasts = [0], [0], [-1]

    def find_heaviest(self, position: int) -> tuple[int, int]:
        """Return the weight and the last stretch, or -1, of the heaviest chain that ends at *position* or before it."""
        at = bisect_right(self._ends, position) - 1
        return self._totals[at], self._lasts[at]

    def add(self, end: int, total: int, last: int) -> None:
        """Add a chain that ends at *end* in the second text, and drop the chains that it makes useless."""
        at = bisect_right(self._ends, end)
        if self._totals[at - 1] >= total:
            return
        if self._ends[at - 1] == end:
            at -= 1
        stop = bisect_right(self._totals, total, lo=at)
        self._ends[at:stop], self._totals[at:stop], self._lasts[at:stop] = [end], [total], [last]
