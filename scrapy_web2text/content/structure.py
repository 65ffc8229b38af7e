"""The lines of the main content, and the structure of the page around them.

A line is a run of leaves without a block-level tag between them. Spans say from where to where some elements reach that
hold content: a page has many elements, and few of them are lists, cells or code around its content.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.page.arrays import COMMENT, TAG_NAMES, Page, tag_ids

# Tags that do not end a line. Unknown elements do not either, as in browsers.
_INLINE_TAGS: Final = frozenset(
    """a abbr acronym audio b bdi bdo big blink button canvas cite code data del dfn em embed font i iframe img input
    ins kbd label link map mark math meta meter nobr noscript object output param picture progress q rp rt ruby s samp
    script select slot small source span strike strong style sub sup svg template textarea time track tt u var video
    wbr""".split()
)
_ENDS_LINE: Final = np.ones(len(TAG_NAMES), dtype=bool)
_ENDS_LINE[[0, COMMENT, *tag_ids(_INLINE_TAGS)]] = False
_BREAK: Final = int(tag_ids(("br",))[0])
# Of each tag: a `br` counts as 1, others that end a line as 2**32, so that one sum has the numbers of both.
_ENDS: Final = 1 << 32
_COUNTS: Final = _ENDS_LINE * np.array(_ENDS, dtype=np.int64)
_COUNTS[_BREAK] = 1
# libxml2 makes the text after a `wbr` its child.
_GLUED: Final = frozenset(tag_ids(("sub", "sup", "wbr")).tolist())


@dataclass(slots=True)
class Line:
    """A run of content leaves and images without a block-level tag between them.

    :param slots: slot of each leaf and image. *Length:* k
    :param gaps: whether whitespace or omitted text precedes each; undefined for the first. *Length:* k
    :param owner: innermost element around the first leaf or image.
    :param n_breaks: number of ``br`` between this line and the previous one; 0 if anything else also separates them.
    :param n_empty: number of empty lines that ``br`` elements put before it; undefined for the first line.
    """

    slots: list[int]
    gaps: list[bool]
    owner: int
    n_breaks: int
    n_empty: int


class Structure:
    """The tree of a page as lists, because looking up single values in arrays is slow."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.parents: list[int] = page.parents.tolist()
        self.tags: list[int] = page.tags.tolist()

    @cached_property
    def owners(self) -> list[int]:
        """The innermost element around each slot."""
        owners: list[int] = self.page.slot_owners().tolist()
        return owners

    def nearest(self, tags: Collection[int]) -> Callable[[int], int]:
        """Return a function from an element to the innermost one with one of the *tags* at or above it, -1 for none."""
        found = {-1: -1}
        # With `self` in the function, structure and page would form a cycle and stay until the garbage collector runs.
        tags_of, parents = self.tags, self.parents

        def find(element: int) -> int:
            climbed = []
            while element not in found and tags_of[element] not in tags:
                climbed.append(element)
                element = parents[element]
            nearest = found.setdefault(element, element)
            found.update(dict.fromkeys(climbed, nearest))
            return nearest

        return find


def needs_space(page: Page, before_slot: int, before: str, slot: int, text: str) -> bool:
    """Return whether two adjacent texts are separate words that only CSS separates on the page.

    Tags rarely occur inside words, except around subscripts, superscripts and initials. So a space is missing between a
    lowercase and a capital letter, between a word and a number, and between two words in elements of the same kind;
    never in scripts without case.
    """
    left, right = before[-1], text[0]
    if not (left.isalnum() and right.isalnum()):
        return False
    owners = page.owners(np.array([before_slot, slot]))
    if owners[0] == owners[1]:
        return False
    first, second = page.tags[owners].tolist()
    # The parents too: the number of a footnote is a link in a `sup`. The root has none.
    parents = page.parents[owners]
    if not _GLUED.isdisjoint((first, second, *page.tags[parents[parents >= 0]].tolist())):
        return False
    if right.isupper() or right.isdigit():
        is_initial = len(before.strip()) == 1 and left.isupper() and not text[1:2].islower()
        return (left.isdigit() or left.islower() or left.isupper()) and not is_initial
    return bool(first == second) and left.islower() and right.islower()


def count_ends(page: Page, slots: IntArray) -> IntArray:
    """Return a number for each of *slots*; between two slots in the same line, it does not change. *Shapes:* ``(k,)``

    It is twice the number of ``br`` before the slot, plus 2**32 for each other tag that ends a line.
    """
    counts: IntArray = np.cumsum(_COUNTS[page.tags][page.slot_elements])[slots] & ~1  # 1 at each tag of a `br`
    return counts


def find_gaps(page: Page, slots: IntArray) -> list[bool]:
    """Return whether whitespace or omitted text is between each of *slots* and the one before; not for the first."""
    n_texts = page.slot_has_text.cumsum()[slots]
    # A text in between is whitespace, boilerplate, or in no block.
    return [False, *(n_texts[1:] - n_texts[:-1] > page.slot_has_text[slots[1:]]).tolist()]


def cut_lines(page: Page, slots: IntArray) -> Iterator[Line]:
    """Yield the lines of the texts and images at *slots*, which are in document order. *Shape:* ``(k,)``, k > 0"""
    counts = count_ends(page, slots)
    breaks, ends = np.diff(counts % _ENDS // 2), np.diff(counts // _ENDS)
    gaps = find_gaps(page, slots)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(counts)) + 1])
    owners = page.owners(slots[starts]).tolist()
    bounds = [*starts.tolist(), len(slots)]
    is_broken = np.where(ends == 0, breaks, 0)
    all_slots = slots.tolist()
    breaks_before = [0, *is_broken.tolist()]
    # A `br` ends the line of a text, unless a block-level tag has ended it; each further `br` is an empty line.
    n_empty = [0] * len(starts)
    if page.tags_in({"pre"}).any():  # empty lines count in code only
        end_slots = line_ends(page)
        first_ends = end_slots[np.searchsorted(end_slots, slots[starts[1:] - 1], side="right")]
        is_break = page.tags[page.slot_elements[first_ends]] == _BREAK
        n_empty[1:] = (breaks[starts[1:] - 1] - is_break).tolist()
    for (start, end), owner, empty in zip(pairwise(bounds), owners, n_empty, strict=True):
        yield Line(all_slots[start:end], gaps[start:end], owner, breaks_before[start], empty)


def line_ends(page: Page) -> IntArray:
    """Return the slots of the tags that end a line, in order. *Shape:* ``(number of these tags,)``"""
    return np.flatnonzero(_ENDS_LINE[page.tags[page.slot_elements]])


class Spans(NamedTuple):
    """Some elements in document order, each with the slots in it.

    :param starts: the first slot in each element; :param stops: the first one after it. *Shapes:* ``(s,)``
    :param elements: the index of each element; :param tags: the number of its tag. *Shapes:* ``(s,)``
    """

    starts: IntArray
    stops: IntArray
    elements: IntArray
    tags: IntArray

    def chosen(self, is_chosen: BoolArray) -> Spans:
        """Return those of the spans that are chosen. *Shape:* ``(s,)``"""
        return Spans(*(column[is_chosen] for column in self))

    def tagged(self, *tags: int) -> Spans:
        """Return the spans of the elements with one of *tags*, which are few."""
        is_chosen = self.tags == tags[0]
        for tag in tags[1:]:
            is_chosen |= self.tags == tag
        return self.chosen(is_chosen)


_NO_SPANS: Final = Spans(*np.empty((4, 0), dtype=np.int64))


def find_spans(page: Page, slots: IntArray, names: Collection[str], around: Spans | None = None) -> Spans:
    """Return the elements with one of the tags *names* that hold some of *slots*.

    :param slots: slots in ascending order. *Shape:* ``(k,)``
    :param around: spans, of which one must be around each element; None for no such condition.
    """
    elements = np.flatnonzero(page.tags_in(names))
    if around is not None:
        opens = page.open_slots[elements]
        last_stops = np.concatenate([[-1], np.maximum.accumulate(around.stops)])
        elements = elements[last_stops[around.starts.searchsorted(opens)] > opens]
    if not len(elements):
        return _NO_SPANS
    opens, closes = page.open_slots[elements], page.close_slots[elements]
    holds_slots = slots.searchsorted(opens) < slots.searchsorted(closes)
    return Spans(opens, closes, elements, page.tags[elements]).chosen(holds_slots)


def nearest_spans(spans: Spans, slots: IntArray) -> tuple[list[int], list[int]]:
    """Return the innermost of *spans* around each of *slots*, -1 for none, and the number of those around it.

    :param slots: slots in ascending order. *Shape:* ``(k,)``
    """
    n = len(slots)
    nearest, depths = [-1] * n, [0] * n
    around, ends = [-1], [n]  # the spans around, and the number of slots before the end of each
    done = 0  # slots whose spans are known
    # One more span, after all slots, ends those before it.
    firsts, stops = [*slots.searchsorted(spans.starts).tolist(), n], [*slots.searchsorted(spans.stops).tolist(), n]
    for span, (first, stop) in enumerate(watched(zip(firsts, stops, strict=True), len(firsts))):
        while ends[-1] <= first and len(ends) > 1:
            end = ends.pop()
            nearest[done:end] = [around.pop()] * (end - done)
            depths[done:end] = [len(ends)] * (end - done)
            done = end
        if done < first:
            nearest[done:first] = [around[-1]] * (first - done)
            depths[done:first] = [len(ends) - 1] * (first - done)
            done = first
        around.append(span)
        ends.append(stop)
    return nearest, depths
