"""The lines of the main text: paragraphs, list items with their markers, table rows, code as it was written.

| in the page | in the text |
|---|---|
| elements that are not inline, ``br`` | a new line |
| inline elements | the page's own spacing; a space where something was left out |
| ``li`` | ``- ``, or its number in an ``ol``, two spaces deeper for each list around it |
| cells of one line each in one ``tr`` | one line, with tabs between them |
| ``pre`` | line breaks and indentation stay |
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Final

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.content.structure import Line, Structure, cut_lines
from scrapy_web2text.page.arrays import Page, tag_ids
from scrapy_web2text.page.blocks import BlockSequence, Label

__all__ = ["content_leaves", "content_text", "find_stand_ins", "join_code", "line_pieces", "list_numbers"]


_ITEM, _ROW, _ORDERED, _PRE = tag_ids(("li", "tr", "ol", "pre")).tolist()
_CELLS: Final = frozenset(tag_ids(("td", "th")).tolist())
_NUMBER: Final = re.compile("[0-9]{1,6}")
# What generators of documentation put behind a headline as a link to itself.
_PERMALINKS: Final = frozenset("¶#🔗")
# Deeper lists are indented no further: hostile pages nest them by the thousand.
_DEEPEST_INDENT: Final = 10


def content_leaves(page: Page, blocks: BlockSequence, labels: IntArray) -> tuple[IntArray, IntArray]:
    """Return the leaves of the blocks that are content, and the block of each; but no links of headings to themselves.

    *Shapes:* labels ``(n,)`` -> ``(k,)`` twice
    """
    is_content = labels[blocks.leaf_blocks] == Label.CONTENT
    leaves, owners = blocks.leaves[is_content], blocks.leaf_blocks[is_content]
    shown = [page.texts[leaf].strip() not in _PERMALINKS for leaf in leaves.tolist()]
    if not all(shown):
        slots = page.leaf_slots[leaves]
        elements = page.slot_elements[slots]
        kept = np.array(shown) | ~page.tags_in({"a"})[elements] | (page.open_slots[elements] != slots)
        leaves, owners = leaves[kept], owners[kept]
    return leaves, owners


def content_text(page: Page, blocks: BlockSequence, labels: IntArray) -> str:
    """Return the text of the content blocks; the module says how.

    :param labels: label of each block. *Shape:* ``(n,)``
    """
    leaves, _ = content_leaves(page, blocks, labels)
    if not len(leaves):
        return ""
    slots = page.leaf_slots[leaves]
    structure = Structure(page)
    texts = dict(zip(slots.tolist(), map(page.texts.__getitem__, leaves.tolist()), strict=True))
    lines = [*cut_lines(structure, slots)]
    n_code, n_items, n_cells = (page.count_enclosing(page.tags_in(tags)) for tags in ({"pre"}, {"li"}, {"td", "th"}))
    in_code = set(slots[n_code[slots] > 0].tolist())
    pre_of, last_pre = structure.nearest({_PRE}), -1
    written = []
    for line in lines:
        if line.slots[0] in in_code:
            pre = pre_of(line.owner)
            written.append("\n" * (line.n_empty * (pre == last_pre)) + _code_line(structure, line, texts))
            last_pre = pre
        else:
            written.append(" ".join("".join(line_pieces(structure, line, texts)).split()))
    if n_items[slots].any():
        _mark_items(structure, lines, written, n_items)
    if n_cells[slots].any():
        return _join_rows(structure, lines, written, n_cells)
    return "\n".join(written)


def line_pieces(structure: Structure, line: Line, texts: dict[int, str], *, is_code: bool = False) -> list[str]:
    """Return the text at each slot of a *line*, and what separates it from the one before at its beginning.

    :param texts: text of each slot; slots of pictures have none.
    :param is_code: whether blanks count.
    """
    if len(line.slots) == 1:  # most lines
        return [texts.get(line.slots[0], "")]
    pieces = []
    before = None
    for slot, has_gap in zip(line.slots, line.gaps, strict=True):
        text = texts.get(slot, "")
        if before is None:
            separator = ""
        elif has_gap:
            separator = structure.blanks(before, slot) if is_code else " "
        else:
            is_missing = not is_code and text and before in texts
            separator = " " if is_missing and structure.are_apart(before, texts[before], slot, text) else ""
        if is_code and before is not None and "\n" not in separator and not _ends_line(pieces[-1], text):
            separator = "\n" * structure.are_lines(before, slot) + separator
        pieces.append(separator + text)
        before = slot
    return pieces


def _ends_line(before: str, after: str) -> bool:
    """Return whether code goes to a new line between two texts by itself."""
    return before.rstrip(" \t").endswith("\n") or after.lstrip(" \t").startswith("\n")


def join_code(structure: Structure, lines: list[Line], texts: dict[int, str]) -> str:
    """Return the *lines* of one ``pre``, without blank ones around them and blanks behind them.

    :param texts: text of each slot.
    """
    written = ["\n" * line.n_empty + _code_line(structure, line, texts) for line in lines]
    if len(lines) > 1:
        n_cells = structure.page.count_enclosing(structure.page.tags_in({"td", "th"}))
        if n_cells[lines[0].slots[0]] or n_cells[lines[-1].slots[0]]:
            return _join_rows(structure, lines, written, n_cells).strip("\n")
    return "\n".join(written).strip("\n")


def _code_line(structure: Structure, line: Line, texts: dict[int, str]) -> str:
    """Return a *line* of code, which may hold several, with its indentation."""
    text = structure.indentation(line.slots[0]) + "".join(line_pieces(structure, line, texts, is_code=True))
    return "\n".join(part.rstrip() for part in text.split("\n")).strip("\n")


def _mark_items(structure: Structure, lines: list[Line], written: list[str], n_items: IntArray) -> None:
    """Write the markers of list items before their first lines, and indent the others."""
    item_of = structure.item_of
    numbers = list_numbers(structure)
    in_items = [line for line in lines if n_items[line.slots[0]]]  # to climb from the others takes long
    left_out = [item for item, stand_in in find_stand_ins(structure, in_items).items() if stand_in < 0]
    if left_out:
        is_left_out = np.zeros(structure.page.n_elements, dtype=bool)
        is_left_out[left_out] = True
        n_items = n_items - structure.page.count_enclosing(is_left_out)
    depths = n_items.tolist()
    marked: set[int] = set()
    for i, line in enumerate(lines):
        depth = depths[line.slots[0]]
        if not depth:
            continue
        item = item_of(line.owner)
        marker = f"{numbers[item]}. " if item in numbers else "- "
        indent = "  " * min(depth - 1, _DEEPEST_INDENT)
        rest = indent + " " * len(marker)
        first = rest if item in marked else indent + marker
        marked.add(item)
        written[i] = first + written[i].replace("\n", f"\n{rest}")


def find_stand_ins(structure: Structure, lines: list[Line]) -> dict[int, int]:
    """Return the items that hold nothing but lists, and the item before each, whose lists these show as; -1 for none.

    Menus that are left out, or never closed, surround content with such items.
    """
    if _ITEM not in structure.tags:
        return {}
    item_of = structure.item_of
    own = {item_of(line.owner) for line in lines} - {-1}  # -1 is that of lines outside of lists
    hollow: set[int] = set()
    for item in own:
        around = item_of(structure.parents[item])
        while around >= 0 and around not in own and around not in hollow:
            hollow.add(around)
            around = item_of(structure.parents[around])
    stand_ins: dict[int, int] = {}
    last_of: dict[int, int] = {}
    for item in sorted(own | hollow):
        parent = structure.parents[item]
        if item in own:
            last_of[parent] = item
        else:
            stand_ins[item] = last_of.get(parent, -1)
    return stand_ins


def list_numbers(structure: Structure) -> dict[int, int]:
    """Return the number of each item of an ordered list, which the page may set."""
    numbers: dict[int, int] = {}
    next_numbers: dict[int, int] = {}
    if _ORDERED not in structure.tags:
        return numbers
    for element in np.flatnonzero(structure.page.tags == _ITEM).tolist():
        parent = structure.parents[element]
        if parent < 0 or structure.tags[parent] != _ORDERED:
            continue
        if parent not in next_numbers:
            next_numbers[parent] = _read_number(structure.page, parent, "start", 1)
        numbers[element] = _read_number(structure.page, element, "value", next_numbers[parent])
        next_numbers[parent] = numbers[element] + 1
    return numbers


def _read_number(page: Page, element: int, name: str, otherwise: int) -> int:
    value = (page.elements[element].get(name) or "").strip()
    return int(value) if _NUMBER.fullmatch(value) else otherwise


def _join_rows(structure: Structure, lines: list[Line], written: list[str], n_cells: IntArray) -> str:
    """Return the lines, those of neighbouring cells in one: if each has one line, the table holds data, not layout."""
    cell_of, row_of = structure.nearest(_CELLS), structure.nearest({_ROW})
    cells = [cell_of(line.owner) if n_cells[line.slots[0]] else -1 for line in lines]
    sizes = Counter(cells)
    pieces = [written[0]]
    for (before, cell), text in zip(pairwise(cells), written[1:], strict=True):
        are_small = before >= 0 <= cell and sizes[before] == sizes[cell] == 1 and "\n" not in text
        pieces += ["\t" if are_small and row_of(before) == row_of(cell) else "\n", text]
    return "".join(pieces)
