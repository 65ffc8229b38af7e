"""The place of a line in the structure of a page: the lists, data tables, headings, quotes and code around it.

The place of a line is the chain of elements around it that structure its text. All other elements are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.budget import watched
from scrapy_web2text.content.structure import Line, Structure
from scrapy_web2text.page.arrays import HEADING_TAGS, TAG_NAMES, tag_ids

__all__ = ["LINE_TAGS", "MOST_NESTED", "Place", "Places", "group_lines"]


# Deeper structure is dropped: hostile pages nest lists by the thousand.
MOST_NESTED: Final = 24

_LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_TABLE_PARTS: Final = frozenset({"table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"})
_STRUCTURE: Final = _LISTS | _TABLE_PARTS | {"li", "dl", "dt", "dd", "blockquote", "figure", "figcaption"}
_SECTIONS: Final = ("thead", "tbody", "tfoot")
_PARENTS: Final = {"tr": ("table", *_SECTIONS), **dict.fromkeys(("caption", *_SECTIONS), ("table",))}
# Elements without text of their own.
_WITHOUT_TEXT: Final = frozenset({"ul", "ol", "dl", "table", "thead", "tbody", "tfoot", "tr"})
# Elements that hold lines only; structure inside them is dropped.
LINE_TAGS: Final = frozenset({*HEADING_TAGS, "pre", "dt", "caption"})
_STRUCTURE_IDS: Final = frozenset(tag_ids((*_STRUCTURE, *LINE_TAGS)).tolist())
_ENTRIES: Final = ("dt", "dd")
_ENTRY_IDS: Final = frozenset(tag_ids(_ENTRIES).tolist())
_LIST_IDS: Final = frozenset(tag_ids(_LISTS).tolist())
_PART_IDS: Final = frozenset(tag_ids(_TABLE_PARTS).tolist())
_IS_LAYOUT: Final = np.zeros(len(TAG_NAMES), dtype=bool)
_IS_LAYOUT[tag_ids((*HEADING_TAGS, "article", "section", "nav", "form"))] = True
_ITEM, _TABLE, _ROW, _CELL, _HEAD_CELL = tag_ids(("li", "table", "tr", "td", "th")).tolist()


class Place(NamedTuple):
    """One step of the chain of structure around a line.

    :param tag: tag of the element; every list that is not an ``ol`` counts as a ``ul``.
    :param element: index of the element in the page; negative for a list that the page omits around its items.
    """

    tag: str
    element: int


class Places:
    """The places in one page; the chain above each element is found once.

    :param hollow_items: items without lines of their own, see `find_hollow_items`; their lists move to another item.
    """

    def __init__(self, structure: Structure, hollow_items: Mapping[int, int] | None = None) -> None:
        self._structure = structure
        self._hollow_items = hollow_items or {}
        self._table_of = structure.nearest({_TABLE})
        self._data_tables: dict[int, bool] = {}
        self._found: dict[int, tuple[Place, ...]] = {-1: ()}

    def find(self, element: int) -> tuple[Place, ...]:
        """Return the structure around a line whose owner is *element*, outermost first."""
        unknown = []
        while element not in self._found:
            unknown.append(element)
            element = self._structure.parents[element]
        place = self._found[element]
        for below in reversed(unknown):
            place = self._found[below] = self._add_step(place, below)
        while place and place[-1].tag in _WITHOUT_TEXT:
            place = place[:-1]  # text between items or cells moves out of the list or table
        return place

    def _add_step(self, place: tuple[Place, ...], element: int) -> tuple[Place, ...]:
        """Return the place inside *element*, given the *place* of the element itself."""
        tag = self._structure.tags[element]
        if tag not in _STRUCTURE_IDS or len(place) >= MOST_NESTED or (place and place[-1].tag in LINE_TAGS):
            return place
        if tag in _PART_IDS and not self._is_part_of_data(tag, element, place[-1].tag if place else ""):
            return place
        if tag in _ENTRY_IDS and place and place[-1].tag in _ENTRIES:
            place = place[:-1]  # libxml2 does not end an entry where the next one begins
        if tag in _LIST_IDS:
            return (*place, Place("ol" if TAG_NAMES[tag] == "ol" else "ul", element))
        if tag == _ITEM and not (place and place[-1].tag in ("ul", "ol")):
            # Items without a list: those with the same parent share one.
            place = (*place, Place("ul", -2 - self._structure.parents[element]))
        if element in self._hollow_items:
            previous = self._hollow_items[element]
            return place[:-1] if previous < 0 else (*place, Place("li", previous))
        return (*place, Place(TAG_NAMES[tag], element))

    def _is_part_of_data(self, tag: int, element: int, around: str) -> bool:
        """Return whether a part of a table is in a valid place, in a table that holds data.

        :param around: tag of the innermost structure around it. A parser would move a row out of a cell, and with it
            the text after it.
        """
        table = self._table_of(element)
        if table < 0 or not self._holds_data(table):
            return False
        if tag in (_CELL, _HEAD_CELL):
            return around == "tr" and bool(self._structure.tags[self._structure.parents[element]] == _ROW)
        return tag == _TABLE or around in _PARENTS[TAG_NAMES[tag]]

    def _holds_data(self, table: int) -> bool:
        """Return whether *table* holds data; other tables are layout."""
        if table not in self._data_tables:
            self._data_tables[table] = self._has_rows_of_cells(table)
        return self._data_tables[table]

    def _has_rows_of_cells(self, table: int) -> bool:
        """Return whether *table* looks like data: no tables in it, two rows or more, 1.5 cells per row or more.

        Without ``th`` cells, headings, sections or forms inside also show that it is layout.
        """
        page = self._structure.page
        end = int(page.ends[table])
        tags = page.tags[table + 1 : end]
        if (tags == _TABLE).any() or page.elements[table].get("role") in ("presentation", "none"):
            return False
        is_cell = (tags == _CELL) | (tags == _HEAD_CELL)
        n_rows = int((tags == _ROW).sum())
        if n_rows < 2 or 2 * is_cell.sum() < 3 * n_rows:
            return False
        return bool((tags == _HEAD_CELL).any()) or not _IS_LAYOUT[tags].any()


def group_lines(places: Places, lines: Iterable[Line]) -> Iterator[tuple[tuple[Place, ...], list[Line]]]:
    """Yield each paragraph as its place and its lines.

    A single ``br`` does not end a paragraph. An element of `LINE_TAGS`, such as a heading, is a single paragraph.
    """
    group: list[Line] = []
    place: tuple[Place, ...] = ()
    for line in watched(lines):
        line_place = places.find(line.owner)
        is_single = bool(line_place) and line_place[-1].tag in LINE_TAGS
        if group and line_place == place and (is_single or line.n_breaks == 1):
            group.append(line)
            continue
        if group:
            yield place, group
        group, place = [line], line_place
    if group:
        yield place, group
