"""The dynamic program that aligns a gap by tokens."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.alignment.gaps import Gap
from scrapy_web2text.alignment.moves import OPENS, SKIP, trace_back
from scrapy_web2text.arrays import BoolArray, ByteArray, Int32Array, IntArray

__all__ = ["align_gap"]


_PAIR: Final = 4
_SKIP_CLEAN: Final = 1  # per token of the clean text that is not paired
# At each end of a run of skipped tokens of the page.
_CUT_BETWEEN: Final = 2  # between two leaves
_CUT_INSIDE: Final = 5  # inside a leaf
_IMPOSSIBLE: Final = np.int32(-(2**28))


def align_gap(page: IntArray, clean: IntArray, cuts: BoolArray, gap: Gap) -> IntArray:
    """Return the position in *clean* of each token of *page* in *gap*, by the best alignment; -1 for none.

    :param cuts: whether a leaf ends before each token of *page*, and after the last one.

    Scores: a pair of equal tokens gains 4 and a skipped token of the clean text costs 1. A run of skipped tokens of the
    page costs 2 at each of its ends between two leaves, 5 inside a leaf, and nothing at the ends of the page: a clean
    text is made by leaving out whole leaves.
    Of equal scores, a skipped clean token is preferred to a pair, and both to skipping the page.

    *Shapes:* ``(n,)``, ``(m,)``, ``(n + 1,)`` -> ``(gap.page_end - gap.page_start,)``
    """
    page_part, clean_part = page[gap.in_page], clean[gap.in_clean]
    is_shared = np.isin(clean_part, page_part)  # the others can only be skipped
    if not is_shared.any():
        return np.full(len(page_part), -1, dtype=np.int64)
    costs = np.where(cuts[gap.page_start : gap.page_end + 1], _CUT_BETWEEN, _CUT_INSIDE).astype(np.int32)
    if gap.page_start == 0:
        costs[0] = 0
    if gap.page_end == len(page):
        costs[-1] = 0
    found = trace_back(_fill(page_part, clean_part[is_shared], costs))
    positions = gap.clean_start + np.flatnonzero(is_shared)
    return np.where(found >= 0, positions[found], -1)


def _fill(page: IntArray, clean: IntArray, costs: Int32Array) -> ByteArray:
    """Return the moves, bits from `alignment.moves`. *Shape:* ``(len(clean) + 1, len(page) + 1)``"""
    n = len(page)
    moves = np.zeros((len(clean) + 1, n + 1), dtype=np.uint8)
    closed = np.full(n + 1, _IMPOSSIBLE, dtype=np.int32)  # of alignments that do not end with a skipped token
    closed[0] = 0
    best = closed.copy()
    pair, run = np.empty(n, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    tokens = page.astype(np.int32)
    _skip_page(closed, costs, run, best, moves[0])
    for i, token in enumerate(clean.tolist()):
        np.add(best[:-1], np.where(tokens == token, np.int32(_PAIR), _IMPOSSIBLE), out=pair)
        np.subtract(best, _SKIP_CLEAN, out=closed)
        row = moves[i + 1]
        row[1:] = pair > closed[1:]
        np.maximum(closed[1:], pair, out=closed[1:])
        _skip_page(closed, costs, run, best, row)
    return moves


def _skip_page(closed: Int32Array, costs: Int32Array, run: Int32Array, best: Int32Array, row: ByteArray) -> None:
    """Set the *best* scores from the *closed* ones, which a run of skipped tokens may follow, and mark it in *row*."""
    opened = closed - costs
    np.maximum.accumulate(opened, out=run)
    row += OPENS * (opened == run)
    best[0] = closed[0]
    np.subtract(run[:-1], costs[1:], out=best[1:])
    row[1:] += SKIP * (best[1:] > closed[1:])
    np.maximum(best[1:], closed[1:], out=best[1:])
