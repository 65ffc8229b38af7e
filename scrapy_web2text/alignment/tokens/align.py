"""Which tokens of a page are those of its clean text.

Runs of tokens that occur once in the page and once in the clean text are matched first (anchors); what lies between two
of them (a gap) is aligned by dynamic programming. Since a clean text is made by leaving out whole texts of the page, to
skip from one text leaf to another costs less than to skip inside a leaf.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.arrays import BoolArray, ByteArray, Int32Array, IntArray, UintArray

__all__ = ["align_tokens"]


_ANCHOR_LENGTHS: Final = (4, 12, 36)  # tokens
_MAX_ANCHORS: Final = 4096
_MAX_CELLS: Final = 1 << 25  # of one gap: 32 MiB, and about a third of a second
_BUDGET: Final = 1 << 28  # cells of one page
_ROW_COST: Final = 1 << 12  # a row of a small table costs about as much as so many cells
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(29)

# Scores of an alignment.
_PAIR: Final = 4
_SKIP_CLEAN: Final = 1  # per token of the clean text that is found nowhere
_CUT_BETWEEN: Final = 2  # at either end of a run of skipped tokens of the page: between two leaves,
_CUT_INSIDE: Final = 5  # or inside a leaf
_IMPOSSIBLE: Final = np.int32(-(2**28))
_MATCH, _SKIP, _OPENS = np.uint8(1), np.uint8(2), np.uint8(4)


class _Gap(NamedTuple):
    """A stretch of the page and the stretch of the clean text that belongs to it."""

    page_start: int
    page_end: int
    clean_start: int
    clean_end: int

    @property
    def n_cells(self) -> int:
        return (self.page_end - self.page_start) * (self.clean_end - self.clean_start)

    @property
    def cost(self) -> int:
        return self.n_cells + _ROW_COST * (self.clean_end - self.clean_start)


def align_tokens(page: IntArray, clean: IntArray, cuts: BoolArray) -> IntArray:
    """Return the position in *clean* of each token of *page*, ascending, -1 for tokens that are not in it.

    *Shapes:* ``(n,)``, ``(m,)``, ``(n + 1,)`` -> ``(n,)``

    :param cuts: whether a leaf ends before each token of the page, and behind the last one.
    """
    matched = np.full(len(page), -1, dtype=np.int64)
    budget = _BUDGET
    for gap in sorted(_divide(page, clean, matched), key=lambda gap: gap.cost):
        budget -= gap.cost
        if gap.n_cells > _MAX_CELLS or budget < 0:
            break
        _align_gap(page, clean, cuts, gap, matched)
    return matched


def _divide(page: IntArray, clean: IntArray, matched: IntArray) -> list[_Gap]:
    """Return the gaps between the anchors, which are written to *matched*."""
    gaps = []
    todo = [(_Gap(0, len(page), 0, len(clean)), 0)]
    while todo:
        gap, n_rounds = todo.pop()
        if not gap.n_cells:
            continue
        if n_rounds and (gap.n_cells <= _MAX_CELLS or n_rounds == len(_ANCHOR_LENGTHS)):
            gaps.append(gap)
            continue
        page_part, clean_part = page[gap.page_start : gap.page_end], clean[gap.clean_start : gap.clean_end]
        anchors = _find_anchors(page_part, clean_part, _ANCHOR_LENGTHS[n_rounds])
        page_start, clean_start = gap.page_start, gap.clean_start
        for in_page, in_clean, length in anchors.tolist():
            page_end, clean_end = gap.page_start + in_page, gap.clean_start + in_clean
            matched[page_end : page_end + length] = np.arange(clean_end, clean_end + length)
            todo.append((_Gap(page_start, page_end, clean_start, clean_end), n_rounds + 1))
            page_start, clean_start = page_end + length, clean_end + length
        todo.append((_Gap(page_start, gap.page_end, clean_start, gap.clean_end), n_rounds + 1))
    return gaps


def _find_anchors(page: IntArray, clean: IntArray, length: int) -> IntArray:
    """Return the heaviest chain of anchors: start in the page, start in the clean text, length. *Shape:* ``(k, 3)``"""
    in_page, in_clean = _find_unique_runs(page, clean, length)
    if not len(in_page):
        return np.empty((0, 3), dtype=np.int64)
    order = np.lexsort((in_page, in_page - in_clean))
    in_page, in_clean = in_page[order], in_clean[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (np.diff(in_page - in_clean) != 0) | (np.diff(in_page) > length)
    firsts = np.flatnonzero(begins)
    lasts = np.append(firsts[1:], len(order)) - 1
    anchors = np.stack([in_page[firsts], in_clean[firsts], in_page[lasts] + length - in_page[firsts]], axis=1)
    if len(anchors) > _MAX_ANCHORS:
        anchors = anchors[np.argsort(-anchors[:, 2], kind="stable")[:_MAX_ANCHORS]]
    return _heaviest_chain(anchors[np.argsort(anchors[:, 0], kind="stable")])


def _find_unique_runs(page: IntArray, clean: IntArray, length: int) -> tuple[IntArray, IntArray]:
    """Return where the runs of *length* tokens start that each text holds once. *Shapes:* ``(k,)`` each"""
    found = []
    for tokens in (page, clean):
        hashes, firsts, counts = np.unique(_hash_runs(tokens, length), return_index=True, return_counts=True)
        found.append((hashes[counts == 1], firsts[counts == 1]))
    _, of_page, of_clean = np.intersect1d(found[0][0], found[1][0], assume_unique=True, return_indices=True)
    return found[0][1][of_page], found[1][1][of_clean]


def _hash_runs(tokens: IntArray, length: int) -> UintArray:
    """Return a hash of each run of *length* tokens. *Shapes:* ``(n,)`` -> ``(max(n - length + 1, 0),)``"""
    n = max(len(tokens) - length + 1, 0)
    hashes = np.zeros(n, dtype=np.uint64)
    codes = tokens.astype(np.uint64) + np.uint64(1)
    for i in range(length):
        hashes = (hashes + codes[i : i + n]) * _MULTIPLIER
        hashes ^= hashes >> _SHIFT
    return hashes


def _heaviest_chain(anchors: IntArray) -> IntArray:
    """Return the anchors, ascending on both sides, that have the most tokens together; overlaps are cut off."""
    starts, lengths = anchors[:, :2], anchors[:, 2]
    ends = starts + lengths[:, None]
    weights = lengths.copy()
    previous = np.full(len(anchors), -1)
    for i in range(1, len(anchors)):
        overlaps = np.maximum((ends[:i] - starts[i]).max(axis=1), 0)
        follows = (starts[:i] < starts[i]).all(axis=1) & (overlaps < lengths[i])
        totals = np.where(follows, weights[:i] - overlaps, 0)
        best = int(np.argmax(totals))
        if totals[best] > 0:
            weights[i] += totals[best]
            previous[i] = best
    chain = []
    last = int(np.argmax(weights))
    while last >= 0:
        chain.append(last)
        last = int(previous[last])
    result = anchors[chain[::-1]]
    overlaps = np.maximum((result[:-1, :2] + result[:-1, 2:] - result[1:, :2]).max(axis=1, initial=0), 0)
    result[1:, :2] += overlaps[:, None]
    result[1:, 2] -= overlaps
    return result


def _align_gap(page: IntArray, clean: IntArray, cuts: BoolArray, gap: _Gap, matched: IntArray) -> None:
    """Write the best alignment of what lies in *gap* to *matched*."""
    page_part = page[gap.page_start : gap.page_end]
    clean_part = clean[gap.clean_start : gap.clean_end]
    costs = np.where(cuts[gap.page_start : gap.page_end + 1], _CUT_BETWEEN, _CUT_INSIDE).astype(np.int32)
    if gap.page_start == 0:
        costs[0] = 0
    if gap.page_end == len(page):
        costs[-1] = 0
    is_shared = np.isin(clean_part, page_part)  # the others can only be skipped
    if not is_shared.any():
        return
    found = _trace_back(_fill(page_part, clean_part[is_shared], costs))
    positions = gap.clean_start + np.flatnonzero(is_shared)
    matched[gap.page_start : gap.page_end] = np.where(found >= 0, positions[found], -1)


def _fill(page: IntArray, clean: IntArray, costs: Int32Array) -> ByteArray:
    """Return for each pair of lengths how the best alignment ends. *Shape:* ``(len(clean) + 1, len(page) + 1)``"""
    n = len(page)
    moves = np.zeros((len(clean) + 1, n + 1), dtype=np.uint8)
    closed = np.full(
        n + 1, _IMPOSSIBLE, dtype=np.int32
    )  # of alignments that do not end with skipped tokens of the page
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
    """Set the *best* scores from the *closed* ones: a run of skipped tokens may follow."""
    opened = closed - costs
    np.maximum.accumulate(opened, out=run)
    row += _OPENS * (opened == run)
    best[0] = closed[0]
    np.subtract(run[:-1], costs[1:], out=best[1:])
    row[1:] += _SKIP * (best[1:] > closed[1:])
    np.maximum(best[1:], closed[1:], out=best[1:])


def _trace_back(moves: ByteArray) -> IntArray:
    """Return which clean token each token of the page is paired with, or -1. *Shape:* ``(len(page),)``"""
    i, j = moves.shape[0] - 1, moves.shape[1] - 1
    found = np.full(j, -1, dtype=np.int64)
    while i and j:
        move = moves[i, j]
        if move & _SKIP:
            j = int(np.flatnonzero(moves[i, :j] & _OPENS)[-1])
            move = moves[i, j]
        i -= 1
        if move & _MATCH:
            j -= 1
            found[j] = i
    return found
