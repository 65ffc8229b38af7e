"""Lists and tables: which of them structure the content, which only lay out the page, and the numbers of items."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property
from typing import Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.structure import count_slots, elements_around, nearest_elements
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.tags import HEADING_TAGS, TAG_NAMES, tag_ids

_ITEM, _ORDERED, _ARTICLE, _PARAGRAPH = tag_ids(("li", "ol", "article", "p")).tolist()
LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_PARTS: Final = frozenset({"article", "section", "p", *HEADING_TAGS})
# An item with this number of paragraphs or more is a part of the page, not an item of a list.
_MANY_PARAGRAPHS: Final = 3
_POST: Final = re.compile(r"(?i)(?:^|[\s_-])(?:post(?:bit\w*)?|comment|message|reply|answer)(?:[\s_-]|$)")
_MOST_QUOTED: Final = 0.8  # share of the texts
_NUMBER: Final = re.compile("[0-9]{1,6}")


def find_hollow_items(page: Page, slots: IntArray) -> dict[int, int]:
    """Return the items that hold only lists. Each maps to the item before it, which takes over the lists, or to -1.

    Such items occur where content is inside a menu that is omitted or never closed. A list that is directly in another
    list counts as such an item.

    :param slots: the first slot of each line. *Shape:* ``(number of lines,)``
    """
    items = elements_around(page, slots, {"li"})
    own = {*nearest_elements(page, slots, {"li"}).tolist()}
    inner = find_inner_lists(page, slots)
    if len(own - {-1}) == len(items) and not len(inner):
        return {}
    items = np.sort(np.concatenate([items, inner]))
    previous: dict[int, int] = {}
    last_of: dict[int, int] = {}
    for item, parent in watched(zip(items.tolist(), page.parents[items].tolist(), strict=True), len(items)):
        if item in own:
            last_of[parent] = item
        else:
            previous[item] = last_of.get(parent, -1)
    return previous


def find_inner_lists(page: Page, slots: IntArray) -> IntArray:
    """Return the lists around *slots* that are directly in another list. *Shapes:* ``(k,)`` -> ``(s,)``"""
    lists = elements_around(page, slots, LISTS)
    parents = page.parents[lists]
    return lists[(parents >= 0) & page.tags_in(LISTS)[parents]]


def find_layout_lists(page: Page, slots: IntArray) -> IntArray:
    """Return the lists, with their items, that lay out cards, comments or a whole article.

    More than half of the items of such a list hold an article, or are posts by their class names. In a list without
    numbers, an item also counts if it has a heading and other text, or many paragraphs.

    :param slots: the slots of the texts of the content. *Shape:* ``(k,)``
    :returns: indices of elements.
    """
    items = elements_around(page, slots, {"li"})
    if not len(items):
        return items
    classes = page.read_attributes(items, "class")[0]
    posts = [i for i, value in watched(classes.items(), len(classes)) if _POST.search(value)]
    parts = elements_around(page, slots, _PARTS)
    parts = parts[page.count_enclosing(page.tags == _ITEM)[page.open_slots[parts]] > 0]
    if not len(parts) and not posts:  # on most pages
        return parts
    around = nearest_elements(page, page.open_slots[parts], {"li"})
    tags = page.tags[parts]
    is_numbered = page.tags[page.parents[around]] == _ORDERED
    is_alone = count_slots(page, slots, parts) == count_slots(page, slots, around)  # a heading without other text
    weights = np.where(tags == _PARAGRAPH, 1, _MANY_PARAGRAPHS)
    weights[(tags != _ARTICLE) & (is_numbered | (is_alone & (tags != _PARAGRAPH)))] = 0
    is_card = (np.bincount(around, weights, page.n_elements)[items] >= _MANY_PARAGRAPHS) | np.isin(items, posts)
    lists = page.parents[items]
    is_layout = (2 * np.bincount(lists + 1, is_card) > np.bincount(lists + 1))[lists + 1]
    lists = lists[is_layout & (lists >= 0)]
    return np.concatenate([lists[page.tags_in(LISTS)[lists]], items[is_layout]])


def find_layout_quotes(page: Page, slots: IntArray) -> IntArray:
    """Return the outermost quotes if most of the content is in quotes, which then lay out posts or margins.

    *Shapes:* ``(k,)`` -> ``(s,)``
    """
    quotes = elements_around(page, slots, {"blockquote"})
    outermost: IntArray = quotes[page.count_enclosing(page.tags_in({"blockquote"}))[page.open_slots[quotes]] == 1]
    is_layout = len(outermost) > 1 and count_slots(page, slots, outermost).sum() > _MOST_QUOTED * len(slots)
    return outermost if is_layout else outermost[:0]


def number_items(page: Page) -> dict[int, int]:
    """Return the number of each item of an ordered list, as counted or set by ``start`` and ``value`` attributes."""
    items = (page.tags == _ITEM).nonzero()[0]
    lists = page.parents[items]
    is_ordered = (page.tags[lists] == _ORDERED) & (lists >= 0)
    items, lists = items[is_ordered], lists[is_ordered]
    if not len(items):
        return {}
    starts, values = (
        {i: int(value) for i, value in watched(column.items(), len(column)) if _NUMBER.fullmatch(value.strip())}
        for column in page.read_attributes(page.tags_in({"li", "ol"}).nonzero()[0], "start", "value")
    )
    numbers: dict[int, int] = {}
    next_of: dict[int, int] = {}
    for item, parent in watched(zip(items.tolist(), lists.tolist(), strict=True), len(items)):
        following = next_of[parent] if parent in next_of else starts.get(parent, 1)
        numbers[item] = values.get(item, following)
        next_of[parent] = numbers[item] + 1
    return numbers


_TABLE, _CELL, _HEAD_CELL = tag_ids(("table", "td", "th")).tolist()
CELLS: Final = frozenset({"td", "th"})
_SPAN: Final = re.compile("[1-9][0-9]{0,2}")
_IS_LAYOUT: Final = np.zeros(len(TAG_NAMES), dtype=bool)
_IS_LAYOUT[tag_ids((*HEADING_TAGS, "article", "section", "nav", "form"))] = True
# Characters. A longer cell is a column of the page.
_LONGEST_CELL: Final = 1_000


def read_spans(cell: etree._Element) -> tuple[int, ...]:
    """Return the numbers of columns and rows that a cell spans."""
    spans = ((cell.get(name) or "").strip() for name in ("colspan", "rowspan"))
    return tuple(int(span) if _SPAN.fullmatch(span) else 1 for span in spans)


class Tables:
    """The tables of one page: the innermost data table, row and cell at or around each element; -1 for none."""

    def __init__(self, page: Page) -> None:
        self._page = page
        # A data table has no tables in it, two rows or more, and 1.5 cells per row or more.
        tables = (page.tags == _TABLE).nonzero()[0]
        n_tables, n_rows, n_cells = (
            count_slots(page, page.open_slots[page.tags_in(names)], tables) for names in ({"table"}, {"tr"}, CELLS)
        )
        likely = tables[(n_tables == 1) & (n_rows >= 2) & (2 * n_cells >= 3 * n_rows)]
        self._is_data = np.zeros(page.n_elements, dtype=bool)
        self._is_data[[table for table in watched(likely.tolist()) if self._holds_data(table)]] = True

    @cached_property
    def data_table_of(self) -> list[int]:
        """The innermost table at or around each element, if it is a data table; else -1."""
        tables = nearest_elements(self._page, self._page.open_slots, {"table"})
        return np.where(self._is_data[tables], tables, -1).tolist()

    row_of = cached_property[list[int]](lambda tables: tables.list_innermost({"tr"}))  # few pages need it
    cell_of = cached_property[list[int]](lambda tables: tables.list_innermost(CELLS))

    def find_columns(self, cells: IntArray, rows: IntArray) -> list[int]:
        """Return the number of cells before each of *cells* in its row. Spans do not count.

        *Shapes:* ``(k,)`` each. Outside of data tables and in code, the numbers are 0.

        :param rows: the row of each of *cells*.
        """
        n_cells = self._page.tags_in(CELLS).cumsum()
        is_data = self.in_data_tables()[self._page.open_slots[rows]]
        return np.where(is_data, n_cells[cells] - n_cells[rows] - 1, 0).tolist()

    def list_innermost(self, names: Collection[str]) -> list[int]:
        """Return the innermost element with one of the tags *names* at or around each element; -1 for none."""
        return nearest_elements(self._page, self._page.open_slots, names).tolist()

    @cached_property
    def short_cells(self) -> frozenset[int]:
        """The cells of data tables that can be written on one line: they have no code, and are not too long."""
        page = self._page
        if not self._is_data.any():
            return frozenset()
        cells = ((np.array(self.data_table_of) >= 0) & page.tags_in(CELLS)).nonzero()[0]
        starts, ends = page.open_slots[cells], page.close_slots[cells]
        n_pres = page.tags_in({"pre"})[page.slot_elements].cumsum()
        is_short = self._n_characters[ends] - self._n_characters[starts] <= _LONGEST_CELL
        return frozenset(cells[is_short & (n_pres[starts] == n_pres[ends])].tolist())

    def in_data_tables(self) -> BoolArray:
        """Return which slots are in data tables outside of code. *Shape:* ``(2n,)``"""
        in_code = self._page.count_enclosing(self._page.tags_in({"pre"}))[self._page.open_slots] > 0
        return self._page.count_enclosing(self._is_data & ~in_code) > 0

    def _holds_data(self, table: int) -> bool:
        """Return whether *table* looks like data, given that it has rows of cells and no tables in it.

        Without ``th`` cells, a table with headings, sections or forms is layout. So is a table with more paragraphs
        than cells, or with a cell as long as a column of the page.
        """
        page = self._page
        end = int(page.ends[table])
        tags = page.tags[table + 1 : end]
        if page.elements[table].get("role") in ("presentation", "none"):
            return False
        is_cell = (tags == _CELL) | (tags == _HEAD_CELL)
        if (tags == _HEAD_CELL).any():
            return True
        if _IS_LAYOUT[tags].any() or (tags == _PARAGRAPH).sum() > is_cell.sum():
            return False
        cells = is_cell.nonzero()[0] + table + 1
        n_characters = self._n_characters
        lengths = n_characters[page.close_slots[cells]] - n_characters[page.open_slots[cells]]
        return int(lengths.max()) <= _LONGEST_CELL

    @cached_property
    def _n_characters(self) -> IntArray:
        """Number of characters of the leaves before each slot. *Shape:* ``(2n,)``"""
        page = self._page
        lengths = np.zeros(2 * page.n_elements + 1, dtype=np.int64)
        lengths[page.leaf_slots + 1] = [len(text) for text in page.texts]
        return np.cumsum(lengths)[:-1]
