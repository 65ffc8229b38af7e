"""Lists and tables: which of them structure the content, and which only lay out the page; and the numbers of items."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cached_property
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.structure import Spans, Structure, find_spans, nearest_spans
from scrapy_web2text.page.arrays import HEADING_TAGS, TAG_NAMES, Page, tag_ids

_ITEM, _ORDERED, _ARTICLE, _PARAGRAPH = tag_ids(("li", "ol", "article", "p")).tolist()
_LISTS: Final = frozenset(tag_ids(("ul", "ol", "menu", "dir")).tolist())
_PARTS: Final = frozenset({"article", "section", "p", *HEADING_TAGS})
# An item with as many paragraphs is a part of the page.
_MANY_PARAGRAPHS: Final = 3
_NUMBER: Final = re.compile("[0-9]{1,6}")
# The attributes that set the number of a list's first item, and of an item.
_START, _VALUE = 0, 1
_ATTRIBUTES: Final = {"start": _START, "value": _VALUE}


def find_hollow_items(page: Page, items: Spans, around_lines: list[int]) -> dict[int, int]:
    """Return the items that hold only lists; each maps to the item before it, which takes over the lists, or to -1.

    Such items occur where content lies inside a menu that is omitted or never closed.

    :param items: all items that hold lines.
    :param around_lines: the innermost of them around each line, -1 for none.
    """
    own = {*around_lines}
    if len(own - {-1}) == len(items.starts):
        return {}
    previous: dict[int, int] = {}
    last_of: dict[int, int] = {}
    rows = zip(items.elements.tolist(), page.parents[items.elements].tolist(), strict=True)
    for i, (item, parent) in enumerate(watched(rows, len(items.starts))):
        if i in own:
            last_of[parent] = item
        else:
            previous[item] = last_of.get(parent, -1)
    return previous


def find_layout_lists(page: Page, slots: IntArray, items: Spans) -> list[int]:
    """Return the lists, with their items, that lay out cards, comments or a whole article.

    More than half of the items hold an article or, without numbers, a heading and other text, or many paragraphs.

    :param slots: the slots of the texts of the content. *Shape:* ``(k,)``
    :param items: the items that hold some of them.
    :returns: indices of elements.
    """
    lists = page.parents[items.elements]
    tags = page.tags[lists]
    parents = lists.tolist()
    cards = Counter(parents[item] for item in _find_cards(page, slots, items, tags == _ORDERED))
    if not cards:
        return []
    siblings: defaultdict[int, list[int]] = defaultdict(list)
    for item, parent in watched(zip(items.elements.tolist(), parents, strict=True), len(parents)):
        siblings[parent].append(item)
    tag_of = dict(zip(parents, tags.tolist(), strict=True))
    layout = []
    for parent, n_cards in watched(cards.items(), len(cards)):
        if 2 * n_cards > len(siblings[parent]):
            layout += [parent] * (tag_of[parent] in _LISTS) + siblings[parent]
    return layout


def _find_cards(page: Page, slots: IntArray, items: Spans, is_numbered: BoolArray) -> list[int]:
    """Return which of the items are a part of the page, such as a card.

    :param is_numbered: whether each item is in an ordered list. *Shape:* ``(s,)``
    """
    parts = find_spans(page, slots, _PARTS, items)
    if not len(parts.starts):
        return []
    numbered = is_numbered.tolist()
    around, _ = nearest_spans(items, parts.starts)
    n_texts, n_part_texts = (
        (slots.searchsorted(spans.stops) - slots.searchsorted(spans.starts)).tolist() for spans in (items, parts)
    )
    weights: Counter[int] = Counter()
    rows = zip(parts.tags.tolist(), around, n_part_texts, strict=True)
    for tag, item, n_own_texts in watched(rows, len(around)):
        if tag == _ARTICLE:
            weights[item] += _MANY_PARAGRAPHS
        elif not numbered[item]:
            is_alone = tag != _PARAGRAPH and n_own_texts == n_texts[item]  # a heading without other text
            weights[item] += 0 if is_alone else 1 if tag == _PARAGRAPH else _MANY_PARAGRAPHS
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


_TABLE, _ROW, _CELL, _HEAD_CELL, _PRE = tag_ids(("table", "tr", "td", "th", "pre")).tolist()
_IS_LAYOUT: Final = np.zeros(len(TAG_NAMES), dtype=bool)
_IS_LAYOUT[tag_ids((*HEADING_TAGS, "article", "section", "nav", "form"))] = True
# A cell with more characters is a column of the page.
_LONGEST_CELL: Final = 1_000


class Tables:
    """The tables of one page; each is judged once."""

    def __init__(self, structure: Structure) -> None:
        self._page = structure.page
        self.table_of = structure.nearest({_TABLE})
        self.row_of = structure.nearest({_ROW})
        self.cell_of = structure.nearest({_CELL, _HEAD_CELL})
        self._pre_of = structure.nearest({_PRE})
        self._hold_data: dict[int, bool] = {}

    def data_table_of(self, element: int) -> int:
        """Return the innermost table at or above *element*, if it holds data; else -1."""
        table = self.table_of(element)
        return table if table >= 0 and self.holds_data(table) else -1

    def data_tables(self) -> BoolArray:
        """Return which elements of the page are tables of data, except in code. *Shape:* ``(n,)``"""
        found = np.zeros(self._page.n_elements, dtype=bool)
        for table in watched(np.flatnonzero(self._page.tags == _TABLE).tolist()):
            found[table] = self._pre_of(table) < 0 and self.holds_data(table)
        return found

    def holds_data(self, table: int) -> bool:
        """Return whether *table* holds data; other tables are layout."""
        if table not in self._hold_data:
            self._hold_data[table] = self._has_rows_of_cells(table)
        return self._hold_data[table]

    def _has_rows_of_cells(self, table: int) -> bool:
        """Return whether *table* looks like data: no tables in it, two rows or more, 1.5 cells per row or more.

        Without ``th`` cells, it is also layout if it has headings, sections or forms, more paragraphs than cells, or a
        cell with the text of a whole column.
        """
        page = self._page
        end = int(page.ends[table])
        tags = page.tags[table + 1 : end]
        if (tags == _TABLE).any() or page.elements[table].get("role") in ("presentation", "none"):
            return False
        is_cell = (tags == _CELL) | (tags == _HEAD_CELL)
        n_cells = int(is_cell.sum())
        n_rows = int((tags == _ROW).sum())
        if n_rows < 2 or 2 * n_cells < 3 * n_rows:
            return False
        if (tags == _HEAD_CELL).any():
            return True
        if _IS_LAYOUT[tags].any() or int((tags == _PARAGRAPH).sum()) > n_cells:
            return False
        cells = np.flatnonzero(is_cell) + table + 1
        n_characters = self._n_characters
        lengths = n_characters[page.close_slots[cells]] - n_characters[page.open_slots[cells]]
        return int(lengths.max()) <= _LONGEST_CELL

    @cached_property
    def _n_characters(self) -> IntArray:
        """The number of characters of the leaves before each slot. *Shape:* ``(2n,)``"""
        page = self._page
        lengths = np.zeros(2 * page.n_elements + 1, dtype=np.int64)
        lengths[page.leaf_slots + 1] = [len(text) for text in page.texts]
        counts: IntArray = np.cumsum(lengths)[:-1]
        return counts
