"""The content of a labeled page, which is selected once, for all forms of the content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray
from scrapy_web2text.common.budget import batches, watched
from scrapy_web2text.content.code import CodeWriter
from scrapy_web2text.content.layout import Tables, number_items
from scrapy_web2text.content.links import describe_image, find_images, image_source, list_images
from scrapy_web2text.content.notes import Notes
from scrapy_web2text.content.places import Group, group_lines, join_rows, place_finder
from scrapy_web2text.content.structure import (
    Line,
    Structure,
    count_slots,
    cut_lines,
    find_line_starts,
    nearest_elements,
)
from scrapy_web2text.exceptions import PageError, PageTimeout
from scrapy_web2text.extraction import Label
from scrapy_web2text.metadata.hidden_content import find_hidden_content
from scrapy_web2text.metadata.title import PERMALINK_SIGNS
from scrapy_web2text.options import Options
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, labels_to_mask, segment
from scrapy_web2text.page.hidden import mark_hidden_slots
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.tags import tag_ids
from scrapy_web2text.page.tex import write_formulas_as
from scrapy_web2text.page.urls import find_base, web_url

_DEFAULTS: Final = Options()
_NO_NOTES: Final = Notes()
_LINK: Final = int(tag_ids(("a",))[0])
_MOST_IMAGES: Final = 100
# What a figure can show in place of an image.
_FILMS: Final = frozenset({"audio", "canvas", "embed", "iframe", "object", "svg", "video"})
_PERMALINKS: Final = frozenset(PERMALINK_SIGNS)


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a page. Values that only some forms need are computed on first use.

    :param labels: label of each block. *Shape:* ``(n,)``
    :param probabilities: probability of CONTENT of each block; None if the labeler has none. *Shape:* ``(n,)``
    :param kept: the text leaves of the content, in document order, as positions in ``blocks.leaves``. *Shape:* ``(k,)``
    :param base_root: root whose ``base`` element counts for links: the root of *page* or, for content from the scripts
        of another page, the root of the other page.
    :param url: URL of *base_root*; None if it is unknown.
    :param options: options for links, images, tables and the layout of the text.
    :param title: the title that is written before the content; empty for none.
    :param title_blocks: the blocks of the headline that *title* replaces.
    :param selected: which slots are inside the elements that the user selects, whose images are all kept; None if the
        user selects none. *Shape:* ``(2n,)``
    :param omitted: which slots are left out, images included; None for none. *Shape:* ``(2n,)``
    :param notes: the notes with a mark in the content.
    """

    page: Page
    blocks: BlockSequence
    labels: IntArray
    probabilities: DoubleArray | None
    kept: IntArray
    base_root: etree._Element
    url: str | None
    options: Options = _DEFAULTS
    title: str = ""
    title_blocks: tuple[int, ...] = ()
    selected: BoolArray | None = None
    omitted: BoolArray | None = None
    notes: Notes = _NO_NOTES

    @property
    def is_from_script(self) -> bool:
        """Whether *page* was in the scripts of another page, so that its blocks are not the blocks of the answer."""
        return self.base_root is not self.page.root

    @property
    def n_selected_characters(self) -> int:
        """Number of characters of the texts that the labels select, including texts that the options leave out."""
        leaves = self.blocks.leaves[labels_to_mask(self.labels)[self.blocks.leaf_blocks]].tolist()
        return sum(len(" ".join(self.page.texts[leaf].split())) for batch in batches(leaves) for leaf in batch)

    @cached_property
    def structure(self) -> Structure:
        """The tree of the page."""
        return Structure(self.page)

    @cached_property
    def leaves(self) -> IntArray:
        """The text leaves of the content, in document order. *Shape:* ``(k,)``"""
        return self.blocks.leaves[self.kept]

    @cached_property
    def leaf_blocks(self) -> IntArray:
        """The block of each of the `leaves`. *Shape:* ``(k,)``"""
        return self.blocks.leaf_blocks[self.kept]

    @cached_property
    def slots(self) -> IntArray:
        """The slot of each leaf. *Shape:* ``(k,)``"""
        return self.page.leaf_slots[self.leaves]

    @cached_property
    def text_slots(self) -> IntArray:
        """The slots of all texts: leaves, and images that are written as text."""
        return np.union1d(self.slots, [*self._descriptions]) if self._descriptions else self.slots

    @cached_property
    def texts(self) -> dict[int, str]:
        """The text of each slot of a leaf, and of each image that is written as text, in document order."""
        texts = map(self.page.texts.__getitem__, self.leaves.tolist())
        texts_of = dict(zip(self.slots.tolist(), texts, strict=True))
        return dict(sorted((texts_of | self._descriptions).items())) if self._descriptions else texts_of

    @cached_property
    def line_starts(self) -> IntArray:
        """The starts of the lines, as positions in `text_slots`. *Shape:* ``(number of lines,)``"""
        return find_line_starts(self.page, self.text_slots)

    @cached_property
    def lines(self) -> list[Line]:
        """The lines of text."""
        return cut_lines(self.page, self.text_slots)

    @cached_property
    def lines_with_images(self) -> list[Line]:
        """The lines of text, images and rules; the slots of images and rules have no text."""
        if not len(self.leaves):
            return self.lines
        others = [self.images, self._rules] if self.options.images == "keep" else [self._rules]
        captions = np.array([*self.captions], dtype=np.int64)
        slots = np.concatenate([self.page.open_slots[np.concatenate(others)], captions])
        return cut_lines(self.page, np.sort(np.concatenate([self.slots, slots]))) if len(slots) else self.lines

    @cached_property
    def captions(self) -> dict[int, str]:
        """The texts of the captions that are shown only with their images and films, by slot."""
        page, leaves = self.page, self.blocks.leaves
        if self.options.images != "keep" or self.options.captions == "exclude" or "figcaption" not in page.tag_names:
            return {}
        slots = page.leaf_slots[leaves]
        figures, captions = (nearest_elements(page, slots, {name}) for name in ("figure", "figcaption"))
        films = page.open_slots[page.tags_in(_FILMS)]
        films = films[(films > self.slots[0]) & (films < self.slots[-1])]
        media = np.sort(np.concatenate([page.open_slots[self.images], films]))
        chosen = ((captions >= 0) & (figures >= 0) & (count_slots(page, media, figures) > 0)).nonzero()[0]
        texts = {int(slots[i]): page.texts[leaves[i]] for i in chosen.tolist() if slots[i] not in self.texts}
        if not texts:
            return {}
        hidden = None if self.options.hidden == "keep" else mark_hidden_slots(page, leaves[chosen])
        unseen = [mask for mask in (self.omitted, hidden) if mask is not None]
        return {slot: text for slot, text in texts.items() if not any(mask[slot] for mask in unseen)}

    @property
    def _rules(self) -> IntArray:
        """The first ``hr`` between two neighboring texts outside of code, if its parent holds both, as indices."""
        page, slots = self.page, self.slots
        rules: IntArray = page.tags_in({"hr"}).nonzero()[0]
        if not len(rules):  # as on most pages
            return rules
        rules = rules[page.count_enclosing(page.tags_in({"pre"}))[page.open_slots[rules]] == 0]
        places, parents = slots.searchsorted(page.open_slots[rules]), page.parents[rules]
        has_before = slots.searchsorted(page.open_slots[parents]) < places
        has_after = slots.searchsorted(page.close_slots[parents]) > places
        is_first = np.diff(places, prepend=-1) > 0
        return rules[has_before & has_after & is_first]

    @cached_property
    def images(self) -> IntArray:
        """The images of the content, as indices of elements."""
        if self.selected is None:
            images = find_images(self.page, self.blocks, self.labels, self.slots, self.base)
        else:
            images = list_images(self.page, self.selected)
        return images if self.omitted is None else images[~self.omitted[self.page.open_slots[images]]]

    @property
    def image_urls(self) -> tuple[str, ...]:
        """The absolute URLs of the first images, each once."""
        if not len(self.leaves):
            return ()
        sources = (image_source(self.page.elements[image]) for image in self.images[:_MOST_IMAGES].tolist())
        return tuple(dict.fromkeys(filter(None, (web_url(self.base, source) for source in sources))))

    @cached_property
    def _descriptions(self) -> dict[int, str]:
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
        return Tables(self.page)

    def paragraphs(self, lines: list[Line], hollow_items: Mapping[int, int] | None = None) -> list[list[Group]]:
        """Return *lines* as paragraphs. Each is a single group or, for a row that is written as text, a group per cell.

        :param hollow_items: see `place_finder`.
        """
        if self.options.tables == "text":
            groups = [*group_lines(place_finder(self.structure, None, hollow_items), lines)]
            return [*join_rows(groups, self.tables)]
        return [[group] for group in group_lines(place_finder(self.structure, self.tables, hollow_items), lines)]

    @cached_property
    def code(self) -> CodeWriter:
        """The writer of lines of code."""
        return CodeWriter(self.structure, self.texts)

    @cached_property
    def item_numbers(self) -> dict[int, int]:
        """The number of each item of an ordered list of the page."""
        return number_items(self.page)

    @cached_property
    def base(self) -> str | None:
        """The URL that links are relative to; None keeps relative links as they are."""
        bases = self.base_root.iter("{*}base") if self.is_from_script else self.page.landmarks.bases
        return find_base(bases, self.url)

    def without(self, omitted: BoolArray, **changes: Any) -> Content:
        """Return this content without the texts and images at some slots, and with other fields as in *changes*.

        :param omitted: which slots to leave out. *Shape:* ``(2n,)``
        """
        kept = self.kept[~omitted[self.slots]]
        omitted = omitted if self.omitted is None else omitted | self.omitted
        return replace(self, kept=kept, omitted=omitted, **changes)


def select_content(
    page: Page,
    blocks: BlockSequence,
    labels: IntArray,
    probabilities: DoubleArray | None = None,
    *,
    base_root: etree._Element | None = None,
    url: str | None = None,
    options: Options = _DEFAULTS,
    selected: BoolArray | None = None,
    omitted: BoolArray | None = None,
) -> Content:
    """Return the content of *page*: the leaves of its CONTENT blocks, without permalinks of headings.

    :param labels: label of each block. *Shape:* ``(n,)``
    :param probabilities: probability of CONTENT of each block; None if unknown. *Shape:* ``(n,)``
    :param base_root: see `Content`; None for the root of *page*.
    :param selected: see `Content`.
    :param omitted: see `Content`.
    """
    is_content = labels_to_mask(labels)
    kept = is_content[blocks.leaf_blocks].nonzero()[0]
    leaves = blocks.leaves[kept]
    slots = page.leaf_slots[leaves]
    links = page.slot_elements[slots]
    in_links = (page.tags[links] == _LINK) & (page.open_slots[links] == slots)
    signs = [i for i in in_links.nonzero()[0].tolist() if page.texts[leaves[i]].strip() in _PERMALINKS]
    kept = np.delete(kept, signs)
    root = page.root if base_root is None else base_root
    if page.formulas and options.math != "tex":
        texts = [write_formulas_as(options.math, text, page.formulas) for text in watched(page.texts)]
        page = replace(page, texts=texts)
        kept = kept[[page.texts[leaf].strip() != "" for leaf in blocks.leaves[kept].tolist()]]
    return Content(page, blocks, labels, probabilities, kept, root, url, options, selected=selected, omitted=omitted)


def select_script_content(page: Page, url: str | None = None, options: Options = _DEFAULTS) -> Content | None:
    """Return the content in the scripts of *page*, parsed as a page of its own; None if there is none."""
    html = find_hidden_content(page.document_root)
    if html is None:
        return None
    try:
        hidden = tree_to_page(to_tree(html))
    except PageTimeout:
        raise
    except PageError:  # the content is not HTML
        return None
    blocks = segment(hidden, MODERN_BLOCKS)
    labels = np.full(blocks.n_blocks, Label.CONTENT, dtype=np.int64)
    return select_content(hidden, blocks, labels, base_root=page.root, url=url, options=options)
