"""The lines of the main content, and where each stands in the page: what text, HTML and Markdown are written from.

A line is a run of leaves without a block-level tag between them. Its *place* is the chain of elements around it that
give text a structure: lists, tables of data, headings, quotes, code. All other elements are transparent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.page.arrays import COMMENT, TAG_NAMES, Page, tag_ids

__all__ = ["HEADINGS", "LINE_TAGS", "MOST_NESTED", "Line", "Place", "Structure", "cut_lines", "group_lines"]


HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
# Structure that lies deeper is left out: hostile pages nest lists by the thousand.
MOST_NESTED: Final = 24

# Tags that do not end a line. Unknown elements do not either, as in browsers.
_INLINE_TAGS: Final = frozenset(
    """a abbr acronym audio b bdi bdo big blink button canvas cite code data del dfn em embed font i iframe img input
    ins kbd label link map mark math meta meter nobr noscript object output param picture progress q rp rt ruby s samp
    script select slot small source span strike strong style sub sup svg template textarea time track tt u var video
    wbr""".split()
)
_ENDS_LINE: Final = np.ones(len(TAG_NAMES), dtype=bool)
_ENDS_LINE[[0, COMMENT, *tag_ids(_INLINE_TAGS)]] = False
_BREAK: Final = int(tag_ids(("br",))[0])

_LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_TABLE_PARTS: Final = frozenset({"table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"})
_STRUCTURE: Final = _LISTS | _TABLE_PARTS | {"li", "dl", "dt", "dd", "blockquote", "figure", "figcaption"}
# What holds no text of its own.
_WITHOUT_TEXT: Final = frozenset({"ul", "ol", "dl", "table", "thead", "tbody", "tfoot", "tr"})
# What holds nothing but a line, so that structure inside it is left out.
LINE_TAGS: Final = frozenset({*HEADINGS, "pre", "dt", "caption"})
_STRUCTURE_IDS: Final = frozenset(tag_ids((*_STRUCTURE, *LINE_TAGS)).tolist())
_LEAF_IDS: Final = frozenset(tag_ids(LINE_TAGS).tolist())
_ENTRIES: Final = ("dt", "dd")
_ENTRY_IDS: Final = frozenset(tag_ids(_ENTRIES).tolist())
_LIST_IDS: Final = frozenset(tag_ids(_LISTS).tolist())
_PART_IDS: Final = frozenset(tag_ids(_TABLE_PARTS).tolist())
_LAYOUT_IDS: Final = tag_ids((*HEADINGS, "article", "section", "nav", "form"))
# libxml2 takes what follows a `wbr` for its text.
_GLUED: Final = frozenset(tag_ids(("sub", "sup", "wbr")).tolist())
# Inline elements that are a line of code each: highlighters name them, or CSS in the element says so.
_CODE_LINES: Final = frozenset(tag_ids(("code", "span")).tolist())
_LINE_CLASS: Final = re.compile(r"(?:^|[\s_-])line(?:\s|$)")
_LINE_STYLE: Final = re.compile(r"(?:^|[\s;])display\s*:\s*(?:block|flex|grid)\b", re.IGNORECASE)
_PRE, _ITEM, _TABLE, _ROW, _CELL, _HEAD_CELL = tag_ids(("pre", "li", "table", "tr", "td", "th")).tolist()


class Place(NamedTuple):
    """One step of the chain of structure around a line.

    :param tag: its tag; lists that are no ``ol`` count as ``ul``.
    :param element: index of the element in the page; negative where the page has left it out.
    """

    tag: str
    element: int


@dataclass(slots=True)
class Line:
    """A run of content leaves, and of pictures, without a block-level tag in between.

    :param slots: where they stand. *Length:* k
    :param gaps: whether blank or left-out text lies before each; before the first it means nothing. *Length:* k
    :param owner: innermost element around the first.
    :param n_breaks: how many ``br``, and nothing else that ends a line, separate it from the line before; 0 if there is
        something else.
    :param n_empty: how many empty lines ``br`` make before it; before the first it means nothing.
    """

    slots: list[int]
    gaps: list[bool]
    owner: int
    n_breaks: int
    n_empty: int


def cut_lines(structure: Structure, slots: IntArray) -> Iterator[Line]:
    """Yield the lines of what stands at *slots*, which are in document order. *Shape:* ``(k,)``"""
    page = structure.page
    tags = page.tags[page.slot_elements]
    is_break = tags == _BREAK
    n_breaks = np.cumsum(is_break)[slots] // 2  # one at its start tag, one at its end tag
    n_ends = np.cumsum(_ENDS_LINE[tags] & ~is_break)[slots]
    n_texts = np.cumsum(page.slot_has_text, dtype=np.int64)[slots]
    breaks, ends = np.diff(n_breaks), np.diff(n_ends)
    # A text in between is blank, or boilerplate, or of no block.
    gaps = [False, *(np.diff(n_texts) > page.slot_has_text[slots[1:]]).tolist()]
    starts = np.concatenate([[0], np.flatnonzero((breaks > 0) | (ends > 0)) + 1])
    owners = structure.owners[slots[starts]].tolist()
    bounds = [*starts.tolist(), len(slots)]
    is_broken = np.where(ends == 0, breaks, 0)
    all_slots = slots.tolist()
    breaks_before = [0, *is_broken.tolist()]
    # A `br` ends the line of a text, unless a block-level tag has done so; each further one is an empty line.
    n_empty = [0] * len(starts)
    if _PRE in structure.tags:  # elsewhere they mean nothing
        end_slots = np.flatnonzero(_ENDS_LINE[tags])
        first_ends = end_slots[np.searchsorted(end_slots, slots[starts[1:] - 1], side="right")]
        n_empty[1:] = (breaks[starts[1:] - 1] - is_break[first_ends]).tolist()
    for (start, end), owner, empty in zip(pairwise(bounds), owners, n_empty, strict=True):
        yield Line(all_slots[start:end], gaps[start:end], owner, breaks_before[start], empty)


def group_lines(structure: Structure, lines: Iterable[Line]) -> Iterator[tuple[tuple[Place, ...], list[Line]]]:
    """Yield the lines of each paragraph, and its place: one ``br`` does not end it, and headings and code are one."""
    group: list[Line] = []
    place: tuple[Place, ...] = ()
    for line in lines:
        line_place = structure.place(line.owner)
        is_one = bool(line_place) and line_place[-1].tag in LINE_TAGS
        if group and line_place == place and (is_one or line.n_breaks == 1):
            group.append(line)
            continue
        if group:
            yield place, group
        group, place = [line], line_place
    if group:
        yield place, group


class Structure:
    """The page's tree as lists, as single look-ups in arrays are slow; what is asked for twice is kept."""

    def __init__(self, page: Page) -> None:
        self.page = page
        parents = page.parents()
        self.parents: list[int] = parents.tolist()
        self.tags: list[int] = page.tags.tolist()
        self.item_of = self.nearest({_ITEM})
        self._table_of = self.nearest({_TABLE})
        self._data_tables: dict[int, bool] = {}
        # Innermost element around each slot.
        self.owners: IntArray = page.slot_owners(parents)
        # For items that are none in the content: the item that their lists belong to, -1 for none.
        self.stand_ins: Mapping[int, int] = {}
        self._end_slots: IntArray | None = None
        self._code_lines: dict[int, int] = {-1: -1}
        self._places: dict[int, tuple[Place, ...]] = {-1: ()}

    def blanks(self, start: int, end: int) -> str:
        """Return what separates two slots in code: the blank texts between them; a space for what was left out."""
        return "".join(text if text.isspace() else " " for text in self._texts(start + 1, end))

    def indentation(self, slot: int) -> str:
        """Return the blanks between the beginning of a line of code, which has none at its end, and its first *slot*.

        Those in the text at *slot* itself are not among them. What was left out takes no room: line numbers.
        """
        if self._end_slots is None:
            self._end_slots = np.flatnonzero(_ENDS_LINE[self.page.tags[self.page.slot_elements]])
        n_ends = int(np.searchsorted(self._end_slots, slot, side="right"))
        start = int(self._end_slots[n_ends - 1]) if n_ends else 0
        texts = (text if text.isspace() else "\n" * ("\n" in text) for text in self._texts(start, slot))
        return "".join(texts).rpartition("\n")[2]

    def are_lines(self, before: int, after: int) -> bool:
        """Return whether two slots in code stand in two elements side by side that are lines, as style sheets show."""
        first, second = (self._code_line(int(self.owners[slot])) for slot in (before, after))
        return first != second and first >= 0 <= second and self.parents[first] == self.parents[second]

    def _code_line(self, element: int) -> int:
        """Return the outermost element at or above *element*, but inside its ``pre``, that is a line; -1 for none."""
        climbed = []
        while element not in self._code_lines and self.tags[element] != _PRE:
            climbed.append(element)
            element = self.parents[element]
        line = self._code_lines.setdefault(element, -1)
        for below in reversed(climbed):
            if line < 0 and self.tags[below] in _CODE_LINES and self._is_line(below):
                line = below
            self._code_lines[below] = line
        return line

    def _is_line(self, element: int) -> bool:
        node = self.page.elements[element]
        return bool(_LINE_CLASS.search(node.get("class") or "") or _LINE_STYLE.search(node.get("style") or ""))

    def _texts(self, start: int, end: int) -> Iterator[str]:
        """Yield the texts at the slots from *start* to before *end*."""
        page = self.page
        for slot in np.flatnonzero(page.slot_has_text[start:end]) + start:
            element = page.slot_elements[slot]
            node = page.elements[element]
            yield (node.text if page.open_slots[element] == slot else node.tail) or ""

    def are_apart(self, before: int, before_text: str, after: int, after_text: str) -> bool:
        """Return whether a space is missing between two texts without one: what CSS sets apart has none.

        Inside of words tags are rare but for sub- and superscripts and initials. So a capital behind a small letter, a
        number behind a word, and two words in elements of the same kind are told apart; scripts without case never are.

        :param before: slot of the first text; :param after: slot of the second.
        """
        left, right = before_text[-1], after_text[0]
        if not (left.isalnum() and right.isalnum()):
            return False
        owners = int(self.owners[before]), int(self.owners[after])
        first, second = (self.tags[owner] for owner in owners)
        # A note's number is a link in a `sup`.
        nearby = {first, second, *(self.tags[self.parents[owner]] for owner in owners)}
        if owners[0] == owners[1] or nearby & _GLUED:
            return False
        if right.isupper() or right.isdigit():
            is_initial = len(before_text.strip()) == 1 and left.isupper() and not after_text[1:2].islower()
            return (left.isdigit() or left.islower() or left.isupper()) and not is_initial
        return first == second and left.islower() and right.islower()

    def nearest(self, tags: Collection[int]) -> Callable[[int], int]:
        """Return a function from an element to the innermost one with one of the *tags* at or above it, -1 for none."""
        found = {-1: -1}

        def find(element: int) -> int:
            climbed = []
            while element not in found and self.tags[element] not in tags:
                climbed.append(element)
                element = self.parents[element]
            nearest = found.setdefault(element, element)
            found.update(dict.fromkeys(climbed, nearest))
            return nearest

        return find

    def place(self, element: int) -> tuple[Place, ...]:
        """Return the structure around a line whose owner is *element*, outermost first."""
        unknown = []
        while element not in self._places:
            unknown.append(element)
            element = self.parents[element]
        place = self._places[element]
        for below in reversed(unknown):
            place = self._places[below] = self._add_step(place, below)
        while place and place[-1].tag in _WITHOUT_TEXT:
            place = place[:-1]  # text that stands between items or cells stands between lists or tables here
        return place

    def _add_step(self, place: tuple[Place, ...], element: int) -> tuple[Place, ...]:
        tag = self.tags[element]
        if tag not in _STRUCTURE_IDS or len(place) >= MOST_NESTED or (place and place[-1].tag in LINE_TAGS):
            return place
        if tag in _PART_IDS and not self._is_part_of_data(tag, element):
            return place
        if tag in _ENTRY_IDS and place and place[-1].tag in _ENTRIES:
            place = place[:-1]  # libxml2 does not see that one ends where the next begins
        if tag in _LIST_IDS:
            return (*place, Place("ol" if TAG_NAMES[tag] == "ol" else "ul", element))
        if tag == _ITEM and not (place and place[-1].tag in ("ul", "ol")):
            # An item without its list: those with the same parent get one together.
            place = (*place, Place("ul", -2 - self.parents[element]))
        if element in self.stand_ins:
            stand_in = self.stand_ins[element]
            return place[:-1] if stand_in < 0 else (*place, Place("li", stand_in))
        return (*place, Place(TAG_NAMES[tag], element))

    def _is_part_of_data(self, tag: int, element: int) -> bool:
        """Return whether a part of a table belongs to one that holds data, and stands where it should."""
        table = self._table_of(element)
        if table < 0 or not self._holds_data(table):
            return False
        if tag in (_CELL, _HEAD_CELL):
            return bool(self.tags[self.parents[element]] == _ROW)
        return True

    def _holds_data(self, table: int) -> bool:
        """Return whether *table* shows data; others only lay out the page."""
        if table not in self._data_tables:
            self._data_tables[table] = self._has_rows_of_cells(table)
        return self._data_tables[table]

    def _has_rows_of_cells(self, table: int) -> bool:
        page = self.page
        end = int(page.ends[table])
        tags = page.tags[table + 1 : end]
        if (tags == _TABLE).any() or page.elements[table].get("role") in ("presentation", "none"):
            return False
        is_cell = (tags == _CELL) | (tags == _HEAD_CELL)
        n_rows = int((tags == _ROW).sum())
        if n_rows < 2 or 2 * is_cell.sum() < 3 * n_rows:
            return False
        return bool((tags == _HEAD_CELL).any()) or not np.isin(tags, _LAYOUT_IDS).any()
