"""The content of a labeled page, selected once for all forms that are written from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from lxml import etree

from scrapy_web2text.arrays import BoolArray, DoubleArray, IntArray
from scrapy_web2text.budget import batches, check_time, watched
from scrapy_web2text.content.code import CodeWriter
from scrapy_web2text.content.images import describe_image, find_images, list_images
from scrapy_web2text.content.lists import number_items
from scrapy_web2text.content.places import Group, Places, group_lines, join_rows
from scrapy_web2text.content.structure import Line, Structure, cut_lines
from scrapy_web2text.content.tables import Tables
from scrapy_web2text.exceptions import PageError, PageTimeout
from scrapy_web2text.metadata.hidden_content import find_hidden_content
from scrapy_web2text.metadata.title import PERMALINK_SIGNS
from scrapy_web2text.options import Options
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, Label, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.urls import find_base

__all__ = ["Content", "select_content", "select_hidden_content"]


_DEFAULTS: Final = Options()


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
    :param options: how the content is written: links, images, tables, layout of the text.
    :param title: the title that is written before the content; empty for none.
    :param title_blocks: the blocks of the headline that *title* replaces.
    :param selected: which slots are inside the elements that the user selects, with all of their images; None if the
        user does not. *Shape:* ``(2n,)``
    :param omitted: which slots are left out, those of images too; None for none. *Shape:* ``(2n,)``
    """

    page: Page
    blocks: BlockSequence
    labels: IntArray
    probabilities: DoubleArray | None
    leaves: IntArray
    leaf_blocks: IntArray
    document: etree._Element
    url: str | None
    options: Options = _DEFAULTS
    title: str = ""
    title_blocks: tuple[int, ...] = ()
    selected: BoolArray | None = None
    omitted: BoolArray | None = None

    @property
    def is_hidden(self) -> bool:
        """Whether *page* was hidden in the scripts of another page; its blocks are then not those of the answer."""
        return self.document is not self.page.root

    @property
    def n_selected(self) -> int:
        """Number of characters of the texts that the labels select, also of those that the options leave out."""
        leaves = self.blocks.leaves[self.labels[self.blocks.leaf_blocks] == Label.CONTENT].tolist()
        return sum(len(" ".join(self.page.texts[leaf].split())) for batch in batches(leaves) for leaf in batch)

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
        """The text of each slot of a leaf, and of each image that is written as text."""
        texts = map(self.page.texts.__getitem__, self.leaves.tolist())
        return {**dict(zip(self.slots.tolist(), texts, strict=True)), **self._descriptions}

    @cached_property
    def lines(self) -> list[Line]:
        """The lines of text."""
        if not len(self.leaves):
            return []
        if not self._descriptions:
            return _list_lines(self.structure, self.slots)
        return _list_lines(self.structure, np.union1d(self.slots, [*self._descriptions]))

    @cached_property
    def lines_with_images(self) -> list[Line]:
        """The lines of text and images; the slots of images have no text."""
        if not len(self.leaves) or self.options.images != "keep":
            return self.lines
        return _list_lines(self.structure, np.sort(np.concatenate([self.slots, self.page.open_slots[self.images]])))

    @cached_property
    def images(self) -> IntArray:
        """The images of the content, as indices of elements."""
        if self.selected is None:
            images = find_images(self.structure, self.blocks, self.labels, self.slots, self.base)
        else:
            images = list_images(self.page, self.selected)
        return images if self.omitted is None else images[~self.omitted[self.page.open_slots[images]]]

    @cached_property
    def _descriptions(self) -> Mapping[int, str]:
        """The slots of the images that are written as text, with their descriptions between spaces."""
        if self.options.images != "text" or not len(self.leaves):
            return {}
        images = self.images
        texts = [describe_image(self.page.elements[image]) for image in watched(images.tolist())]
        slots = self.page.open_slots[images].tolist()
        return {slot: f" {text} " for slot, text in zip(slots, texts, strict=True) if text}

    @cached_property
    def tables(self) -> Tables:
        """The tables of the page."""
        return Tables(self.structure)

    def paragraphs(self, lines: list[Line], hollow_items: Mapping[int, int] | None = None) -> list[list[Group]]:
        """Return *lines* as paragraphs: a single group each, except for the cells of a row that is written as text.

        :param hollow_items: see `Places`.
        """
        if self.options.tables == "text":
            groups = [*group_lines(Places(self.structure, None, hollow_items), lines)]
            return [*join_rows(groups, self.tables)]
        return [[group] for group in group_lines(Places(self.structure, self.tables, hollow_items), lines)]

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

    def without(self, omitted: BoolArray, **changes: Any) -> Content:
        """Return this content without the texts and images at some slots, and with other *changes* of its fields.

        :param omitted: which slots to leave out. *Shape:* ``(2n,)``
        """
        kept = ~omitted[self.slots]
        omitted = omitted if self.omitted is None else omitted | self.omitted
        return self.changed(leaves=self.leaves[kept], leaf_blocks=self.leaf_blocks[kept], omitted=omitted, **changes)

    def changed(self, **changes: Any) -> Content:
        """Return this content with other values of some fields, on the same page; its structure is not read again."""
        content = replace(self, **changes)
        content.__dict__["structure"] = self.structure
        return content


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
    selected: BoolArray | None = None,
    omitted: BoolArray | None = None,
) -> Content:
    """Return the content of *page*: the leaves of its CONTENT blocks, without links of headings to themselves.

    :param labels: label of each block. *Shape:* ``(n,)``
    :param probabilities: probability of CONTENT of each block; None if unknown. *Shape:* ``(n,)``
    :param document: see `Content`, as for *selected* and *omitted*; None takes the root of *page*.
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
    document = page.root if document is None else document
    return Content(
        page, blocks, labels, probabilities, leaves, leaf_blocks, document, url, selected=selected, omitted=omitted
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
