"""The items of lists: their numbers, which of them hold only other lists, and which lists only lay out the page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from typing import Final

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.content.spans import Span, find_spans, nearest_spans
from scrapy_web2text.page.arrays import HEADING_TAGS, Page, tag_ids

__all__ = ["find_hollow_items", "find_layout_lists", "number_items"]

_ITEM, _ORDERED, _ARTICLE, _PARAGRAPH = tag_ids(("li", "ol", "article", "p")).tolist()
_LISTS: Final = frozenset(tag_ids(("ul", "ol", "menu", "dir")).tolist())
_PARTS: Final = frozenset({"article", "section", "p", *HEADING_TAGS})
# An item with as many paragraphs is a part of the page.
_MANY_PARAGRAPHS: Final = 3
_NUMBER: Final = re.compile("[0-9]{1,6}")
# The attributes that set the number of a list's first item, and of an item.
_START, _VALUE = 0, 1
_ATTRIBUTES: Final = {"start": _START, "value": _VALUE}


def find_hollow_items(page: Page, items: list[Span], around_lines: Iterable[Span]) -> dict[int, int]:
    """Return the items that hold only lists; each maps to the item before it, which takes over the lists, or to -1.

    Such items occur where content lies inside a menu that is omitted or never closed.

    :param items: all items that hold lines.
    :param around_lines: the innermost item around each line; others may be among them.
    """
    own = {element for _, _, element, _ in around_lines}
    if all(element in own for _, _, element, _ in items):
        return {}
    previous: dict[int, int] = {}
    last_of: dict[int, int] = {}
    elements = [element for _, _, element, _ in items]
    for item, parent in watched(zip(elements, page.parents[elements].tolist(), strict=True), len(elements)):
        if item in own:
            last_of[parent] = item
        else:
            previous[item] = last_of.get(parent, -1)
    return previous


def find_layout_lists(page: Page, slots: IntArray, items: list[Span]) -> list[int]:
    """Return the lists, with their items, that lay out cards, comments or a whole article.

    More than half of the items hold an article or, without numbers, a heading and other text, or many paragraphs.

    :param slots: the slots of the texts of the content. *Shape:* ``(k,)``
    :param items: the items that hold some of them.
    :returns: indices of elements.
    """
    if not items:
        return []
    elements = [element for _, _, element, _ in items]
    list_of = dict(zip(elements, page.parents[elements].tolist(), strict=True))
    tag_of = dict(zip(list_of.values(), page.tags[[*list_of.values()]].tolist(), strict=True))
    numbered = {item for item, parent in list_of.items() if tag_of[parent] == _ORDERED}
    cards = Counter(list_of[item] for item in _find_cards(page, slots, items, numbered))
    if not cards:
        return []
    siblings: defaultdict[int, list[int]] = defaultdict(list)
    for item, parent in watched(list_of.items(), len(list_of)):
        siblings[parent].append(item)
    layout = []
    for parent, n_cards in watched(cards.items(), len(cards)):
        if 2 * n_cards > len(siblings[parent]):
            layout += [parent] * (tag_of[parent] in _LISTS) + siblings[parent]
    return layout


def _find_cards(page: Page, slots: IntArray, items: list[Span], numbered: Collection[int]) -> list[int]:
    """Return the items that are a part of the page, such as a card.

    :param numbered: those of the items that are in an ordered list.
    """
    parts = find_spans(page, slots, _PARTS)
    around, _ = nearest_spans(items, (start for start, *_ in parts), len(parts))
    ordered_slots = slots.tolist()

    def count_texts(start: int, stop: int) -> int:
        return bisect_left(ordered_slots, stop) - bisect_left(ordered_slots, start)

    weights: Counter[int] = Counter()
    for (start, stop, _, tag), (first, end, item, _) in watched(zip(parts, around, strict=True), len(parts)):
        if item < 0:
            continue
        if tag == _ARTICLE:
            weights[item] += _MANY_PARAGRAPHS
        elif item not in numbered:
            if tag == _PARAGRAPH:
                weights[item] += 1
            elif count_texts(start, stop) < count_texts(first, end):  # a heading alone does not make a card
                weights[item] += _MANY_PARAGRAPHS
    return [item for item, weight in weights.items() if weight >= _MANY_PARAGRAPHS]


def number_items(page: Page) -> dict[int, int]:
    """Return the number of each item of an ordered list; ``start`` and ``value`` attributes may set it."""
    items = np.flatnonzero(page.tags == _ITEM)
    lists = page.parents[items]
    is_ordered = (page.tags[lists] == _ORDERED) & (lists >= 0)
    items, lists = items[is_ordered], lists[is_ordered]
    if not len(items):
        return {}
    given = {}
    attributes = page.attribute_values(np.union1d(items, lists), _ATTRIBUTES)
    for element, name, value in watched(zip(*attributes, strict=True), len(attributes[0])):
        if _NUMBER.fullmatch(value.strip()):
            given[element, name] = int(value)
    numbers: dict[int, int] = {}
    next_of: dict[int, int] = {}
    for item, parent in watched(zip(items.tolist(), lists.tolist(), strict=True), len(items)):
        following = next_of[parent] if parent in next_of else given.get((parent, _START), 1)
        numbers[item] = given.get((item, _VALUE), following)
        next_of[parent] = numbers[item] + 1
    return numbers
