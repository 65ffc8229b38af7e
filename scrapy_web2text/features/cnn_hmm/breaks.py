"""Line breaks between the leaves of an unstyled page."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.cdom import Cdom

__all__ = ["line_breaks"]


# The authors' list, which lacks dt, th and caption.
_BLOCK_TAGS: Final = frozenset(
    """address article aside blockquote body br canvas center checkbox dd div dl fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe input li main nav noscript ol output p pre radio section select
    table tbody td textarea tfoot thead tr ul video""".split()
)


def line_breaks(page: Page, cdom: Cdom, leaves: IntArray) -> BoolArray:
    """Return whether a line ends between neighboring leaves. *Shapes:* leaves ``(k,)`` -> ``(max(k - 1, 0),)``

    A block element breaks the line before it. So does any other element or text that directly follows a block element.
    The line is broken before a leaf of the CDOM if the outermost element of its chain breaks it, or its text if the
    chain is empty. It is also broken if some inner node begins with the leaf and an element of that node's chain breaks
    it. The same rules, mirrored, hold for the line after a leaf.
    """
    is_block = page.tags_in(_BLOCK_TAGS)
    opens = np.zeros(2 * page.n_elements + 1, dtype=bool)  # one slot more, as no tag follows the last
    closes = np.zeros(2 * page.n_elements + 1, dtype=bool)
    opens[page.open_slots] = is_block
    closes[page.close_slots] = is_block
    # If there is text in between, even whitespace, it is the neighbor, and text is not a block element.
    before = is_block | closes[page.open_slots - 1] & ~page.slot_has_text[page.open_slots - 1]
    after = is_block | opens[page.close_slots + 1] & ~page.slot_has_text[page.close_slots]
    slots = page.leaf_slots[leaves]
    leaf_before = _leaf_flags(cdom, before, closes[slots])
    leaf_after = _leaf_flags(cdom, after, opens[slots + 1])
    leaf_before[cdom.first_leaves[cdom.unite(before, cdom.node_chains) > 0]] = True
    leaf_after[cdom.last_leaves[cdom.unite(after, cdom.node_chains) > 0]] = True
    return leaf_after[:-1] | leaf_before[1:]


def _leaf_flags(cdom: Cdom, of_elements: BoolArray, of_texts: BoolArray) -> BoolArray:
    """Return each leaf's flag: that of its outermost element, or of its text if it has none. *Shape:* ``(k,)``"""
    flags: BoolArray = of_texts.copy()
    starts, ends = cdom.leaf_chains.T
    with_chain = starts < ends
    flags[with_chain] = of_elements[cdom.chain_elements[starts[with_chain]]]
    return flags
