"""The dynamic program that aligns a gap by characters, or by words scored as their characters are."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.alignment.characters.symbols import Symbols
from scrapy_web2text.alignment.moves import OPENS, SKIP, trace_back
from scrapy_web2text.arrays import BoolArray, ByteArray, Int32Array

__all__ = ["align_gap"]


_SKIP_CLEAN: Final = 6  # per character
_OPEN_RUN: Final = 2  # per run of skipped symbols of the page, of any length
_IMPOSSIBLE: Final = np.int32(-(2**28))
_MAX_CACHED: Final = 1 << 22


def align_gap(page: Symbols, clean: Symbols) -> BoolArray:
    """Return which symbols of the page are aligned in the best alignment. *Shape:* ``(len(page),)``

    The scores are those of the authors' program. A pair of equal symbols gains their `Symbols.gains`, a pair of symbols
    that differ only in case their length; other symbols cannot be paired. A skipped clean symbol costs 6 per character,
    or 1 before the first symbol of the page. A run of skipped symbols of the page costs 2, or nothing before the first
    clean symbol. Of equal scores, skipping the page is preferred to skipping the clean text, and both to a pair.

    Time and memory grow with ``len(page) * len(clean)``; a cell takes one byte.
    """
    return trace_back(_fill(page, clean)) >= 0


def _fill(page: Symbols, clean: Symbols) -> ByteArray:
    """Return the moves, bits from `alignment.moves`. *Shape:* ``(len(clean) + 1, len(page) + 1)``"""
    n = len(page)
    moves = np.empty((len(clean) + 1, n + 1), dtype=np.uint8)
    moves[0], moves[:, 0] = SKIP, 0
    best = np.zeros(n + 1, dtype=np.int32)
    closed = np.empty(n + 1, dtype=np.int32)  # of alignments that do not end with a skipped symbol of the page
    pair, run = np.empty(n, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    gain_rows = _GainRows(page, clean)
    n_before = 0
    for i, (code, length) in enumerate(zip(clean.codes.tolist(), clean.lengths.tolist(), strict=True)):
        n_before += length
        np.add(best[:-1], gain_rows[i, code], out=pair)
        np.subtract(best, _SKIP_CLEAN * length, out=closed)
        closed[0] = -n_before
        row = moves[i + 1]
        np.greater(pair, closed[1:], out=row[1:].view(bool))  # True is `MATCH`
        np.maximum(closed[1:], pair, out=closed[1:])
        # A run within a run never pays, so the best run that ends here began at the best `closed` so far.
        np.maximum.accumulate(closed, out=run)
        row += OPENS * (closed == run)
        run -= _OPEN_RUN
        row[1:] += SKIP * (run[:-1] >= closed[1:])
        best[0] = closed[0]
        np.maximum(closed[1:], run[:-1], out=best[1:])
    return moves


class _GainRows:
    """Scores of pairing a clean symbol with each symbol of the page; a cache of limited size holds them by symbol."""

    def __init__(self, page: Symbols, clean: Symbols) -> None:
        self._page = page
        self._clean = clean
        self._rows: dict[int, Int32Array] = {}

    def __getitem__(self, key: tuple[int, int]) -> Int32Array:
        i, code = key
        row = self._rows.get(code)
        if row is None:
            page, clean = self._page, self._clean
            row = np.where(page.folded == clean.folded[i], clean.lengths[i], _IMPOSSIBLE)
            row[page.codes == code] = clean.gains[i]
            if len(self._rows) * len(row) > _MAX_CACHED:
                self._rows.clear()
            self._rows[code] = row
        return row
