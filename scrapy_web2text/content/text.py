"""The main content as text: paragraphs, list items with their markers, table rows, and code as it was written.

| in the page | in the text |
|---|---|
| elements that are not inline, ``br`` | a new line |
| inline elements | the spacing of the page; a space for each omitted text |
| ``li`` | ``- ``, or its number in an ``ol``, indented by two spaces for each list around it |
| cells of one line each in one ``tr`` | one line, separated by tabs |
| ``pre`` | line breaks and indentation are kept |
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Final

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.content.layout import mark_headings, separate_paragraphs
from scrapy_web2text.content.lists import find_hollow_items
from scrapy_web2text.content.places import Places, group_lines
from scrapy_web2text.content.selection import Content
from scrapy_web2text.content.structure import Line
from scrapy_web2text.page.arrays import tag_ids

__all__ = ["content_text", "line_pieces", "write_code", "write_line"]


_ROW, _PRE = tag_ids(("tr", "pre")).tolist()
_CELLS: Final = frozenset(tag_ids(("td", "th")).tolist())
# Deeper lists are indented no further: hostile pages nest them by the thousand.
_DEEPEST_INDENT: Final = 10
# Before a line that is not empty.
_LINE_BREAK: Final = re.compile(r"\n(?!\n|$)")


def content_text(content: Content) -> str:
    """Return the content as text, in the form that the module's docstring describes."""
    lines = content.lines
    if not lines:
        return ""
    page, structure, slots = content.page, content.structure, content.slots
    n_code, n_items, n_cells = (page.count_enclosing(page.tags_in(tags)) for tags in ({"pre"}, {"li"}, {"td", "th"}))
    has_code = bool(n_code[slots].any())
    pre_of, last_pre = structure.nearest({_PRE}), -1
    written = []
    for line in watched(lines):
        if has_code and n_code[line.slots[0]]:
            pre = pre_of(line.owner)
            written.append("\n" * (line.n_empty * (pre == last_pre)) + content.code.write(line))
            last_pre = pre
        else:
            written.append(write_line(content, line))
    if n_items[slots].any():
        _mark_items(content, written, n_items)
    separators = ["\n"] * (len(lines) - 1)
    layout = content.options.text_layout
    groups = [] if layout == "lines" else [*group_lines(Places(structure, content.tables), lines)]
    separate_paragraphs(groups, separators)
    if n_cells[slots].any():
        _join_rows(content, lines, written, separators, n_cells)
    if layout == "headings":
        mark_headings(groups, written, separators)
    text = written[0] + "".join([separator + line for separator, line in zip(separators, written[1:], strict=True)])
    if not content.title:
        return text
    mark, end = "# " if layout == "headings" else "", "\n" if layout == "lines" else "\n\n"
    return f"{mark}{content.title}{end}{text}"


def write_line(content: Content, line: Line) -> str:
    """Return the text of a *line*, with whitespace collapsed."""
    return " ".join("".join(line_pieces(content, line)).split())


def line_pieces(content: Content, line: Line) -> list[str]:
    """Return the text at each slot of a *line*, with the space that separates it from the text before.

    The text of an image is empty.
    """
    texts = content.texts
    if len(line.slots) == 1:  # most lines
        return [texts.get(line.slots[0], "")]
    pieces: list[str] = []
    before = -1
    for slot, has_gap in watched(zip(line.slots, line.gaps, strict=True), len(line.slots)):
        text = texts.get(slot, "")
        is_separate = bool(pieces) and (
            has_gap
            or (text != "" and before in texts and content.structure.needs_space(before, texts[before], slot, text))
        )
        pieces.append(" " + text if is_separate else text)
        before = slot
    return pieces


def write_code(content: Content, lines: list[Line]) -> str:
    """Return the *lines* of one ``pre``, without empty lines around them."""
    written = ["\n" * line.n_empty + content.code.write(line) for line in watched(lines)]
    if len(lines) > 1:
        n_cells = content.page.count_enclosing(content.page.tags_in({"td", "th"}))
        if n_cells[lines[0].slots[0]] or n_cells[lines[-1].slots[0]]:
            separators = ["\n"] * (len(lines) - 1)
            _join_rows(content, lines, written, separators, n_cells)
            pieces = [piece for pair in zip(["", *separators], written, strict=True) for piece in pair]
            return "".join(pieces).strip("\n")
    return "\n".join(written).strip("\n")


def _mark_items(content: Content, written: list[str], n_items: IntArray) -> None:
    """Write the marker of each list item before its first line, and indent its other lines.

    :param n_items: number of items around each slot. *Shape:* ``(2n,)``
    """
    structure, lines, numbers = content.structure, content.lines, content.item_numbers
    in_items = [line for line in lines if n_items[line.slots[0]]]  # the others need not be searched for an item
    dropped = [item for item, previous in find_hollow_items(structure, in_items).items() if previous < 0]
    if dropped:
        is_dropped = np.zeros(content.page.n_elements, dtype=bool)
        is_dropped[dropped] = True
        n_items = n_items - content.page.count_enclosing(is_dropped)
    depths = n_items.tolist()
    deepest = _deepest_indent(content, written, [depths[line.slots[0]] for line in lines])
    marked: set[int] = set()
    for i, line in enumerate(watched(lines)):
        depth = depths[line.slots[0]]
        if not depth:
            continue
        item = structure.item_of(line.owner)
        marker = f"{numbers[item]}. " if item in numbers else "- "
        indent = "  " * min(depth - 1, deepest)
        rest = indent + " " * len(marker) if deepest >= 0 else ""
        first = rest if item in marked else indent + marker
        marked.add(item)
        text = written[i].lstrip("\n")
        empty_lines = "\n" * (len(written[i]) - len(text))  # of code
        written[i] = empty_lines + first + _LINE_BREAK.sub(f"\n{rest}", text)


def _deepest_indent(content: Content, written: list[str], depths: list[int]) -> int:
    """Return the level to which items are indented, so that the text is at most three times as long as the page.

    It is 10 except for hostile pages, and -1 if even the lines after a marker must not be indented.

    :param written: the text of each line, which can have several in code.
    :param depths: number of items around each line.
    """
    page = content.page
    # No tag is shorter than "<p>". Leaves are not longer than in the source.
    n_left = 3 * (3 * page.n_elements + sum(map(len, content.texts.values()))) - sum(map(len, written)) - len(written)
    marker = 2 + max((len(str(number)) for number in content.item_numbers.values()), default=0)
    sizes = [text.count("\n") + 1 for text in written]
    if (2 * _DEEPEST_INDENT + marker) * sum(sizes) <= n_left:
        return _DEEPEST_INDENT
    for deepest in range(_DEEPEST_INDENT, -1, -1):
        widths = (2 * min(depth - 1, deepest) + marker if depth else 0 for depth in depths)
        if sum(size * width for size, width in zip(sizes, widths, strict=True)) <= n_left:
            return deepest
    return -1


def _join_rows(
    content: Content, lines: list[Line], written: list[str], separators: list[str], n_cells: IntArray
) -> None:
    """Put a tab between adjacent cells of a row, in place of the line break.

    Cells with several lines are layout, and their lines stay separate.

    :param separators: what is between the lines; one fewer than *written*.
    :param n_cells: number of cells around each slot. *Shape:* ``(2n,)``
    """
    cell_of, row_of = content.structure.nearest(_CELLS), content.structure.nearest({_ROW})
    cells = [cell_of(line.owner) if n_cells[line.slots[0]] else -1 for line in watched(lines)]
    sizes = Counter(cells)
    for i, (before, cell) in enumerate(watched(pairwise(cells), len(cells))):
        is_small = before >= 0 <= cell and sizes[before] == sizes[cell] == 1 and "\n" not in written[i + 1]
        if is_small and row_of(before) == row_of(cell):
            separators[i] = "\t"
