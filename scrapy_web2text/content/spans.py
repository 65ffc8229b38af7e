"""Spans: from where to where some elements reach, of those that hold content.

A page has many elements, and few of them are lists, cells or code around its content.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.page.arrays import Page

__all__ = ["Spans", "find_spans", "nearest_spans"]


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
