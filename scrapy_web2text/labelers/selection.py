"""Labels by selectors: the elements that are content, and those that are not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from scrapy_web2text.features.characters import count_tokens
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, Label, block_texts, mask_to_labels, segment
from scrapy_web2text.page.selection import mark_selected_leaves

__all__ = ["exclude_elements", "label_elements"]


def label_elements(page: Page, include: Collection[str]) -> Labeling | None:
    """Return the labels by which all text inside the elements that *include* selects is content; None without text.

    Blocks that are only partly inside are cut. They have no probabilities: nothing was estimated.
    """
    is_inside = mark_selected_leaves(page, include)
    blocks = segment(page, MODERN_BLOCKS)
    chosen = is_inside[blocks.leaves]
    if not chosen.any():
        return None
    blocks = blocks.cut(chosen)
    labels = mask_to_labels(chosen[blocks.starts])
    return Labeling(blocks, labels, None, count_tokens(block_texts(page, blocks)))


def exclude_elements(page: Page, labeling: Labeling, exclude: Collection[str]) -> Labeling:
    """Return *labeling* without content inside the elements that *exclude* selects.

    Their blocks have the probability 0, if the others have any, since the user knows that they are not content. Blocks
    that are only partly inside are cut.
    """
    if not exclude or not labeling.blocks.n_blocks:
        return labeling
    blocks = labeling.blocks
    excluded = mark_selected_leaves(page, exclude)[blocks.leaves]
    if not excluded.any():
        return labeling
    cut = blocks.cut(excluded)
    origin, is_excluded = blocks.leaf_blocks[cut.starts], excluded[cut.starts]
    labels, probabilities = labeling.labels[origin], labeling.probabilities
    labels[is_excluded] = Label.BOILERPLATE
    if probabilities is not None:
        probabilities = np.where(is_excluded, 0.0, probabilities[origin])
    n_tokens = labeling.n_tokens[origin]
    if cut.n_blocks > blocks.n_blocks:
        n_tokens = count_tokens(block_texts(page, cut))
    return replace(labeling, blocks=cut, labels=labels, probabilities=probabilities, n_tokens=n_tokens)
