"""The items of lists: their numbers, which of them hold only other lists, and which lists only lay out the page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.budget import batches, watched
from scrapy_web2text.content.structure import Line, Structure
from scrapy_web2text.page.arrays import HEADING_TAGS, Page, tag_ids

__all__ = ["find_hollow_items", "find_layout_lists", "number_items"]

_ITEM, _ORDERED, _ARTICLE, _PARAGRAPH = tag_ids(("li", "ol", "article", "p")).tolist()
_LISTS: Final = frozenset(tag_ids(("ul", "ol", "menu", "dir")).tolist())
_PARTS: Final = frozenset({"article", "section", "p", *HEADING_TAGS})
# An item with as many paragraphs is a part of the page.
_MANY_PARAGRAPHS: Final = 3
_NUMBER: Final = re.compile("[0-9]{1,6}")


def find_hollow_items(structure: Structure, lines: Iterable[Line]) -> dict[int, int]:
    """Return the items that hold only lists; each maps to the item before it, which takes over the lists, or to -1.

    Such items occur where content lies inside a menu that is omitted or never closed.
    """
    if _ITEM not in structure.tags:
        return {}
    item_of = structure.item_of
    own = {item_of(line.owner) for batch in batches(lines) for line in batch} - {-1}  # -1: the line is not in a list
    hollow: set[int] = set()
    for item in watched(own, len(own)):
        around = item_of(structure.parents[item])
        while around >= 0 and around not in own and around not in hollow:
            hollow.add(around)
            around = item_of(structure.parents[around])
    previous: dict[int, int] = {}
    last_of: dict[int, int] = {}
    for item in watched(sorted(own | hollow), len(own)):
        parent = structure.parents[item]
        if item in own:
            last_of[parent] = item
        else:
            previous[item] = last_of.get(parent, -1)
    return previous


def find_layout_lists(structure: Structure, slots: IntArray) -> list[int]:
    """Return the lists, with their items, that lay out cards, comments or a whole article.

    More than half of the items hold an article or, without numbers, a heading and other text, or many paragraphs.

    :param slots: the slots of the texts of the content. *Shape:* ``(k,)``
    :returns: indices of elements.
    """
    page = structure.page
    items = dict(zip(*_find_with_text(np.flatnonzero(page.tags == _ITEM), page, slots), strict=True))
    cards = _find_cards(structure, slots, items) if items else None
    if not cards:
        return []
    siblings: defaultdict[int, list[int]] = defaultdict(list)
    for item in watched(items):
        siblings[structure.parents[item]].append(item)
    layout = []
    for parent, n_cards in watched(cards.items(), len(cards)):
        if 2 * n_cards > len(siblings[parent]):
            layout += [parent] * (structure.tags[parent] in _LISTS) + siblings[parent]
    return layout


def _find_with_text(elements: IntArray, page: Page, slots: IntArray) -> tuple[list[int], list[int]]:
    """Return those of *elements* that hold texts at *slots*, and the number of these texts in each."""
    n_texts = np.searchsorted(slots, page.close_slots[elements]) - np.searchsorted(slots, page.open_slots[elements])
    has_text = n_texts > 0
    return elements[has_text].tolist(), n_texts[has_text].tolist()


def _find_cards(structure: Structure, slots: IntArray, items: dict[int, int]) -> Counter[int]:
    """Return the number of items of each list that are a part of the page, such as a card; others have no count.

    :param items: the number of texts in each item.
    """
    page = structure.page
    is_item = np.zeros(page.n_elements, dtype=bool)
    is_item[[*items]] = True
    parts = np.flatnonzero(page.tags_in(_PARTS))
    parts = parts[page.count_enclosing(is_item)[page.open_slots[parts]] > 0]
    found = _find_with_text(parts, page, slots)
    weights: Counter[int] = Counter()
    for part, n_texts in watched(zip(*found, strict=True), len(parts)):
        item, tag = structure.item_of(part), structure.tags[part]
        if tag == _ARTICLE:
            weights[item] += _MANY_PARAGRAPHS
        elif structure.tags[structure.parents[item]] != _ORDERED:
            is_alone = tag != _PARAGRAPH and n_texts == items[item]  # a heading without other text
            weights[item] += 0 if is_alone else 1 if tag == _PARAGRAPH else _MANY_PARAGRAPHS
    return Counter(structure.parents[item] for item, weight in weights.items() if weight >= _MANY_PARAGRAPHS)


def number_items(structure: Structure) -> dict[int, int]:
    """Return the number of each item of an ordered list; ``start`` and ``value`` attributes may set it."""
    numbers: dict[int, int] = {}
    next_numbers: dict[int, int] = {}
    if _ORDERED not in structure.tags:
        return numbers
    items = np.flatnonzero(structure.page.tags == _ITEM).tolist()
    for element in watched(items):
        parent = structure.parents[element]
        if parent < 0 or structure.tags[parent] != _ORDERED:
            continue
        if parent not in next_numbers:
            next_numbers[parent] = _read_number(structure.page, parent, "start", 1)
        numbers[element] = _read_number(structure.page, element, "value", next_numbers[parent])
        next_numbers[parent] = numbers[element] + 1
    return numbers


def _read_number(page: Page, element: int, name: str, default: int) -> int:
    value = (page.elements[element].get(name) or "").strip()
    return int(value) if _NUMBER.fullmatch(value) else default
