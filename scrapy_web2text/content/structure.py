"""The lines of the main content, and the elements around them.

A line is a run of leaves without a block-level tag between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np

from scrapy_web2text.common.arrays import IntArray, mark_changes
from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.tags import COMMENT, INLINE_TAGS, TAG_NAMES, tag_ids

_Value = TypeVar("_Value")

_ENDS_LINE: Final = np.ones(len(TAG_NAMES), dtype=bool)
_ENDS_LINE[[0, COMMENT, *tag_ids(INLINE_TAGS)]] = False
_INDENT: Final = re.compile("[ \t\r\n]{0,100}([\u00a0\u2002\u2003]{2,40})")
_BREAK: Final = int(tag_ids(("br",))[0])
# The count of a tag that ends a line; a `br` counts as 1, so that a single sum holds the numbers of `br` and of others.
_ENDS: Final = 1 << 32
_COUNTS: Final = _ENDS_LINE * np.array(_ENDS, dtype=np.int64)
_COUNTS[_BREAK] = 1


@dataclass(slots=True)
class Line:
    """A run of content leaves and images without a block-level tag between them.

    :param slots: slot of each leaf and image. *Length:* k
    :param gaps: whether whitespace or omitted text precedes each slot; undefined for the first. *Length:* k
    :param owner: innermost element around the first leaf or image.
    :param n_breaks: number of ``br`` between the previous line and this line; 0 if another tag separates them, too.
    :param n_empty: number of empty lines that ``br`` elements put before this line; undefined for the first line.
    """

    slots: list[int]
    gaps: list[bool]
    owner: int
    n_breaks: int
    n_empty: int


def read_indent(text: str) -> str:
    """Return the spaces before the *text* of a line of a poem, which are no-break spaces."""
    match = _INDENT.match(text)
    return "\u00a0" * len(match[1]) if match else ""


class Structure:
    """The tree of a page as lists, because looking up single values in arrays is slow."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.parents: list[int] = page.parents.tolist()
        self.tags: list[int] = page.tags.tolist()

    @cached_property
    def owners(self) -> list[int]:
        """The innermost element around each slot."""
        return self.page.slot_owners().tolist()

    def inherit(
        self, start: _Value, add: Callable[[_Value, int], _Value], names: Collection[str]
    ) -> Callable[[int], _Value]:
        """Return a function that returns the value of an element.

        The value is the result of *add* for the value of the parent, and the element. It is computed once. Do not keep
        the function in an object that *add* refers to: page and function would stay in memory until the garbage
        collector runs.

        :param start: the value above the first element.
        :param names: the tags of elements for which *add* is called; other elements have the values of their parents.
        """
        found = {-1: start}
        page, parents = self.page, self.parents
        chosen = page.tags_in(names)
        nearest = [*reader.find_nearest(chosen, page.parents, np.arange(len(parents))).tolist(), -1]

        def find(element: int) -> _Value:
            element = nearest[element]
            if element in found:  # as in most calls
                return found[element]
            unknown = []
            while element not in found:
                unknown.append(element)
                element = nearest[parents[element]]
            value = found[element]
            for below in reversed(unknown):
                value = found[below] = add(value, below)
            return value

        return find


def nearest_elements(page: Page, slots: IntArray, names: Collection[str]) -> IntArray:
    """Return the innermost element with one of the tags *names* around each of *slots*, -1 for none.

    *Shapes:* ``(k,)`` each
    """
    if page.tag_names.isdisjoint(names):  # as on many pages
        return np.full(len(slots), -1)
    return reader.find_nearest(page.tags_in(names), page.parents, page.owners(slots))


def elements_around(page: Page, slots: IntArray, names: Collection[str]) -> IntArray:
    """Return the elements with one of the tags *names* that hold some of *slots*. *Shapes:* ``(k,)`` -> ``(s,)``

    :param slots: slots in ascending order.
    """
    if page.tag_names.isdisjoint(names):
        return np.zeros(0, dtype=np.int64)
    elements = page.tags_in(names).nonzero()[0]
    return elements[count_slots(page, slots, elements) > 0]


def innermost(page: Page, elements: Sequence[int]) -> list[int]:
    """Return the *elements* that hold no other of *elements*, which are in document order."""
    following = [*elements[1:], page.n_elements]
    return [i for i, after in zip(elements, following, strict=False) if after >= page.ends[i]]


def count_slots(page: Page, slots: IntArray, elements: IntArray) -> IntArray:
    """Return how many of *slots* are inside each of *elements*. *Shapes:* ``(k,)``, ``(s,)`` -> ``(s,)``

    :param slots: slots in ascending order.
    """
    return slots.searchsorted(page.close_slots[elements]) - slots.searchsorted(page.open_slots[elements])


def count_ends(page: Page, slots: IntArray) -> IntArray:
    """Return, for each of *slots*, twice the number of ``br`` before it, plus 2**32 per other tag that ends a line."""
    return _COUNTS[page.tags][page.slot_elements].cumsum()[slots] & ~1  # both tags of a `br` count


def find_line_starts(page: Page, slots: IntArray) -> IntArray:
    """Return the positions in *slots* at which a line starts. *Shapes:* ``(k,)`` -> ``(number of lines,)``"""
    return mark_changes(count_ends(page, slots)).nonzero()[0]


def find_gaps(page: Page, slots: IntArray) -> list[bool]:
    """Return whether whitespace or omitted text precedes each of *slots*; undefined for the first."""
    # A text between two slots is whitespace, boilerplate, or in no block.
    counts = page.slot_has_text.cumsum()[slots]
    return [False, *(counts[1:] - counts[:-1] > page.slot_has_text[slots[1:]]).tolist()]


def cut_lines(page: Page, slots: IntArray) -> list[Line]:
    """Return the lines of the texts and images at *slots*, which are in document order. *Shape:* ``(k,)``"""
    check_time()
    if not len(slots):
        return []
    counts, gaps = count_ends(page, slots), find_gaps(page, slots)
    later = np.diff(counts).nonzero()[0] + 1  # where lines after the first start
    starts = np.concatenate([[0], later])
    owners = page.owners(slots[starts]).tolist()
    breaks, ends = np.diff(counts[starts] % _ENDS // 2), np.diff(counts[starts] // _ENDS)
    n_breaks = [0, *np.where(ends == 0, breaks, 0).tolist()]
    # The first `br` after a text ends its line, if no block-level tag has ended it; each further `br` is an empty line.
    n_empty = [0] * len(starts)
    if page.tags_in({"pre"}).any():  # empty lines count in code only
        end_slots = line_ends(page)
        first_ends = end_slots[end_slots.searchsorted(slots[later - 1], side="right")]
        n_empty[1:] = (breaks - (page.tags[page.slot_elements[first_ends]] == _BREAK)).tolist()
    all_slots = slots.tolist()
    bounds = pairwise([*starts.tolist(), len(slots)])
    return [
        Line(all_slots[start:stop], gaps[start:stop], owner, breaks_before, empty)
        for (start, stop), owner, breaks_before, empty in watched(
            zip(bounds, owners, n_breaks, n_empty, strict=True), len(owners)
        )
    ]


def line_ends(page: Page) -> IntArray:
    """Return the slots of the tags that end a line, in order. *Shape:* ``(number of these tags,)``"""
    return _ENDS_LINE[page.tags[page.slot_elements]].nonzero()[0]
