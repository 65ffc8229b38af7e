"""Kohlschütter's measures of a block: number of words, link density and text density.

Kohlschütter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, sections 3.3 and 3.4. A
*token* is a run of characters between whitespace, a *word* a token with a letter or a digit. In scripts without spaces
each letter is a word. A token ends where a link begins or ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scrapy_web2text.common.arrays import DoubleArray, IntArray
from scrapy_web2text.features.texts import count_between_spaces, token_lengths
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

# Columns of text in a line: w_max of section 3.4.
LINE_WIDTH: Final = 80
_LINKS: Final = frozenset({"a"})


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
    texts = [page.texts[leaf] for leaf in blocks.leaves.tolist()]
    n_tokens, n_words = count_between_spaces(texts)
    n_linked_tokens = n_tokens * page.is_inside(_LINKS, blocks.leaves)
    starts = blocks.starts.astype(np.intp)
    n_block_tokens = np.add.reduceat(n_tokens, starts)
    return ShallowBlocks(
        n_words=np.add.reduceat(n_words, starts),
        link_density=np.add.reduceat(n_linked_tokens, starts) / np.maximum(n_block_tokens, 1),
        text_density=_text_density(token_lengths(texts), n_block_tokens) if with_text_density else None,
    )


def _text_density(lengths: IntArray, n_tokens: IntArray) -> DoubleArray:
    """Return the tokens per line of each block (equation 1). The last of several lines does not count.

    :param lengths: number of characters of each token. *Shape:* ``(t,)``
    :param n_tokens: number of tokens of each block. *Shape:* ``(n,)``
    :returns: *Shape:* ``(n,)``
    """
    ends = np.cumsum(n_tokens)
    starts = ends - n_tokens
    density = n_tokens.astype(np.float64)
    right = np.cumsum(lengths + 1) - 1  # where each token would end on a single line
    left = right - lengths
    long = ((n_tokens > 0) & (right[ends - 1] - left[starts.clip(max=len(left) - 1)] > LINE_WIDTH)).nonzero()[0]
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
