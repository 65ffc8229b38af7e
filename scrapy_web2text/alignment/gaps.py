"""Divides a page and its clean text, two sequences of symbols, into matches and the gaps between them, and traces back
the moves of the dynamic program that aligns a gap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, ByteArray, IntArray, sum_spans


@dataclass(frozen=True, slots=True, eq=False)
class JoinedTexts:
    """Texts, one after the other, as n symbols.

    :param starts: where each text starts, and the end of the last text. *Shape:* ``(number of texts + 1,)``
    """

    starts: IntArray

    def count(self, chosen: BoolArray) -> IntArray:
        """Return how many of the *chosen* symbols each text has. *Shapes:* ``(n,)`` -> ``(number of texts,)``"""
        return sum_spans(chosen, self.starts[:-1], self.starts[1:])


_MAX_ROUNDS: Final = 8


class Gap(NamedTuple):
    """A stretch of the page and the corresponding stretch of the clean text."""

    page_start: int
    page_end: int
    clean_start: int
    clean_end: int

    @property
    def n_cells(self) -> int:
        """Size of the gap's table: symbols of the page times symbols of the clean text."""
        return (self.page_end - self.page_start) * (self.clean_end - self.clean_start)

    @property
    def in_page(self) -> slice:
        """The positions of the gap in the page."""
        return slice(self.page_start, self.page_end)

    @property
    def in_clean(self) -> slice:
        """The positions of the gap in the clean text."""
        return slice(self.clean_start, self.clean_end)


def divide(
    whole: Gap, find_matches: Callable[[Gap, int], IntArray], lengths: Sequence[int], max_cells: int
) -> tuple[IntArray, list[Gap]]:
    """Return the matches in *whole* and the gaps between them.

    A gap of more than *max_cells* is divided again, in up to eight rounds: runs that repeat in the whole page may be
    unique in a part of it. If a large gap has no match, longer anchors are tried.

    *Shape* of the matches: ``(number of matches, 3)``: start in the page, start in the clean text, length

    :param find_matches: returns the matches in a gap for anchors of a given length, as a chain that ascends in both
        texts. Their starts are relative to the starts of the gap.
    :param max_cells: largest gap that is not divided again; see `Gap.n_cells`.
    """
    matches, gaps = [np.empty((0, 3), dtype=np.int64)], []
    todo = [(whole, 1)]
    while todo:
        gap, n_rounds = todo.pop()
        for length in lengths:
            found = find_matches(gap, length) + np.array([gap.page_start, gap.clean_start, 0])
            if len(found) or gap.n_cells <= max_cells:
                break
        matches.append(found)
        for part in _parts_between(gap, found):
            if part.n_cells > max_cells and n_rounds < _MAX_ROUNDS and part != gap:
                todo.append((part, n_rounds + 1))
            else:
                gaps.append(part)
    return np.concatenate(matches), gaps


def _parts_between(gap: Gap, matches: IntArray) -> list[Gap]:
    """Return the parts of *gap* before, between and after its *matches* that have text on both sides."""
    parts = []
    page_start, clean_start = gap.page_start, gap.clean_start
    for in_page, in_clean, length in matches.tolist():
        parts.append(Gap(page_start, in_page, clean_start, in_clean))
        page_start, clean_start = in_page + length, in_clean + length
    parts.append(Gap(page_start, gap.page_end, clean_start, gap.clean_end))
    return [part for part in parts if part.n_cells]


# The bits of ``moves[i, j]`` describe the alignments of the first i clean symbols with the first j page symbols.
SKIP: Final = np.uint8(2)  # the best alignment ends with a run of skipped page symbols
MATCH: Final = np.uint8(1)  # the best alignment that does not end so ends with a pair, not with a skipped clean symbol
OPENS: Final = np.uint8(4)  # the best of the runs of skipped page symbols that pass position j begins here


def trace_back(moves: ByteArray) -> IntArray:
    """Return the index of the clean symbol that each symbol of the page is paired with, -1 for none.

    *Shapes:* ``(m + 1, n + 1)`` -> ``(n,)``
    """
    i, j = moves.shape[0] - 1, moves.shape[1] - 1
    paired = np.full(j, -1, dtype=np.int64)
    while i and j:
        move = moves[i, j]
        if move & SKIP:
            j = int(np.flatnonzero(moves[i, :j] & OPENS)[-1])  # where this run begins
            move = moves[i, j]
        i -= 1
        if move & MATCH:
            j -= 1
            paired[j] = i
    return paired
