"""The labels of blocks, from the share of their tokens in the clean text."""

from __future__ import annotations

import numpy as np

from scrapy_web2text.alignment.tokens.coverage import LeafCoverage
from scrapy_web2text.arrays import IntArray
from scrapy_web2text.page.blocks import BlockSequence, mask_to_labels

__all__ = ["label_blocks"]


def label_blocks(blocks: BlockSequence, coverage: LeafCoverage, *, least_share: float = 0.5) -> IntArray:
    """Return the label of each block: CONTENT if at least *least_share* of its tokens are in the clean text.

    A block without tokens, such as a bullet, gets the label of its neighbors if these agree, else BOILERPLATE.

    *Shape:* ``(n_blocks,)``
    """
    n_covered, n_tokens = blocks.sum_leaves(coverage.n_covered), blocks.sum_leaves(coverage.n_tokens)
    labels = mask_to_labels((n_covered > 0) & (n_covered >= least_share * n_tokens))
    known = np.flatnonzero(n_tokens > 0)
    if len(known):
        unknown = np.flatnonzero(n_tokens == 0)
        following = np.searchsorted(known, unknown)
        before = labels[known[np.maximum(following - 1, 0)]]
        after = labels[known[np.minimum(following, len(known) - 1)]]
        is_between = (following > 0) & (following < len(known))
        labels[unknown] = before & after & is_between
    return labels
