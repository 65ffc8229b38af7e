"""Kohlschütter's measures of a block: number of words, link density and text density.

Kohlschütter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, sections 3.3 and 3.4. A
*token* is a run of characters between whitespace, a *word* a token with a letter or a digit. In scripts without spaces
each letter is a word. A token ends where a link begins or ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.characters import CharacterClass, Characters, find_runs, join_texts
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

__all__ = ["LINE_WIDTH", "ShallowBlocks", "shallow_blocks"]


# Columns; w_max of section 3.4.
LINE_WIDTH: Final = 80
_NUL: Final = 0
_SPACE: Final = 0x20
_NO_BREAK_SPACE: Final = 0xA0
# Spaces that HTML does not collapse; only one of them is below 256.
_OTHER_SPACES: Final = np.array(
    [_NO_BREAK_SPACE, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
)


@dataclass(frozen=True, slots=True, eq=False)
class ShallowBlocks:
    """The measures of the n blocks of a page.

    :param n_words: number of words of each block. *Shape:* ``(n,)``
    :param link_density: share of the tokens that are in a link, in [0, 1]. *Shape:* ``(n,)``
    :param text_density: tokens per full line of `LINE_WIDTH` columns, at least 0; None if not requested.
        *Shape:* ``(n,)``
    """

    n_words: IntArray
    link_density: DoubleArray
    text_density: DoubleArray | None = None


def shallow_blocks(page: Page, blocks: BlockSequence, *, with_text_density: bool = False) -> ShallowBlocks:
    """Return the measures of *blocks*.

    :param with_text_density: whether to compute text densities, which takes longer than all other measures.
    """
    if not blocks.n_blocks:
        nothing = np.zeros(0)
        return ShallowBlocks(np.zeros(0, dtype=np.int64), nothing, nothing if with_text_density else None)
    text = join_texts([page.texts[leaf] for leaf in blocks.leaves.tolist()])
    check_time()
    begin, end = _token_bounds(text)
    check_time()
    # Each range extends to the start of the next token, which adds only whitespace.
    is_word = np.logical_or.reduceat(text.in_class(CharacterClass.TOKEN | CharacterClass.UNSPACED), begin)
    n_tokens = text.count_positions(begin)
    in_link = page.is_inside({"a"}, blocks.leaves)
    n_block_tokens = np.add.reduceat(n_tokens, blocks.starts)
    n_linked = np.add.reduceat(n_tokens * in_link, blocks.starts)
    return ShallowBlocks(
        n_words=np.add.reduceat(text.count_positions(begin[is_word]), blocks.starts),
        link_density=n_linked / np.maximum(n_block_tokens, 1),
        text_density=_text_density(end - begin, n_block_tokens) if with_text_density else None,
    )


def _token_bounds(text: Characters) -> tuple[IntArray, IntArray]:
    """Return the start and the end of each token. *Shapes:* ``(t,)`` twice"""
    codes = text.codes
    is_visible = (codes != _SPACE) & (codes != _NUL)
    is_visible &= codes != _NO_BREAK_SPACE if codes.dtype == np.uint8 else ~np.isin(codes, _OTHER_SPACES)
    if codes.dtype == np.uint8:  # no script without spaces
        return find_runs(is_visible)
    is_token = text.in_class(CharacterClass.UNSPACED)
    splits = is_token[1:] | is_token[:-1]  # between each character and the next
    begin = np.flatnonzero(is_visible[1:] & (splits | ~is_visible[:-1])) + 1
    end = np.flatnonzero(is_visible[:-1] & (splits | ~is_visible[1:])) + 1
    return begin, end


def _text_density(lengths: IntArray, n_tokens: IntArray) -> DoubleArray:
    """Return the tokens per line of each block, without its last line unless it is the only one (equation 1).

    :param lengths: number of characters of each token. *Shape:* ``(t,)``
    :param n_tokens: number of tokens of each block. *Shape:* ``(n,)``
    :returns: *Shape:* ``(n,)``
    """
    ends = np.cumsum(n_tokens)
    starts = ends - n_tokens
    density = n_tokens.astype(np.float64)
    right = np.cumsum(lengths + 1) - 1  # where each token would end on a single line
    left = right - lengths
    long = np.flatnonzero((n_tokens > 0) & (right[ends - 1] - left[starts.clip(max=len(left) - 1)] > LINE_WIDTH))
    if not len(long):
        return density
    # A line that begins with token i ends before token line_ends[i]. A token that is too long is a line by itself.
    fitting: Any = np.searchsorted(right, left + LINE_WIDTH, side="right")
    line_ends = np.maximum(fitting, np.arange(1, len(left) + 1)).tolist()
    for block, first, end in zip(long.tolist(), starts[long].tolist(), ends[long].tolist(), strict=True):
        n_lines, line = 0, first
        while line_ends[line] < end:
            line = line_ends[line]
            n_lines += 1
        if n_lines:
            density[block] = (line - first) / n_lines
    return density
