"""From a page and its clean text to labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from scrapy_web2text.alignment.characters.anchors import find_matches
from scrapy_web2text.alignment.characters.gaps import align_gap
from scrapy_web2text.alignment.characters.symbols import Text, read_texts, text_to_words
from scrapy_web2text.arrays import BoolArray, IntArray

if TYPE_CHECKING:
    from scrapy_web2text.page.arrays import Page
    from scrapy_web2text.page.blocks import BlockSequence

__all__ = ["align", "align_blocks", "align_leaves", "align_page", "label_counts", "leaves_to_blocks"]


ANCHOR_LENGTHS: Final = (10, 40, 160)
# A cell is a pair of a source and a clean symbol. The largest table takes 64 MiB and about half a second, the whole
# budget a few seconds.
_MAX_CELLS: Final = 1 << 26
_BUDGET: Final = 1 << 30
_ROW_COST: Final = 1 << 11  # a row of a small table costs about as much as so many cells
_MAX_ROUNDS: Final = 8


def align_blocks(texts: Sequence[str], clean: str) -> IntArray:
    """Return the label of each block: CONTENT (1) if more than two thirds of its characters are aligned.

    *Shape:* ``(len(texts),)``

    :param texts: the texts of all blocks of a page, in document order.
    :param clean: the page's main content as plain text.
    """
    return label_counts(*align_leaves(texts, clean))


def align_page(page: Page, blocks: BlockSequence, clean: str) -> IntArray:
    """Return the label of each block of *page*. *Shape:* ``(blocks.n_blocks,)``

    Leaves that the blocks leave out are aligned too: a part of the clean text may come from them.
    """
    return leaves_to_blocks(blocks, *align_leaves(page.texts, clean))


def leaves_to_blocks(blocks: BlockSequence, n_aligned: IntArray, n_characters: IntArray) -> IntArray:
    """Return the label of each block from the counts of the page's leaves. *Shape:* ``(blocks.n_blocks,)``"""
    sums = [
        np.bincount(blocks.leaf_blocks, weights=counts[blocks.leaves], minlength=blocks.n_blocks).astype(np.int64)
        for counts in (n_aligned, n_characters)
    ]
    return label_counts(sums[0], sums[1])


def align_leaves(texts: Sequence[str], clean: str) -> tuple[IntArray, IntArray]:
    """Return how many characters of each text are aligned, and how many it has. *Shapes:* ``(len(texts),)``

    Blanks are not counted.
    """
    source = read_texts(texts)
    return source.count(align(source, read_texts([clean]))), source.count_characters()


def label_counts(n_aligned: IntArray, n_characters: IntArray) -> IntArray:
    """Return CONTENT where more than two thirds of the characters are aligned. *Shapes:* ``(n,)`` -> ``(n,)``"""
    return (n_aligned > 2 * n_characters // 3).astype(np.int64)


class _Gap(NamedTuple):
    """A stretch of the source and the stretch of the clean text that belongs to it."""

    source_start: int
    source_end: int
    clean_start: int
    clean_end: int

    @property
    def n_cells(self) -> int:
        return (self.source_end - self.source_start) * (self.clean_end - self.clean_start)


def align(source: Text, clean: Text) -> BoolArray:
    """Return which positions of *source* are aligned. *Shape:* ``(n,)``

    A gap of more than 2**26 cells is divided again by anchors of its own, which are unique in the gap or longer; where
    there are none it is aligned by words. What is still too large, or comes when the page has used up its 2**30 cells,
    the small gaps being first, stays unaligned.
    """
    aligned = np.zeros(len(source.characters), dtype=bool)
    gaps = _divide(source, clean, aligned)
    budget = _BUDGET
    for gap in sorted(gaps, key=lambda gap: gap.n_cells):
        budget -= _align_gap(source, clean, gap, aligned, budget)
    return aligned


def _divide(source: Text, clean: Text, aligned: BoolArray) -> list[_Gap]:
    """Return the gaps between the matches, which are marked in *aligned*."""
    gaps = []
    todo = [(_Gap(0, len(source.characters), 0, len(clean.characters)), 1)]
    while todo:
        gap, n_rounds = todo.pop()
        parts = _divide_gap(source, clean, gap, aligned)
        for part in parts:
            if part.n_cells > _MAX_CELLS and n_rounds < _MAX_ROUNDS and part != gap:
                todo.append((part, n_rounds + 1))
            else:
                gaps.append(part)
    return gaps


def _divide_gap(source: Text, clean: Text, gap: _Gap, aligned: BoolArray) -> list[_Gap]:
    source_part = source.characters.part(gap.source_start, gap.source_end)
    clean_part = clean.characters.part(gap.clean_start, gap.clean_end)
    parts = []
    for length in ANCHOR_LENGTHS:
        matches = find_matches(source_part, clean_part, length)
        if len(matches) or gap.n_cells <= _MAX_CELLS:
            break
    source_start, clean_start = gap.source_start, gap.clean_start
    for in_source, in_clean, n_matched in matches.tolist():
        source_end, clean_end = gap.source_start + in_source, gap.clean_start + in_clean
        aligned[source_end : source_end + n_matched] = True
        parts.append(_Gap(source_start, source_end, clean_start, clean_end))
        source_start, clean_start = source_end + n_matched, clean_end + n_matched
    parts.append(_Gap(source_start, gap.source_end, clean_start, gap.clean_end))
    return [part for part in parts if part.n_cells]


def _align_gap(source: Text, clean: Text, gap: _Gap, aligned: BoolArray, budget: int) -> int:
    """Mark what is aligned in *gap* and return what that cost; nothing if it would cost more than *budget*."""
    by_words = gap.n_cells > _MAX_CELLS
    n_source, n_clean = gap.source_end - gap.source_start, gap.clean_end - gap.clean_start
    if by_words:
        n_source = int(np.count_nonzero(source.starts_word[gap.source_start : gap.source_end]))
        n_clean = int(np.count_nonzero(clean.starts_word[gap.clean_start : gap.clean_end]))
    cost = n_clean * (n_source + _ROW_COST)
    if n_clean * n_source > _MAX_CELLS or cost > budget:
        return 0
    if by_words:
        matched = _align_words(source, clean, gap)
    else:
        source_part = source.characters.part(gap.source_start, gap.source_end)
        matched = align_gap(source_part, clean.characters.part(gap.clean_start, gap.clean_end))
    aligned[gap.source_start : gap.source_end] = matched
    return cost


def _align_words(source: Text, clean: Text, gap: _Gap) -> BoolArray:
    numbers: dict[bytes, int] = {}
    source_words, firsts = text_to_words(source, gap.source_start, gap.source_end, numbers)
    clean_words, _ = text_to_words(clean, gap.clean_start, gap.clean_end, numbers)
    matched = align_gap(source_words, clean_words)
    return np.repeat(matched, np.diff(firsts, append=gap.source_end - gap.source_start))
