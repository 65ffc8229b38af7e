"""The labels of blocks, from the share of their characters in the clean text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrapy_web2text.alignment.characters.align import align_characters
from scrapy_web2text.alignment.characters.symbols import read_texts
from scrapy_web2text.arrays import IntArray
from scrapy_web2text.page.blocks import mask_to_labels

if TYPE_CHECKING:
    from scrapy_web2text.page.arrays import Page
    from scrapy_web2text.page.blocks import BlockSequence

__all__ = ["align_blocks", "align_leaves", "align_page", "counts_to_labels", "leaf_counts_to_labels"]


def align_blocks(texts: Sequence[str], clean: str) -> IntArray:
    """Return the label of each block: CONTENT (1) if more than two thirds of its characters are aligned.

    *Shape:* ``(len(texts),)``

    :param texts: the texts of all blocks of a page, in document order.
    :param clean: the page's main content as plain text.
    """
    return counts_to_labels(*align_leaves(texts, clean))


def align_page(page: Page, blocks: BlockSequence, clean: str) -> IntArray:
    """Return the label of each block of *page*. *Shape:* ``(blocks.n_blocks,)``

    Leaves outside the blocks are aligned too: a part of the clean text may come from them.
    """
    return leaf_counts_to_labels(blocks, *align_leaves(page.texts, clean))


def leaf_counts_to_labels(blocks: BlockSequence, n_aligned: IntArray, n_characters: IntArray) -> IntArray:
    """Return the label of each block, from the counts of `align_leaves` for the leaves of its page.

    *Shapes:* ``(n_leaves of the page,)`` twice -> ``(blocks.n_blocks,)``
    """
    return counts_to_labels(blocks.sum_leaves(n_aligned), blocks.sum_leaves(n_characters))


def align_leaves(texts: Sequence[str], clean: str) -> tuple[IntArray, IntArray]:
    """Return how many characters of each text are aligned, and how many it has, whitespace aside.

    *Shapes:* ``(len(texts),)`` twice
    """
    page = read_texts(texts)
    return page.count(align_characters(page, read_texts([clean]))), page.count_characters()


def counts_to_labels(n_aligned: IntArray, n_characters: IntArray) -> IntArray:
    """Return CONTENT where more than two thirds of the characters are aligned. *Shapes:* ``(n,)`` -> ``(n,)``"""
    return mask_to_labels(n_aligned > 2 * n_characters // 3)
