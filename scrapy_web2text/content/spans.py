"""Spans: from where to where some elements reach, of those that hold content.

A page has many elements, and few of them are lists, cells or code around its content.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.page.arrays import Page

__all__ = ["NO_SPAN", "Span", "find_spans", "nearest_spans"]

# The first slot in an element, the first one after it, the index of the element, and the number of its tag.
Span: TypeAlias = tuple[int, int, int, int]

NO_SPAN: Final[Span] = (-1, -1, -1, -1)


def find_spans(page: Page, slots: IntArray, names: Collection[str], around: Sequence[Span] | None = None) -> list[Span]:
    """Return the elements with one of the tags *names* that hold some of *slots*, in document order.

    :param slots: slots in ascending order. *Shape:* ``(k,)``
    :param around: spans in document order, of which one must be around each element; None for no such condition.
    """
    elements = np.flatnonzero(page.tags_in(names))
    if around is not None:
        starts, stops = np.array(around)[:, :2].T
        last = starts.searchsorted(page.open_slots[elements]) - 1
        elements = elements[(last >= 0) & (np.maximum.accumulate(stops)[last] > page.open_slots[elements])]
    if not len(elements):
        return []
    opens, closes = page.open_slots[elements], page.close_slots[elements]
    holds_slots = slots.searchsorted(opens) < slots.searchsorted(closes)
    chosen = elements[holds_slots]
    columns = (opens[holds_slots], closes[holds_slots], chosen, page.tags[chosen])
    return [*watched(zip(*(column.tolist() for column in columns), strict=True), len(chosen))]


def nearest_spans(spans: Sequence[Span], slots: Sequence[int]) -> tuple[list[Span], list[int]]:
    """Return the innermost of *spans* around each of *slots*, or `NO_SPAN`, and the number of those around it.

    The time depends on the number of spans, which is often small.

    :param spans: the spans, in document order.
    :param slots: slots in ascending order.
    """
    nearest, depths = [NO_SPAN] * len(slots), [0] * len(slots)
    around: list[Span] = []
    ends = [len(slots)]  # the number of slots before the end of each span around, after that of the page
    done = 0

    def fill(stop: int) -> int:
        if around and done < stop:
            nearest[done:stop] = [around[-1]] * (stop - done)
            depths[done:stop] = [len(around)] * (stop - done)
        return max(done, stop)

    for span in watched(spans, len(spans)):
        first = bisect_left(slots, span[0])
        while around and ends[-1] <= first:
            done = fill(ends.pop())
            around.pop()
        done = fill(first)
        around.append(span)
        ends.append(bisect_left(slots, span[1], first))
    while around:
        done = fill(ends.pop())
        around.pop()
    return nearest, depths
