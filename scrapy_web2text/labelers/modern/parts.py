"""Parts that mean nothing without the content around them: of tables, simple lists, boxes, figures and sentences.

They need no evidence of their own, or hardly any, where what is around them is content.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray, RealArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.modern.members import LINKS, MEMBER_LISTS, MOST_LINKED
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

_ITEMS: Final = frozenset({"dd", "dt", "li"})
_PARTS: Final = MEMBER_LISTS | {"button", "figcaption", "table"}
_AROUND_PARTS: Final = tuple({name} for name in ("button", "p", "figcaption", "figure", "th", "tr", "table"))
# Classes of boxes in Bootstrap, Sphinx, GitHub, Obsidian and many other programs.
_BOXES: Final = frozenset(
    """admonition alert callout caution danger hint important infobox markdown-alert note notecard tip
    warning""".split()
)
_LARGEST_BOX: Final = 8  # blocks
_MOST_AROUND: Final = 3  # elements from a text to its box
_LEAST_IN_BOX: Final = 0.25  # mean probability
_MOST_OTHERS: Final = 0.7  # share of the other blocks of a table or a figure
_LEAST_MEAN: Final = 0.1  # mean probability of a table between texts


class Parts:
    """The elements around the n blocks of a page that are parts of others.

    :ivar is_formula: which blocks are nothing but a formula. *Shape:* ``(n,)``
    :ivar is_linked: which blocks are links. *Shape:* ``(n,)``
    :ivar around: the button, paragraph, caption, figure, head cell, row and table around each block, as indices of
        elements, -1 for none; None for a page without parts. *Shapes:* ``(n,)`` each
    :ivar lists, items: see `_find_simple_lists`; as many as *around*.
    """

    around: tuple[IntArray, ...] | None = None

    def __init__(self, page: Page, blocks: BlockSequence) -> None:
        first = blocks.leaves[blocks.starts]
        self._page, self._slots = page, page.leaf_slots[first]
        self.is_formula = _are_formulas(page, blocks)
        if not page.tag_names.isdisjoint(_PARTS):
            owners = page.owners(self._slots)
            self.around = tuple(reader.find_nearest(page.tags_in(each), page.parents, owners) for each in _AROUND_PARTS)
            self.is_linked = page.is_inside(LINKS, first)
            self.lists, self.items = _find_simple_lists(page, owners)

    def find_boxes(self, chosen: IntArray) -> Iterator[tuple[int, int]]:
        """Yield the first block, and one past the last, of notes, tips and warnings around the *chosen* blocks.

        The class of an element says what it is.
        """
        page = self._page
        around = [page.owners(self._slots[chosen])]
        for _ in range(_MOST_AROUND - 1):
            around.append(np.maximum(page.parents[around[-1]], 0))
        for i in watched(np.unique(np.concatenate(around)).tolist()):
            if not _BOXES.isdisjoint((page.elements[i].get("class") or "").split()):
                start, stop = self._slots.searchsorted([page.open_slots[i], page.close_slots[i]]).tolist()
                yield start, stop


def join_parts(parts: Parts, labels: IntArray, probabilities: DoubleArray) -> IntArray:
    """Return *labels* with CONTENT for parts that mean nothing without the content that they are in.

    Such parts are formulas and boxes between texts, buttons in a sentence, the parts of tables and simple lists between
    texts, and the captions and head rows of tables and figures whose other blocks are content. *Shapes:* ``(n,)`` each
    """
    is_content = labels == Label.CONTENT
    joined = parts.is_formula.copy()
    joined[1:-1] &= is_content[:-2] & is_content[2:]
    joined[[0, -1]] = False
    joined |= _are_boxes(parts, is_content, probabilities)
    if parts.around is None:
        return np.where(joined, Label.CONTENT, labels)
    buttons, paragraphs, captions, figures, heads, rows, tables = parts.around

    def holds_content(around: IntArray, others: BoolArray) -> BoolArray:
        """Return which blocks are in an element whose *others* are mostly content."""
        n_others, n_content = (np.bincount(around + 1, chosen) for chosen in (others, others & is_content))
        return (n_content > _MOST_OTHERS * n_others)[around + 1] & (around >= 0)

    is_head = (np.bincount(rows + 1, heads < 0)[rows + 1] == 0) & (rows > tables) & (tables >= 0)
    joined |= is_head & holds_content(tables, ~is_head)
    joined |= (captions >= 0) & holds_content(figures, captions < 0)
    joined |= _between_texts(tables, rows, is_content, parts.is_linked, probabilities)
    joined |= _between_texts(parts.lists, parts.items, is_content, parts.is_linked, is_content)
    joined |= _before_content(paragraphs, buttons > paragraphs, is_content)
    return np.where(joined, Label.CONTENT, labels)


def _before_content(paragraphs: IntArray, in_buttons: BoolArray, is_content: BoolArray) -> BoolArray:
    """Return which blocks come before content of their paragraph, if a button is inside a sentence of the paragraph.

    A button at the beginning or the end of a paragraph is not part of a sentence.

    :param paragraphs: the paragraph around each block, as a number; -1 for none.
    :param in_buttons: which blocks are buttons inside their paragraph.

    *Shapes:* ``(n,)`` each
    """
    numbers, first, places = np.unique(paragraphs, return_index=True, return_inverse=True)
    last_content = np.full(len(numbers), -1)
    np.maximum.at(last_content, places[is_content], is_content.nonzero()[0])
    is_sentence = (numbers >= 0) & ~in_buttons[first] & (np.bincount(places, in_buttons) > 0)
    return is_sentence[places] & (np.arange(len(paragraphs)) < last_content[places])


def _are_boxes(parts: Parts, is_content: BoolArray, probabilities: DoubleArray) -> BoolArray:
    """Return which blocks are in a note, a tip or a warning with content right before and after it. *Shape:* ``(n,)``

    They are the blocks of boxes that decoding left out, such as a title whose box is content.
    """
    n = len(is_content)
    is_box = np.zeros(n, dtype=bool)
    content = is_content.nonzero()[0]
    first, end = content[:-1] + 1, content[1:]  # of what is left out between content
    sums = np.concatenate([[0], probabilities.cumsum()])
    is_likely = sums[end] - sums[first] >= _LEAST_IN_BOX * (end - first)
    likely = first[is_likely & (end > first) & (end - first <= _LARGEST_BOX)]
    for start, stop in parts.find_boxes(likely):
        is_inside = start > 0 and stop < n and stop - start <= _LARGEST_BOX
        is_box[start:stop] |= is_inside and is_content[start - 1] and is_content[stop % n]
    return is_box


def _are_formulas(page: Page, blocks: BlockSequence) -> BoolArray:
    """Return which blocks are nothing but a formula. *Shape:* ``(n,)``"""
    if not page.formulas:  # as on most pages
        return np.zeros(blocks.n_blocks, dtype=bool)
    texts = map(page.texts.__getitem__, blocks.leaves[blocks.starts].tolist())
    is_formula = np.fromiter(map(page.formulas.__contains__, texts), dtype=bool, count=blocks.n_blocks)
    is_formula[blocks.ends - blocks.starts > 1] = False
    return is_formula


def _find_simple_lists(page: Page, owners: IntArray) -> tuple[IntArray, IntArray]:
    """Return the outermost list and the item around each block; -1 for no list, or one with items of several blocks.

    *Shapes:* ``(n,)`` each
    """
    is_list = page.tags_in(MEMBER_LISTS)
    is_outermost = is_list & (page.count_enclosing(is_list)[page.open_slots] == 1)
    lists, items = (reader.find_nearest(each, page.parents, owners) for each in (is_outermost, page.tags_in(_ITEMS)))
    is_long = np.bincount(items + 1)[items + 1] > 1
    return np.where(np.bincount(lists + 1, is_long)[lists + 1] > 0, -1, lists), items


def _between_texts(
    around: IntArray, parts: IntArray, is_content: BoolArray, is_linked: BoolArray, evidence: RealArray
) -> BoolArray:
    """Return which blocks are in a table or list that is possible content, with content right before and after it.

    Tables of one row lay out the page, and tables of links lead elsewhere. Short cells have little evidence of their
    own, so such a table would lose some of its cells, or all.

    :param around, parts: the table and the row around each block, as numbers; -1 for none.
    :param evidence: the probabilities, of which a table without content needs a mean of .1; *is_content* for lists,
        which need some content.

    *Shapes:* ``(n,)`` each
    """
    numbers, first, places, sizes = np.unique(around, return_index=True, return_inverse=True, return_counts=True)
    last = len(around) - 1 - np.unique(around[::-1], return_index=True)[1]
    beside = np.concatenate([[False], is_content, [False]])
    n_content, n_linked, total = (np.bincount(places, each) for each in (is_content, is_linked, evidence))
    n_parts = np.bincount(places[np.unique(parts, return_index=True)[1]], minlength=len(numbers))
    is_whole: BoolArray = (numbers >= 0) & (last - first + 1 == sizes) & beside[first] & beside[last + 2]
    is_whole &= (n_content > 0) | (total >= _LEAST_MEAN * sizes)
    is_whole &= (n_parts > 1) & (n_linked < MOST_LINKED * sizes)
    return is_whole[places]
