"""Paragraphs that are content, and how many of them a labeler splits.

Web2Text labels text nodes, so a link can have another label than the sentence around it. Section 3.2 of the paper
reports "no cases where parts of a textual paragraph are wrongly labeled as boilerplate, while the rest are marked as
main content". The paper does not say what a textual paragraph is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.features.texts import count_between_spaces
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, TEXT_LEAVES, segment

__all__ = ["MINIMUM_WORDS", "content_paragraphs", "count_split"]

# Shorter paragraphs are often bylines, dates or navigation.
MINIMUM_WORDS: Final = 15
_PARAGRAPHS: Final = replace(
    TEXT_LEAVES, name="paragraphs", transparent=frozenset({"br", *(MODERN_BLOCKS.transparent or ())})
)
_PARAGRAPH_TAGS: Final = frozenset({"p"})


def content_paragraphs(page: Page, labels: IntArray) -> list[IntArray]:
    """Return the leaves of each paragraph of *page* that is content as a whole and could be split.

    A paragraph is text in a ``p`` element between tags other than ``br`` and those of inline elements. It has two or
    more leaves and `MINIMUM_WORDS` words or more.

    :param labels: expected labels of the leaves. *Shape:* ``(m,)``
    """
    blocks = segment(page, _PARAGRAPHS)
    if not blocks.n_blocks:
        return []
    is_in_paragraph = np.zeros(page.n_leaves, dtype=np.int64)
    is_in_paragraph[blocks.leaves] = page.is_inside(_PARAGRAPH_TAGS, blocks.leaves)
    n_leaves = blocks.ends - blocks.starts
    is_wanted = (
        (n_leaves > 1)
        & (blocks.sum_leaves(is_in_paragraph) == n_leaves)
        & (blocks.sum_leaves(labels) == n_leaves)
        & (blocks.sum_leaves(count_between_spaces(page.texts)[1]) >= MINIMUM_WORDS)
    )
    wanted = np.flatnonzero(is_wanted).tolist()
    return [blocks.leaves[blocks.starts[block] : blocks.ends[block]] for block in wanted]


def count_split(paragraphs: Sequence[IntArray], labels: IntArray) -> int:
    """Return how many *paragraphs* have leaves of both labels.

    :param labels: labels of all leaves of the page. *Shape:* ``(m,)``
    """
    return sum(bool((labels[leaves] != labels[leaves[0]]).any()) for leaves in paragraphs)
