"""BTE, Body Text Extraction: the window of a page with the most text inside and the most tags outside.

Finn, Kushmerick, Smyth: Fact or fiction: Content classification for digital libraries, 2001. The paper tries all pairs
of bounds. But tags outside plus tokens inside equals a constant plus tokens inside minus tags inside, so the best
window is the run with the largest sum, which one pass finds. A window never begins or ends within a text, because each
token adds to the sum.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.extraction import Label
from scrapy_web2text.features.texts import count_tokens
from scrapy_web2text.labelers.rules import Decision, RuleLabeler
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import TEXT_LEAVES, BlockSequence
from scrapy_web2text.page.tags import COMMENT

BTE_LEAVES: Final = replace(TEXT_LEAVES, name="bte-leaves", keeps_long_noscript=True)
# Elements without an end tag.
_VOID: Final = frozenset("base br col embed hr img input link meta source track wbr".split())


def find_window(n_tokens: IntArray, n_tags: IntArray) -> tuple[int, int]:
    """Return the first and the last text of the best window; of equal windows, the window that ends and begins first.

    :param n_tokens: number of tokens of each text, for one text or more. *Shape:* ``(n,)``
    :param n_tags: number of tags before each text, ascending. *Shape:* ``(n,)``
    """
    tokens_to = np.cumsum(n_tokens)
    # The sum of a window is the gain at its last text minus the loss at its first.
    gain_to = tokens_to - n_tags
    loss_before = tokens_to - n_tokens - n_tags
    best_loss = np.minimum.accumulate(loss_before)
    last = int(np.argmax(gain_to - best_loss))
    return int(np.argmin(loss_before[: last + 1])), last


class BteRules(RuleLabeler):
    """Labels the blocks in the best window as content. Group 0 is outside the window, group 1 inside.

    The tags of the parsed page count: an end tag counts even if the source omits it. Dropped elements, such as
    scripts and form menus, do not count, and neither do the tags inside them.
    """

    segmentation = BTE_LEAVES

    def __init__(self) -> None:
        super().__init__("bte", n_groups=2)

    def decide(self, page: Page, blocks: BlockSequence) -> Decision:
        """Return the blocks in the window as content."""
        labels = np.full(blocks.n_blocks, Label.BOILERPLATE, dtype=np.int64)
        if not blocks.n_blocks:
            return Decision(labels, labels, labels)
        n_tokens = count_tokens([page.texts[leaf] for leaf in blocks.leaves.tolist()])
        first, last = find_window(n_tokens, _count_tags(page)[page.leaf_slots[blocks.leaves]])
        labels[first : last + 1] = Label.CONTENT
        return Decision(labels, labels, n_tokens)


def _count_tags(page: Page) -> IntArray:
    """Return the number of tags up to each slot. *Shape:* ``(2n,)``"""
    is_void = page.tags_in(_VOID)
    # Void elements count as tags although they have no text. A noscript may contain the whole page.
    inside_dropped = page.count_enclosing(page.tags_in(BTE_LEAVES.dropped - _VOID - {"noscript"}))
    counts = (page.tags != COMMENT) & (inside_dropped[page.open_slots] == 0)
    is_tag = np.zeros(2 * page.n_elements, dtype=np.int64)
    is_tag[page.open_slots[counts]] = 1
    is_tag[page.close_slots[counts & ~is_void]] = 1
    return np.cumsum(is_tag)


BTE: Final = BteRules()
