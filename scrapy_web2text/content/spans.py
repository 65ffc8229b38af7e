"""Spans: from where to where some elements reach, of those that hold content.

A page has many elements, and few of them are lists, cells or code around its content.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.page.arrays import Page

__all__ = ["NO_SPAN", "Span", "find_spans", "nearest_spans"]

# The first slot in an element, the first one after it, the index of the element, and the number of its tag.
Span: TypeAlias = tuple[int, int, int, int]

NO_SPAN: Final[Span] = (-1, -1, -1, -1)


def find_spans(page: Page, slots: IntArray, names: Collection[str]) -> list[Span]:
    """Return the elements with one of the tags *names* that hold some of *slots*, in document order.

    :param slots: slots in ascending order. *Shape:* ``(k,)``
    """
    elements = np.flatnonzero(page.tags_in(names))
    if not len(elements):
        return []
    opens, closes = page.open_slots[elements], page.close_slots[elements]
    holds_slots = slots.searchsorted(opens) < slots.searchsorted(closes)
    chosen = elements[holds_slots]
    columns = (opens[holds_slots], closes[holds_slots], chosen, page.tags[chosen])
    return [*watched(zip(*(column.tolist() for column in columns), strict=True), len(chosen))]


def nearest_spans(spans: Sequence[Span], slots: Iterable[int], n_slots: int) -> tuple[list[Span], list[int]]:
    """Return the innermost of *spans* around each of *slots*, or `NO_SPAN`, and the number of those around it.

    :param spans: the spans, in document order.
    :param slots: slots in ascending order, *n_slots* in all.
    """
    nearest, depths = [], []
    around = [NO_SPAN]
    following = iter(watched(spans, len(spans)))
    span = next(following, None)
    for slot in watched(slots, n_slots):
        while span is not None and span[0] <= slot:
            while len(around) > 1 and around[-1][1] <= span[0]:
                around.pop()
            around.append(span)
            span = next(following, None)
        while len(around) > 1 and around[-1][1] <= slot:
            around.pop()
        nearest.append(around[-1])
        depths.append(len(around) - 1)
    return nearest, depths
