"""The positions of a page's tokens in its clean text: anchors, and a dynamic program for the gaps between them."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.alignment.anchors import find_anchors, find_heaviest_chain, join_anchors
from scrapy_web2text.alignment.gaps import OPENS, SKIP, Gap, divide, trace_back
from scrapy_web2text.common.arrays import BoolArray, ByteArray, Int32Array, IntArray

_ANCHOR_LENGTHS: Final = (4, 12, 36)  # tokens
_MAX_CELLS: Final = 1 << 25  # of one gap; they take 32 MiB and about a third of a second
_BUDGET: Final = 1 << 28  # cells of one page
_ROW_COST: Final = 1 << 12  # a row of a small table costs about as much as this number of cells


def align_tokens(page: IntArray, clean: IntArray, cuts: BoolArray) -> IntArray:
    """Return the position in *clean* of each token of *page*, ascending; -1 for tokens that are not in *clean*.

    *Shapes:* ``(n,)``, ``(m,)``, ``(n + 1,)`` -> ``(n,)``

    :param cuts: whether a leaf ends before each token of the page, and after the last one.
    """

    def find(gap: Gap, length: int) -> IntArray:
        return _find_matches(page[gap.in_page], clean[gap.in_clean], length)

    matches, gaps = divide(Gap(0, len(page), 0, len(clean)), find, _ANCHOR_LENGTHS, _MAX_CELLS)
    positions = np.full(len(page), -1, dtype=np.int64)
    for in_page, in_clean, length in matches.tolist():
        positions[in_page : in_page + length] = np.arange(in_clean, in_clean + length)
    budget = _BUDGET
    for gap in sorted(gaps, key=_cost):
        budget -= _cost(gap)
        if gap.n_cells > _MAX_CELLS or budget < 0:
            break
        positions[gap.in_page] = align_gap(page, clean, cuts, gap)
    return positions


def _cost(gap: Gap) -> int:
    return gap.n_cells + _ROW_COST * (gap.clean_end - gap.clean_start)


def _find_matches(page: IntArray, clean: IntArray, length: int) -> IntArray:
    """Return the heaviest chain of matches in ascending order: start in the page, start in the clean text, length.

    An anchor is a run of *length* tokens that occurs once in each text, so matches overlap by less than an anchor.
    Each match also enters the chain without its first 1, 2, … tokens, so that an overlap is cut off and not counted.

    *Shape:* ``(number of matches, 3)``
    """
    matches = join_anchors(*find_anchors(page, clean, length, once_in_clean=True), length)
    matches = matches[np.argsort(matches[:, 0], kind="stable")]
    n_cut = np.tile(np.arange(length), len(matches))
    begins, lengths = np.repeat(matches[:, :2], length, axis=0), np.repeat(matches[:, 2], length)
    begins, lengths = begins + n_cut[:, None], lengths - n_cut
    ends = begins + lengths[:, None]
    # The page is the second text here, so that a match continues the equally heavy chain that ends first in the page.
    chain = find_heaviest_chain(begins[:, ::-1], ends[:, ::-1], lengths)
    return np.column_stack([begins, lengths])[chain]


_PAIR: Final = 4
_SKIP_CLEAN: Final = 1  # per token of the clean text that is not paired
# Cost at each end of a run of skipped tokens of the page, by where the end is.
_CUT_BETWEEN: Final = 2  # between two leaves
_CUT_INSIDE: Final = 5  # inside a leaf
_IMPOSSIBLE: Final = np.int32(-(2**28))


def align_gap(page: IntArray, clean: IntArray, cuts: BoolArray, gap: Gap) -> IntArray:
    """Return the position in *clean* of each token of *page* in *gap*, by the best alignment; -1 for none.

    :param cuts: whether a leaf ends before each token of *page*, and after the last one.

    A run of skipped tokens of the page costs nothing at the ends of the page, and least between two leaves: a clean
    text is made by leaving out whole leaves. If scores are equal, a skipped clean token is preferred to a pair, and
    both to a skipped token of the page.

    *Shapes:* ``(n,)``, ``(m,)``, ``(n + 1,)`` -> ``(gap.page_end - gap.page_start,)``
    """
    page_part, clean_part = page[gap.in_page], clean[gap.in_clean]
    is_shared = np.isin(clean_part, page_part)  # other tokens can only be skipped
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
    """Return the table of moves; `alignment.gaps` defines its bits. *Shape:* ``(len(clean) + 1, len(page) + 1)``"""
    n = len(page)
    moves = np.zeros((len(clean) + 1, n + 1), dtype=np.uint8)
    closed = np.full(n + 1, _IMPOSSIBLE, dtype=np.int32)  # scores of alignments whose end is not a skipped page token
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
    """Set *best* to the *closed* scores, or better scores with a run of skipped page tokens, and mark runs in *row*."""
    opened = closed - costs
    np.maximum.accumulate(opened, out=run)
    row += OPENS * (opened == run)
    best[0] = closed[0]
    np.subtract(run[:-1], costs[1:], out=best[1:])
    row[1:] += SKIP * (best[1:] > closed[1:])
    np.maximum(best[1:], closed[1:], out=best[1:])
