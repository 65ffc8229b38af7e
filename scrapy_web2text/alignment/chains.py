"""The heaviest chain of stretches that two texts share."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from scrapy_web2text.arrays import IntArray

__all__ = ["find_heaviest_chain"]


def find_heaviest_chain(begins: IntArray, ends: IntArray, weights: IntArray) -> IntArray:
    """Return the indices of the stretches that make the heaviest chain, in ascending order, in time ``n log n``.

    In a chain each stretch begins, in both texts, at the end of the previous one or after it. Of equally heavy chains
    that a stretch could continue, it continues the one that ends first in the second text.

    *Shapes:* ``(n, 2)``, ``(n, 2)``, ``(n,)`` -> ``(number of stretches in the chain,)``

    :param begins: the first position of each stretch in the first and in the second text, 0 or more.
    :param ends: one past the last position of each stretch in both texts; greater than *begins*.
    :param weights: the weight of each stretch, greater than 0.
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

    A chain is kept only if it is heavier than all that end earlier, so the weights ascend too.
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
