"""BTE, Body Text Extraction: the window of a page with the most text in it and the most tags outside of it.

Finn, Kushmerick, Smyth: Fact or fiction: Content classification for digital libraries, 2001. The paper tries all pairs
of bounds; but tags outside plus tokens inside is a constant plus tokens inside minus tags inside, so the window is the
run of largest sum, which one pass finds. A window never begins or ends within a text, as each token adds to its sum.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.features.characters import count_tokens
from scrapy_web2text.labelers.rules import Decision, RuleLabeler
from scrapy_web2text.page.arrays import COMMENT, Page
from scrapy_web2text.page.blocks import TEXT_LEAVES, BlockSequence

__all__ = ["BTE", "BTE_LEAVES", "BteRules", "find_window"]


BTE_LEAVES: Final = replace(TEXT_LEAVES, name="bte-leaves", keeps_long_noscript=True)
# Elements without an end tag.
_VOID: Final = frozenset("base br col embed hr img input link meta source track wbr".split())


def find_window(n_tokens: IntArray, n_tags: IntArray) -> tuple[int, int]:
    """Return the first text of the window, and the last; of equally good windows the one that ends and begins first.

    :param n_tokens: tokens of each text, one text at least. *Shape:* ``(n,)``
    :param n_tags: tags above the beginning of each text, never falling. *Shape:* ``(n,)``
    """
    tokens_to = np.cumsum(n_tokens)
    gain_to = tokens_to - n_tags  # a window's sum is this at its last text,
    loss_before = tokens_to - n_tokens - n_tags  # less this at its first
    best_loss = np.minimum.accumulate(loss_before)
    last = int(np.argmax(gain_to - best_loss))
    return int(np.argmin(loss_before[: last + 1])), last


class BteRules(RuleLabeler):
    """Labels what is in the window as content; its groups are outside and inside.

    Tags are those of the parsed page: an end tag counts whether it was written or not. Those of scripts, menus of forms
    and the like count as little as their text.
    """

    segmentation = BTE_LEAVES

    def __init__(self) -> None:
        super().__init__("bte", n_groups=2)

    def decide(self, page: Page, blocks: BlockSequence) -> Decision:
        """Return what is in the window as content."""
        labels = np.zeros(blocks.n_blocks, dtype=np.int64)
        if not blocks.n_blocks:
            return Decision(labels, labels, labels)
        n_tokens = count_tokens([page.texts[leaf] for leaf in blocks.leaves.tolist()])
        first, last = find_window(n_tokens, _count_tags(page)[page.leaf_slots[blocks.leaves]])
        labels[first : last + 1] = 1
        return Decision(labels, labels, n_tokens)


def _count_tags(page: Page) -> IntArray:
    """Return how many tags have come at each slot. *Shape:* ``(2n,)``"""
    is_void = page.tags_in(_VOID)
    # A void element is a tag, although its text would be none of the page's; in a noscript there may be a whole page.
    inside_dropped = page.count_enclosing(page.tags_in(BTE_LEAVES.dropped - _VOID - {"noscript"}))
    counts = (page.tags != COMMENT) & (inside_dropped[page.open_slots] == 0)
    is_tag = np.zeros(2 * page.n_elements, dtype=np.int64)
    is_tag[page.open_slots[counts]] = 1
    is_tag[page.close_slots[counts & ~is_void]] = 1
    return np.cumsum(is_tag)


BTE: Final = BteRules()
