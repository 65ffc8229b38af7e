"""The place of a line in the structure of a page: the lists, data tables, headings, quotes and code around it.

The place of a line is a chain of steps: the elements around the line that structure its text. Other elements are
ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby, takewhile
from typing import Final, NamedTuple, TypeAlias

from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.layout import CELLS, LISTS, Tables
from scrapy_web2text.content.structure import Line, Structure
from scrapy_web2text.page.tags import HEADING_TAGS, TAG_NAMES

# Steps. Deeper structure is dropped: hostile pages nest lists by the thousand.
MOST_NESTED: Final = 24

_TABLE_PARTS: Final = frozenset({"table", "caption", "thead", "tbody", "tfoot", "tr", *CELLS})
_STRUCTURE: Final = LISTS | _TABLE_PARTS | {"li", "dl", "dt", "dd", "blockquote", "figure", "figcaption"}
_SECTIONS: Final = ("thead", "tbody", "tfoot")
# The elements in which parts of a table must be.
_PARENTS: Final = {
    **dict.fromkeys(CELLS, ("tr",)),
    "tr": ("table", *_SECTIONS),
    **dict.fromkeys(("caption", *_SECTIONS), ("table",)),
}
_ROWS: Final = frozenset({"table", *_SECTIONS, "tr"})
# Elements that cannot hold text directly.
_WITHOUT_TEXT: Final = _ROWS | {"ul", "ol", "dl"}
# Elements that hold lines only; structure inside them is dropped.
LINE_TAGS: Final = frozenset({*HEADING_TAGS, "pre", "dt", "caption"})
_NAMES: Final = _STRUCTURE | LINE_TAGS
_ENTRIES: Final = ("dt", "dd")


class PlaceStep(NamedTuple):
    """One step of a place.

    :param tag: tag of the element; any list except an ``ol`` counts as a ``ul``.
    :param element: index of the element in the page; negative for an element that the page lacks, such as the list
        around an item.
    """

    tag: str
    element: int


def place_finder(
    structure: Structure, tables: Tables | None = None, hollow_items: Mapping[int, int] | None = None
) -> Callable[[int], tuple[PlaceStep, ...]]:
    """Return a function from the owner of a line to the place of the line, outermost step first.

    :param tables: the tables of the page; None to ignore the structure of tables.
    :param hollow_items: the result of `find_hollow_items`; the lists of these items move to another item.
    """
    nowhere: tuple[PlaceStep, ...] = ()
    find = structure.inherit(nowhere, partial(_add_step, structure, tables, hollow_items or {}), _NAMES)
    return lambda owner: _drop_textless(find(owner))


def _drop_textless(place: tuple[PlaceStep, ...]) -> tuple[PlaceStep, ...]:
    """Return the innermost place around *place* that can hold text: text between items or cells leaves the list."""
    while place and place[-1].tag in _WITHOUT_TEXT:
        place = place[:-1]
    return place


def _add_step(
    structure: Structure,
    tables: Tables | None,
    hollow_items: Mapping[int, int],
    place: tuple[PlaceStep, ...],
    element: int,
) -> tuple[PlaceStep, ...]:
    """Return the place inside *element*, given the *place* of the element itself."""
    name, around = TAG_NAMES[structure.tags[element]], place[-1].tag if place else ""
    is_astray = around in _ROWS and name not in _TABLE_PARTS  # a parser would move it out of the table
    if len(place) >= MOST_NESTED or around in LINE_TAGS or is_astray:
        return place
    if name in _TABLE_PARTS:
        if tables is None or tables.data_table_of[element] < 0 or around not in _PARENTS.get(name, (around,)):
            return place
        if name in CELLS and TAG_NAMES[structure.tags[structure.parents[element]]] != "tr":
            return place  # a parser would move a row out of a cell, and with it the text after it
        if name == "tr" and around == "table":  # a parser would add a tbody
            place = (*place, PlaceStep("tbody", -2 - place[-1].element))
    if name in _ENTRIES and around in _ENTRIES:
        place = place[:-1]  # libxml2 does not end an entry where the next one begins
    if name in LISTS:
        return _add_list(hollow_items, place, name, element)
    if name == "li" and around not in ("ul", "ol"):
        # Items without a list get one, which items with the same parent share.
        place = (*place, PlaceStep("ul", -2 - structure.parents[element]))
    if element in hollow_items:
        previous = hollow_items[element]
        return place[:-1] if previous < 0 else (*place, PlaceStep("li", previous))
    return (*place, PlaceStep(name, element))


def _add_list(
    hollow_items: Mapping[int, int], place: tuple[PlaceStep, ...], name: str, element: int
) -> tuple[PlaceStep, ...]:
    """Return the place inside a list. A list that is directly in another list belongs to the item before it."""
    if element in hollow_items and place and place[-1].tag in ("ul", "ol"):
        if hollow_items[element] < 0:
            return place
        place = (*place, PlaceStep("li", hollow_items[element]))
    return (*place, PlaceStep("ol" if name == "ol" else "ul", element))


# A paragraph: its place and its lines.
Group: TypeAlias = tuple[tuple[PlaceStep, ...], list[Line]]


def group_lines(find_place: Callable[[int], tuple[PlaceStep, ...]], lines: Iterable[Line]) -> Iterator[Group]:
    """Yield each paragraph as its place and its lines.

    A single ``br`` does not end a paragraph. An element of `LINE_TAGS`, such as a heading, is a single paragraph.
    """
    group: list[Line] = []
    place: tuple[PlaceStep, ...] = ()
    for line in watched(lines):
        line_place = find_place(line.owner)
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
    """Yield each paragraph, with the short cells of each row of a data table joined into one paragraph.

    :param groups: the paragraphs, with places that ignore tables.
    """
    sizes = Counter(tables.cell_of[line.owner] for _, lines in watched(groups) for line in lines)

    def cell_of(i: int) -> int:
        """Return the cell of a paragraph, if it is joined with its row; else a negative number of its own."""
        place, lines = groups[i]
        table, cell = tables.data_table_of[lines[0].owner], tables.cell_of[lines[0].owner]
        is_short = cell > table >= 0 and (sizes[cell] == 1 or cell in tables.short_cells)
        return cell if is_short and not (place and place[-1].tag == "pre") else -1 - i

    def row_of(i: int) -> int:
        cell = cell_of(i)
        return tables.row_of[cell] if cell >= 0 else cell

    for _, row in groupby(watched(range(len(groups))), key=row_of):
        cells = [[groups[i] for i in cell] for _, cell in groupby(row, key=cell_of)]
        steps = zip(*[place for cell in cells for place, _ in cell], strict=False)
        place = _drop_textless(tuple(step[0] for step in takewhile(lambda step: len({*step}) == 1, steps)))
        yield [(place, [line for _, lines in cell for line in lines]) for cell in cells]
