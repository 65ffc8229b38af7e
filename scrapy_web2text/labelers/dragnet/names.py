"""The names that web developers give the elements of a block: the words of their id and class attributes.

Peters, Lecocq 2013, section 4.1: "all tokens in the id and class attributes in each block, including the outer most tag
that separates the block from the surrounding blocks".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.page.arrays import COMMENT, Page
from scrapy_web2text.page.attributes import NAME_WORD
from scrapy_web2text.page.blocks import DRAGNET_BLOCKS, BlockSequence, count_separators

__all__ = ["ATTRIBUTES", "BlockElements", "BlockName", "block_elements", "block_names", "find_names"]


ATTRIBUTES: Final = ("id", "class")
_WORD: Final = re.compile(NAME_WORD)


class BlockElements(NamedTuple):
    """The e elements that begin in a block, and the block of each. *Shapes:* ``(e,)`` each"""

    elements: IntArray
    blocks: IntArray


class BlockName(NamedTuple):
    """An attribute of an element that begins in a block.

    :param attribute: one of `ATTRIBUTES`.
    """

    attribute: str
    value: str
    block: int

    @property
    def words(self) -> set[str]:
        """Lower-case words of the value: camelCase, kebab-case and snake_case are split, digits dropped."""
        return {word.lower() for word in _WORD.findall(self.value)}


def block_elements(page: Page, blocks: BlockSequence) -> BlockElements:
    """Return the elements that begin in one of the *blocks*, without comments and dropped elements."""
    counts = count_separators(page, DRAGNET_BLOCKS)
    n_around = page.count_enclosing(page.tags_in(DRAGNET_BLOCKS.dropped))
    elements = np.flatnonzero((n_around[page.open_slots] == 0) & (page.tags != COMMENT))
    of_blocks = counts[page.leaf_slots[blocks.leaves[blocks.starts]]]
    of_elements = counts[page.open_slots[elements]]
    found = np.searchsorted(of_blocks, of_elements).clip(max=blocks.n_blocks - 1)
    is_inside = of_blocks[found] == of_elements
    return BlockElements(elements[is_inside], found[is_inside])


def block_names(page: Page, inside: BlockElements) -> list[BlockName]:
    """Return the id and class attributes of the elements that begin in blocks."""
    found = []
    places = zip(inside.elements.tolist(), inside.blocks.tolist(), strict=True)
    for element, block in watched(places, len(inside.elements)):
        node = page.elements[element]
        for attribute in ATTRIBUTES:
            value = node.get(attribute)
            if value:
                found.append(BlockName(attribute, value, block))
    return found


def find_names(names: Sequence[BlockName], n_blocks: int, wanted: dict[str, Sequence[str]]) -> DoubleArray:
    """Return 1 for each block and each *wanted* word that is in one of its *names*, else 0.

    *Shape:* ``(n_blocks, number of words)``: the words of ids, then those of classes, in the given order

    :param wanted: the words to find, by attribute.
    """
    columns: dict[tuple[str, str], int] = {}
    for attribute in ATTRIBUTES:
        for word in wanted[attribute]:
            columns[attribute, word] = len(columns)
    rows = np.zeros((n_blocks, len(columns)))
    known: dict[tuple[str, str], list[int]] = {}  # most names occur often
    for name in watched(names, len(names)):
        key = name.attribute, name.value
        if key not in known:
            words = ((name.attribute, word) for word in name.words)
            known[key] = [columns[word] for word in words if word in columns]
        for column in known[key]:  # usually none
            rows[name.block, column] = 1
    return rows
