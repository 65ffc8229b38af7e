"""The moves of a dynamic program that aligns two texts, and the way back through them."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import ByteArray, IntArray

__all__ = ["MATCH", "OPENS", "SKIP", "trace_back"]


# The bits of ``moves[i, j]`` describe the alignments of the first i clean symbols with the first j page symbols.
SKIP: Final = np.uint8(2)  # the best one ends with a run of skipped page symbols
MATCH: Final = np.uint8(1)  # the best one without such a run ends with a pair, not with a skipped clean symbol
OPENS: Final = np.uint8(4)  # the best run of skipped page symbols that ends after j begins here


def trace_back(moves: ByteArray) -> IntArray:
    """Return the index of the clean symbol that each symbol of the page is paired with, -1 for none.

    *Shapes:* ``(m + 1, n + 1)`` -> ``(n,)``
    """
    i, j = moves.shape[0] - 1, moves.shape[1] - 1
    paired = np.full(j, -1, dtype=np.int64)
    while i and j:
        move = moves[i, j]
        if move & SKIP:
            j = _find_opening(moves[i], j)
            move = moves[i, j]
        i -= 1
        if move & MATCH:
            j -= 1
            paired[j] = i
    return paired


def _find_opening(row: ByteArray, end: int) -> int:
    """Return where the run of skipped symbols that ends at *end* begins."""
    width = 64
    while True:
        start = max(end - width, 0)
        opens = np.flatnonzero(row[start:end] & OPENS)
        if len(opens):
            return start + int(opens[-1])
        width *= 4
