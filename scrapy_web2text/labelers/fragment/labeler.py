"""The labeler of fragments: everything that a reader sees is content, except plain furniture."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.budget import check_time, watched
from scrapy_web2text.labelers.base import Labeling, Untrained
from scrapy_web2text.labelers.fragment.furniture import Furniture
from scrapy_web2text.labelers.fragment.phrases import is_call_to_follow, is_call_to_share, is_feed_footer
from scrapy_web2text.labelers.fragment.whole import has_frame, looks_like_whole_page
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, block_texts, mask_to_labels, segment

__all__ = ["FRAGMENT", "FragmentLabeler"]


class FragmentLabeler(Untrained):
    """Labels the blocks of a fragment.

    It estimates nothing, so it gives neither probabilities nor a confidence.
    """

    name: Final = "fragment"
    segmentation: Final = MODERN_BLOCKS

    def label(
        self,
        page: Page,
        *,
        threshold: float | None = None,  # noqa: ARG002
        decoder: Decoder | None = None,  # noqa: ARG002
    ) -> Labeling:
        """Return the labels of the blocks of *page*; *threshold* and *decoder* are ignored."""
        return _label(page, segment(page, MODERN_BLOCKS), Furniture(page))

    def label_markup(self, page: Page) -> Labeling | None:
        """Return the labels of the blocks of *page*; None if it has no text, or looks like a whole page."""
        blocks = segment(page, MODERN_BLOCKS)
        if not blocks.n_blocks or has_frame(page):
            return None
        furniture = Furniture(page)
        return None if looks_like_whole_page(page, blocks, furniture) else _label(page, blocks, furniture)


def _label(page: Page, blocks: BlockSequence, furniture: Furniture) -> Labeling:
    """Return the labels of *blocks*. Furniture inside a block of content is not part of the block."""
    check_time()
    is_furniture = furniture.leaves[blocks.leaves]
    is_furniture |= _mark_calls(page, blocks, is_furniture)[blocks.leaf_blocks]
    is_content = _count(blocks, ~is_furniture) > 0
    kept = _keep_leaves(blocks, ~(is_furniture & is_content[blocks.leaf_blocks]))
    return Labeling(kept, mask_to_labels(is_content), None, kept.sum_leaves(furniture.n_words))


def _count(blocks: BlockSequence, chosen: BoolArray) -> IntArray:
    """Return the number of *chosen* leaves of each block. *Shapes:* ``(k,)`` -> ``(n,)``"""
    return np.bincount(blocks.leaf_blocks[chosen], minlength=blocks.n_blocks)


def _keep_leaves(blocks: BlockSequence, kept: BoolArray) -> BlockSequence:
    """Return *blocks* with only the *kept* leaves, at least one of each block. *Shape:* ``(k,)``"""
    if kept.all():
        return blocks
    sizes = _count(blocks, kept)
    return BlockSequence(blocks.leaves[kept], np.cumsum(sizes) - sizes)


def _mark_calls(page: Page, blocks: BlockSequence, is_furniture: BoolArray) -> BoolArray:
    """Return which blocks are footers of feeds, calls to follow, or calls to share next to the links for it.

    :param is_furniture: which leaves of the blocks are furniture.

    *Shapes:* ``(k,)`` -> ``(n,)``
    """
    in_links = page.is_inside({"a"}, blocks.leaves)
    n_links = _count(blocks, in_links)
    is_empty = _count(blocks, ~is_furniture) == 0
    beside = np.zeros(blocks.n_blocks, dtype=bool)
    beside[1:] |= is_empty[:-1]
    beside[:-1] |= is_empty[1:]
    marked = np.zeros(blocks.n_blocks, dtype=bool)
    for i, text in enumerate(watched(block_texts(page, blocks))):
        is_linked_call = n_links[i] > 0 and (is_feed_footer(text) or is_call_to_follow(text))
        marked[i] = is_linked_call or (beside[i] and is_call_to_share(text))
    return marked


FRAGMENT: Final = FragmentLabeler()
