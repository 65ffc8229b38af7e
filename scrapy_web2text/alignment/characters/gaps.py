"""The dynamic program that aligns what lies between two matches."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.alignment.characters.symbols import Symbols
from scrapy_web2text.arrays import BoolArray, ByteArray, Int32Array

__all__ = ["align_gap"]


_SKIP_CLEAN: Final = 6  # per character
_OPEN_GAP: Final = 2  # for a run of skipped source symbols, of any length
_IMPOSSIBLE: Final = np.int32(-(2**28))
_MATCH, _SKIP_SOURCE, _OPENS = np.uint8(1), np.uint8(2), np.uint8(4)
_MAX_CACHED: Final = 1 << 22


def align_gap(source: Symbols, clean: Symbols) -> BoolArray:
    """Return which source symbols are aligned in the best alignment. *Shape:* ``(len(source),)``

    Scores (the authors' program): a pair of equal symbols gains its ``gains``, of symbols that differ in their case its
    length; others cannot be paired. A skipped clean symbol costs 6 per character, or 1 where no source symbol stands
    before it; a run of skipped source symbols costs 2, or nothing where no clean symbol stands before it.
    Of equal scores skipping the source is preferred to skipping the clean text, and that to a pair.
    Time and memory grow with ``len(source) * len(clean)``, one byte each.
    """
    return _trace_back(_fill(source, clean))


def _fill(source: Symbols, clean: Symbols) -> ByteArray:
    """Return for each pair of lengths how the best alignment ends. *Shape:* ``(len(clean) + 1, len(source) + 1)``"""
    n = len(source)
    moves = np.empty((len(clean) + 1, n + 1), dtype=np.uint8)
    moves[0], moves[:, 0] = _SKIP_SOURCE | _OPENS, 0
    best = np.zeros(n + 1, dtype=np.int32)
    closed = np.empty(n + 1, dtype=np.int32)  # of those alignments that do not end with a skipped source symbol
    pair, run = np.empty(n, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    gain_rows = _GainRows(source, clean)
    n_before = 0
    for i, (code, length) in enumerate(zip(clean.codes.tolist(), clean.lengths.tolist(), strict=True)):
        n_before += length
        np.add(best[:-1], gain_rows[i, code], out=pair)
        np.subtract(best, _SKIP_CLEAN * length, out=closed)
        closed[0] = -n_before
        row = moves[i + 1, 1:]
        np.greater(pair, closed[1:], out=row.view(bool))
        np.maximum(closed[1:], pair, out=closed[1:])
        # Opening a run again inside a run never pays, so the best run ending here began at the best `closed` so far.
        np.maximum.accumulate(closed, out=run)
        row += _OPENS * (closed[:-1] == run[:-1])
        run -= _OPEN_GAP
        row += _SKIP_SOURCE * (run[:-1] >= closed[1:])
        best[0] = closed[0]
        np.maximum(closed[1:], run[:-1], out=best[1:])
    return moves


class _GainRows:
    """What a clean symbol gains with each source symbol; computed once for each distinct symbol while memory lasts."""

    def __init__(self, source: Symbols, clean: Symbols) -> None:
        self._source = source
        self._clean = clean
        self._rows: dict[int, Int32Array] = {}

    def __getitem__(self, key: tuple[int, int]) -> Int32Array:
        i, code = key
        row = self._rows.get(code)
        if row is None:
            source, clean = self._source, self._clean
            row = np.where(source.folded == clean.folded[i], clean.lengths[i], _IMPOSSIBLE)
            row[source.codes == code] = clean.gains[i]
            if len(self._rows) * len(row) > _MAX_CACHED:
                self._rows.clear()
            self._rows[code] = row
        return row


def _trace_back(moves: ByteArray) -> BoolArray:
    i, j = moves.shape[0] - 1, moves.shape[1] - 1
    matched = np.zeros(j, dtype=bool)
    while i and j:
        move = moves[i, j]
        if move & _SKIP_SOURCE:
            j = _run_start(moves[i], j)
            if not j:
                break
            move = moves[i, j]
        i -= 1
        if move & _MATCH:
            j -= 1
            matched[j] = True
    return matched


def _run_start(row: ByteArray, end: int) -> int:
    """Return the number of source symbols before the run of skipped ones that ends at *end*."""
    width = 64
    while True:
        start = max(end - width, 0)
        opens = np.flatnonzero(row[start + 1 : end + 1] & _OPENS)
        if len(opens):
            return start + int(opens[-1])
        width *= 4
