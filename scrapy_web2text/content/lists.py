"""The items of lists: their numbers, and which of them hold only other lists."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import numpy as np

from scrapy_web2text.budget import batches, watched
from scrapy_web2text.content.structure import Line, Structure
from scrapy_web2text.page.arrays import Page, tag_ids

__all__ = ["find_hollow_items", "number_items"]

_ITEM, _ORDERED = tag_ids(("li", "ol")).tolist()
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
