"""The place of a line in the structure of a page: the lists, data tables, headings, quotes and code around it.

The place of a line is the chain of elements around it that structure its text. All other elements are ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.layout import Tables
from scrapy_web2text.content.structure import Line, Structure
from scrapy_web2text.page.arrays import HEADING_TAGS, TAG_NAMES, tag_ids

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

    :param tables: None ignores the structure of all tables.
    :param hollow_items: items without lines of their own, see `find_hollow_items`; their lists move to another item.
    """

    def __init__(
        self, structure: Structure, tables: Tables | None = None, hollow_items: Mapping[int, int] | None = None
    ) -> None:
        self._structure = structure
        self._tables = tables
        self._hollow_items = hollow_items or {}
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
        if self._tables is None or self._tables.data_table_of(element) < 0:
            return False
        if tag in (_CELL, _HEAD_CELL):
            return around == "tr" and bool(self._structure.tags[self._structure.parents[element]] == _ROW)
        return tag == _TABLE or around in _PARENTS[TAG_NAMES[tag]]


# A paragraph: its place and its lines.
Group: TypeAlias = tuple[tuple[Place, ...], list[Line]]


def group_lines(places: Places, lines: Iterable[Line]) -> Iterator[Group]:
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


def join_rows(groups: list[Group], tables: Tables) -> Iterator[list[Group]]:
    """Yield each paragraph, for data tables written as text: the cells of a row, if each has one line, are one.

    :param groups: the paragraphs, written with places that ignore tables.
    """
    sizes = Counter(tables.cell_of(line.owner) for _, lines in watched(groups) for line in lines)

    def row_of(i: int) -> tuple[Place | int, ...]:
        """Return what is equal for the cells of a row that is one line, and for no other paragraphs."""
        place, lines = groups[i]
        owner = lines[0].owner
        table, cell = tables.data_table_of(owner), tables.cell_of(owner)
        is_whole = cell > table >= 0 and sizes[cell] == 1 and not (place and place[-1].tag in LINE_TAGS)
        return (tables.row_of(owner), *place) if is_whole else (-1 - i,)

    for _, cells in groupby(watched(range(len(groups))), key=row_of):
        yield [groups[i] for i in cells]
