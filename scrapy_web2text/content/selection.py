"""The content of a labeled page, selected once for all forms that are written from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from lxml import etree

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.budget import batches, check_time
from scrapy_web2text.content.code import CodeWriter
from scrapy_web2text.content.images import find_images
from scrapy_web2text.content.lists import number_items
from scrapy_web2text.content.structure import Line, Structure, cut_lines
from scrapy_web2text.exceptions import PageError, PageTimeout
from scrapy_web2text.metadata.hidden_content import find_hidden_content
from scrapy_web2text.metadata.title import PERMALINK_SIGNS
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, Label, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.urls import find_base

__all__ = ["Content", "select_content", "select_hidden_content"]


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a page. Values that only some forms need are computed on first use.

    :param labels: label of each block. *Shape:* ``(n,)``
    :param probabilities: probability of CONTENT of each block; None if the labeler has none. *Shape:* ``(n,)``
    :param leaves: the text leaves of the content, in document order. *Shape:* ``(k,)``
    :param leaf_blocks: block of each of these leaves. *Shape:* ``(k,)``
    :param document: root whose ``base`` element counts for links: that of *page* or, for content hidden in the scripts
        of another page, of that page.
    :param url: URL of that document; None if it is unknown.
    """

    page: Page
    blocks: BlockSequence
    labels: IntArray
    probabilities: DoubleArray | None
    leaves: IntArray
    leaf_blocks: IntArray
    document: etree._Element
    url: str | None

    @property
    def is_hidden(self) -> bool:
        """Whether *page* was hidden in the scripts of another page; its blocks are then not those of the answer."""
        return self.document is not self.page.root

    @cached_property
    def structure(self) -> Structure:
        """The structure of the page."""
        return Structure(self.page)

    @cached_property
    def slots(self) -> IntArray:
        """The slot of each leaf. *Shape:* ``(k,)``"""
        return self.page.leaf_slots[self.leaves]

    @cached_property
    def texts(self) -> dict[int, str]:
        """The text of each slot of a leaf."""
        texts = map(self.page.texts.__getitem__, self.leaves.tolist())
        return dict(zip(self.slots.tolist(), texts, strict=True))

    @cached_property
    def lines(self) -> list[Line]:
        """The lines of text."""
        return _list_lines(self.structure, self.slots) if len(self.leaves) else []

    @cached_property
    def lines_with_images(self) -> list[Line]:
        """The lines of text and images; the slots of images have no text."""
        if not len(self.leaves):
            return []
        images = find_images(self.structure, self.blocks, self.labels)
        return _list_lines(self.structure, np.sort(np.concatenate([self.slots, self.page.open_slots[images]])))

    @cached_property
    def code(self) -> CodeWriter:
        """The writer of the lines that are code."""
        return CodeWriter(self.structure, self.texts)

    @cached_property
    def item_numbers(self) -> dict[int, int]:
        """The number of each item of an ordered list of the page."""
        return number_items(self.structure)

    @cached_property
    def base(self) -> str | None:
        """The URL that links are relative to; None keeps relative links as they are."""
        return find_base(self.document, self.url)


def _list_lines(structure: Structure, slots: IntArray) -> list[Line]:
    check_time()
    return [line for batch in batches(cut_lines(structure, slots)) for line in batch]


def select_content(
    page: Page,
    blocks: BlockSequence,
    labels: IntArray,
    probabilities: DoubleArray | None = None,
    *,
    document: etree._Element | None = None,
    url: str | None = None,
) -> Content:
    """Return the content of *page*: the leaves of its CONTENT blocks, without links of headings to themselves.

    :param labels: label of each block. *Shape:* ``(n,)``
    :param probabilities: probability of CONTENT of each block; None if unknown. *Shape:* ``(n,)``
    :param document: see `Content`; None takes the root of *page*.
    """
    is_content = labels[blocks.leaf_blocks] == Label.CONTENT
    leaves, leaf_blocks = blocks.leaves[is_content], blocks.leaf_blocks[is_content]
    permalinks = frozenset(PERMALINK_SIGNS)
    is_text = [page.texts[leaf].strip() not in permalinks for leaf in leaves.tolist()]
    if not all(is_text):
        slots = page.leaf_slots[leaves]
        in_link = page.tags_in({"a"})[page.slot_elements[slots]] & page.is_first_text(slots)
        kept = np.array(is_text) | ~in_link
        leaves, leaf_blocks = leaves[kept], leaf_blocks[kept]
    return Content(
        page, blocks, labels, probabilities, leaves, leaf_blocks, page.root if document is None else document, url
    )


def select_hidden_content(page: Page, url: str | None = None) -> Content | None:
    """Return the content in the scripts of *page*, which is a page of its own; None if there is none."""
    html = find_hidden_content(page.document_root)
    if html is None:
        return None
    try:
        hidden = tree_to_page(to_tree(html))
    except PageTimeout:
        raise
    except PageError:  # not HTML
        return None
    blocks = segment(hidden, MODERN_BLOCKS)
    labels = np.full(blocks.n_blocks, Label.CONTENT, dtype=np.int64)
    return select_content(hidden, blocks, labels, document=page.root, url=url)
