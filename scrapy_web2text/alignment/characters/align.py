"""Which characters of a page are in its clean text."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.alignment.characters.gaps import align_gap
from scrapy_web2text.alignment.characters.matches import find_matches
from scrapy_web2text.alignment.characters.symbols import Text, text_to_words
from scrapy_web2text.alignment.gaps import Gap, divide
from scrapy_web2text.arrays import BoolArray, IntArray

__all__ = ["align_characters"]


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
        is_aligned[gap.in_page] = _align_words(page, clean, gap)
    else:
        is_aligned[gap.in_page] = align_gap(page.characters.part(gap.in_page), clean.characters.part(gap.in_clean))
    return cost


def _align_words(page: Text, clean: Text, gap: Gap) -> BoolArray:
    """Return which characters of *gap* are in aligned words. *Shape:* ``(gap.page_end - gap.page_start,)``"""
    numbers: dict[bytes, int] = {}
    page_words, firsts = text_to_words(page, gap.in_page, numbers)
    clean_words, _ = text_to_words(clean, gap.in_clean, numbers)
    return np.repeat(align_gap(page_words, clean_words), np.diff(firsts, append=gap.page_end - gap.page_start))
