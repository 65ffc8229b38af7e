"""Which pictures belong to the main content, and where they lie."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from lxml import etree

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.content.structure import Structure
from scrapy_web2text.page.arrays import tag_ids
from scrapy_web2text.page.blocks import BlockSequence, Label

__all__ = ["content_pictures", "picture_source"]


_FIGURE: Final = int(tag_ids(("figure",))[0])
# Lazy loaders keep the real address there.
_SOURCES: Final = ("data-src", "data-lazy-src", "data-original", "src")
_TINY: Final = re.compile(r"\s*[012](?:px)?\s*")


def content_pictures(structure: Structure, blocks: BlockSequence, labels: IntArray) -> IntArray:
    """Return the elements of the pictures that stand in the content: between content, or in a figure beside it.

    :param labels: label of each block, some of them CONTENT. *Shape:* ``(n,)``
    :returns: indices of elements, in document order.
    """
    page = structure.page
    pictures = np.flatnonzero(page.tags_in({"img"}))
    if not len(pictures):
        return pictures
    leaf_slots = page.leaf_slots[blocks.leaves]
    is_content = labels[blocks.leaf_blocks] == Label.CONTENT
    content_slots = leaf_slots[is_content]
    root = _common_element(structure, int(content_slots[0]), int(content_slots[-1]))
    start, end = page.open_slots[root], page.close_slots[root]
    inside = (leaf_slots >= start) & (leaf_slots < end)
    leaf_slots, is_content = leaf_slots[inside], is_content[inside]
    figure_of = structure.nearest({_FIGURE})
    chosen = []
    for picture, slot in zip(pictures.tolist(), page.open_slots[pictures].tolist(), strict=True):
        if not start <= slot < end or not picture_source(page.elements[picture]):
            continue
        next_leaf = int(np.searchsorted(leaf_slots, slot))
        # Where the content begins or ends, there is no neighbour to speak against a picture.
        neighbours = [bool(is_content[i]) for i in (next_leaf - 1, next_leaf) if 0 <= i < len(leaf_slots)]
        if all(neighbours) or (any(neighbours) and figure_of(picture) >= 0):
            chosen.append(picture)
    return np.array(chosen, dtype=np.int64)


def picture_source(picture: etree._Element) -> str:
    """Return the address of a picture; nothing for those that nobody sees, and those that lie in the page itself."""
    if any(_TINY.fullmatch(picture.get(name) or "") for name in ("width", "height")):
        return ""
    addresses = ((picture.get(name) or "").strip() for name in _SOURCES)
    return next((address for address in addresses if address and not address.lower().startswith("data:")), "")


def _common_element(structure: Structure, first: int, last: int) -> int:
    """Return the innermost element around both slots."""
    page = structure.page
    element = int(structure.owners[first])
    while element > 0 and not page.open_slots[element] <= last < page.close_slots[element]:
        element = structure.parents[element]
    return max(element, 0)
