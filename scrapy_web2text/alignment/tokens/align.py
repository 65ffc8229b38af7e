"""The positions of a page's tokens in its clean text."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.alignment.chains import find_heaviest_chain
from scrapy_web2text.alignment.gaps import Gap, divide
from scrapy_web2text.alignment.runs import find_anchors, join_anchors
from scrapy_web2text.alignment.tokens.gaps import align_gap
from scrapy_web2text.arrays import BoolArray, IntArray

__all__ = ["align_tokens"]


_ANCHOR_LENGTHS: Final = (4, 12, 36)  # tokens
_MAX_CELLS: Final = 1 << 25  # of one gap: 32 MiB, and about a third of a second
_BUDGET: Final = 1 << 28  # cells of one page
_ROW_COST: Final = 1 << 12  # a row of a small table costs about as much as this number of cells


def align_tokens(page: IntArray, clean: IntArray, cuts: BoolArray) -> IntArray:
    """Return the position in *clean* of each token of *page*, ascending; -1 for tokens without one.

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

    An anchor is a run of *length* tokens that occurs once in each text, so matches overlap by fewer tokens than that.
    Each match also enters the chain without its first 1, 2, … tokens, so that an overlap is cut off and not counted.

    *Shape:* ``(number of matches, 3)``
    """
    matches = join_anchors(*find_anchors(page, clean, length, once_in_clean=True), length)
    matches = matches[np.argsort(matches[:, 0], kind="stable")]
    n_cut = np.tile(np.arange(length), len(matches))
    begins, lengths = np.repeat(matches[:, :2], length, axis=0), np.repeat(matches[:, 2], length)
    begins, lengths = begins + n_cut[:, None], lengths - n_cut
    ends = begins + lengths[:, None]
    # The page is the second text here, so that of equally heavy chains the one that ends first in the page continues.
    chain = find_heaviest_chain(begins[:, ::-1], ends[:, ::-1], lengths)
    return np.column_stack([begins, lengths])[chain]
