"""Alignment by characters, which gives the labels of the paper (Web2Text, section 4.1.1).

Runs of characters that occur once in the page are looked up in the clean text (anchors). The gaps between them are
aligned by dynamic programming. A block is content if more than two thirds of its characters are aligned.
`research/docs/alignment.md` says how this differs from the authors' program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from research.alignment.matches import MASK, Symbols, Text, find_matches, read_texts, text_to_words
from scrapy_web2text.alignment.gaps import OPENS, SKIP, Gap, divide, trace_back
from scrapy_web2text.common.arrays import BoolArray, ByteArray, Int32Array, IntArray
from scrapy_web2text.page.blocks import mask_to_labels


def align_leaves(texts: Sequence[str], clean: str) -> tuple[IntArray, IntArray]:
    """Return how many characters of each text are aligned, and how many it has, whitespace aside.

    *Shapes:* ``(len(texts),)`` twice

    :param texts: the texts of all leaves of a page, in document order. Those outside the blocks of a labeler belong to
        them too: a part of the clean text may come from them.
    :param clean: the page's main content as plain text.
    """
    page = read_texts(texts)
    return page.count(align_characters(page, read_texts([clean]))), page.count(page.characters.codes != MASK)


def counts_to_labels(n_aligned: IntArray, n_characters: IntArray) -> IntArray:
    """Return CONTENT where more than two thirds of the characters are aligned. *Shapes:* ``(n,)`` -> ``(n,)``"""
    return mask_to_labels(n_aligned > 2 * n_characters // 3)


_ANCHOR_LENGTHS: Final = (10, 40, 160)
# A cell is a pair of a symbol of the page and one of the clean text. The largest table takes 64 MiB and about half a
# second, the whole budget a few seconds.
_MAX_CELLS: Final = 1 << 26
_BUDGET: Final = 1 << 30
_ROW_COST: Final = 1 << 11  # a row of a small table costs about as much as this number of cells


def align_characters(page: Text, clean: Text) -> BoolArray:
    """Return which positions of *page* are aligned. *Shape:* ``(n,)``

    A gap that still has more than 2**26 cells after all divisions is aligned by words. It stays unaligned if its words
    have too many cells as well. So does any gap that costs more than is left of the page's budget of 2**30 cells;
    small gaps come first.
    """

    def find(gap: Gap, length: int) -> IntArray:
        return find_matches(page.characters.part(gap.in_page), clean.characters.part(gap.in_clean), length)

    whole = Gap(0, len(page.characters), 0, len(clean.characters))
    matches, gaps = divide(whole, find, _ANCHOR_LENGTHS, _MAX_CELLS)
    is_aligned = np.zeros(len(page.characters), dtype=bool)
    for start, _, length in matches.tolist():
        is_aligned[start : start + length] = True
    budget = _BUDGET
    for gap in sorted(gaps, key=lambda gap: gap.n_cells):
        budget -= _align_gap(page, clean, gap, is_aligned, budget)
    return is_aligned


def _align_gap(page: Text, clean: Text, gap: Gap, is_aligned: BoolArray, budget: int) -> int:
    """Mark the aligned characters of *gap* and return the cost in cells; 0 if it is skipped as it exceeds a limit."""
    by_words = gap.n_cells > _MAX_CELLS
    n_page, n_clean = gap.page_end - gap.page_start, gap.clean_end - gap.clean_start
    if by_words:
        n_page = int(np.count_nonzero(page.starts_word[gap.in_page]))
        n_clean = int(np.count_nonzero(clean.starts_word[gap.in_clean]))
    cost = n_clean * (n_page + _ROW_COST)
    if n_clean * n_page > _MAX_CELLS or cost > budget:
        return 0
    if by_words:
        numbers: dict[bytes, int] = {}
        page_words, firsts = text_to_words(page, gap.in_page, numbers)
        clean_words, _ = text_to_words(clean, gap.in_clean, numbers)
        n_characters = np.diff(firsts, append=gap.page_end - gap.page_start)
        is_aligned[gap.in_page] = np.repeat(align_symbols(page_words, clean_words), n_characters)
    else:
        is_aligned[gap.in_page] = align_symbols(page.characters.part(gap.in_page), clean.characters.part(gap.in_clean))
    return cost


_SKIP_CLEAN: Final = 6  # per character
_OPEN_RUN: Final = 2  # per run of skipped symbols of the page, of any length
_IMPOSSIBLE: Final = np.int32(-(2**28))
_MAX_CACHED: Final = 1 << 22


def align_symbols(page: Symbols, clean: Symbols) -> BoolArray:
    """Return which symbols of the page are aligned in the best alignment. *Shape:* ``(len(page),)``

    The scores are those of the authors' program. A pair of equal symbols gains their `Symbols.gains`, a pair of symbols
    that differ only in case their length; other symbols cannot be paired. A skipped clean symbol costs 6 per character,
    or 1 before the first symbol of the page. A run of skipped symbols of the page costs 2, or nothing before the first
    clean symbol. Of equal scores, skipping the page is preferred to skipping the clean text, and both to a pair.

    Time and memory grow with ``len(page) * len(clean)``; a cell takes one byte.
    """
    return trace_back(_fill(page, clean)) >= 0


def _fill(page: Symbols, clean: Symbols) -> ByteArray:
    """Return the moves, bits from `alignment.gaps`. *Shape:* ``(len(clean) + 1, len(page) + 1)``"""
    n = len(page)
    moves = np.empty((len(clean) + 1, n + 1), dtype=np.uint8)
    moves[0], moves[:, 0] = SKIP, 0
    best = np.zeros(n + 1, dtype=np.int32)
    closed = np.empty(n + 1, dtype=np.int32)  # of alignments that do not end with a skipped symbol of the page
    pair, run = np.empty(n, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    n_before = 0
    for i, (gains, length) in enumerate(zip(_gain_rows(page, clean), clean.lengths.tolist(), strict=True)):
        n_before += length
        np.add(best[:-1], gains, out=pair)
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


def _gain_rows(page: Symbols, clean: Symbols) -> Iterator[Int32Array]:
    """Yield the scores of pairing each clean symbol with each symbol of the page; a limited cache holds them."""
    rows: dict[int, Int32Array] = {}
    for code, folded, gain, length in zip(clean.codes.tolist(), clean.folded, clean.gains, clean.lengths, strict=True):
        if code not in rows:
            row = np.where(page.folded == folded, length, _IMPOSSIBLE)
            row[page.codes == code] = gain
            if len(rows) * len(row) > _MAX_CACHED:
                rows.clear()
            rows[code] = row
        yield rows[code]
