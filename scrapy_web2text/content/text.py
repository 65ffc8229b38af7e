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
from collections.abc import Callable
from itertools import pairwise
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.content import SPAN_TAGS, Content
from scrapy_web2text.content.layout import find_hollow_items
from scrapy_web2text.content.places import Group, Place, Places, group_lines
from scrapy_web2text.content.structure import (
    Line,
    Spans,
    count_ends,
    cut_lines,
    find_gaps,
    find_spans,
    nearest_spans,
    needs_space,
)
from scrapy_web2text.page.arrays import HEADING_TAGS, Page, tag_ids
from scrapy_web2text.page.reader import collapse_each

_ROW, _PRE, _ITEM = tag_ids(("tr", "pre", "li")).tolist()
_CELLS: Final = frozenset(tag_ids(("td", "th")).tolist())
# Deeper lists are indented no further: hostile pages nest them by the thousand.
_DEEPEST_INDENT: Final = 10
# Before a line that is not empty.
_LINE_BREAK: Final = re.compile(r"\n(?!\n|$)")


def content_text(content: Content) -> str:
    """Return the content as text, in the form that the module's docstring describes."""
    page, slots = content.page, content.text_slots
    if not len(slots):
        return ""
    counts = count_ends(page, slots)
    starts = np.concatenate([[0], np.flatnonzero(counts[1:] != counts[:-1]) + 1])
    written = _write_lines(content, starts.tolist())
    separators = ["\n"] * (len(written) - 1)
    layout = content.options.text_layout
    groups = [] if layout == "lines" else [*group_lines(Places(content.structure, content.tables), content.lines)]
    separate_paragraphs(groups, separators)
    spans = content.spans if slots is content.slots else find_spans(page, slots, SPAN_TAGS)
    if len(spans.starts):
        _write_structure(content, spans, slots[starts], written, separators)
    if layout == "headings":
        mark_headings(groups, written, separators)
    text = _join(written, separators)
    if not content.title:
        return text
    mark, end = "# " if layout == "headings" else "", "\n" if layout == "lines" else "\n\n"
    return f"{mark}{content.title}{end}{text}"


def _write_lines(content: Content, starts: list[int]) -> list[str]:
    """Return the text of each line, with whitespace collapsed.

    :param starts: position of the first text of each line.
    """
    texts = [*content.texts.values()]
    if len(starts) == len(texts):
        return collapse_each(texts)
    slots, gaps = content.text_slots.tolist(), find_gaps(content.page, content.text_slots)
    stops = [*starts[1:], len(texts)]
    lines = [texts[start] for start in starts]
    for i in watched([i for i, start in enumerate(starts) if stops[i] > start + 1]):  # most lines have one text
        line = slice(starts[i], stops[i])
        lines[i] = "".join(_space(content.page, slots[line], texts[line], gaps[line]))
    return collapse_each(lines)


def _space(page: Page, slots: list[int], texts: list[str], gaps: list[bool]) -> list[str]:
    """Return the *texts* of a line, each with the space that separates it from the one before.

    :param texts: text at each of *slots*; that of an image is empty.
    :param gaps: see `Line`.
    """
    pieces = texts[:1]
    for i in watched(range(1, len(texts)), len(texts)):
        before, text = texts[i - 1], texts[i]
        is_separate = gaps[i] or (before and text and needs_space(page, slots[i - 1], before, slots[i], text))
        pieces.append(" " + text if is_separate else text)
    return pieces


def _write_structure(
    content: Content, spans: Spans, slots: IntArray, written: list[str], separators: list[str]
) -> None:
    """Write the code, the markers of items and the rows of tables.

    :param spans: the elements around the texts that may have this structure.
    :param slots: the slot at which each line begins; :param written: its text.
    :param separators: what is between the lines of the text; one fewer than these.
    """
    tags = {*spans.tags.tolist()}
    if _PRE in tags:
        _write_code_lines(content, spans.tagged(_PRE), slots, written)
    if _ITEM in tags:
        _mark_items(content, spans.tagged(_ITEM), slots, written)
    if not _CELLS.isdisjoint(tags):
        cells = spans.tagged(*_CELLS)
        around, _ = nearest_spans(cells, slots)
        rows, _ = nearest_spans(spans.tagged(_ROW), cells.starts)
        _join_rows(around, rows.__getitem__, written, separators)


def _write_code_lines(content: Content, pres: Spans, slots: IntArray, written: list[str]) -> None:
    """Write the lines that are in one of *pres*.

    :param slots: the slot at which each line begins; :param written: its text.
    """
    around, _ = nearest_spans(pres, slots)
    _, depths = nearest_spans(pres, content.text_slots)
    lines = cut_lines(content.page, content.text_slots[np.array(depths) > 0])
    last_pre = -1
    for i, pre in enumerate(watched(around)):
        if pre >= 0:
            line = next(lines)
            written[i] = "\n" * (line.n_empty * (pre == last_pre)) + content.code.write(line)
            last_pre = pre


def write_lines(content: Content, lines: list[Line]) -> list[str]:
    """Return the text of each of *lines*, with whitespace collapsed."""
    return collapse_each(["".join(line_pieces(content, line)) for line in watched(lines)])


def line_pieces(content: Content, line: Line) -> list[str]:
    """Return the text at each slot of a *line*, with the space that separates it from the text before.

    The text of an image is empty.
    """
    texts = [content.texts.get(slot, "") for slot in line.slots]
    return texts if len(texts) == 1 else _space(content.page, line.slots, texts, line.gaps)


def write_code(content: Content, lines: list[Line]) -> str:
    """Return the *lines* of one ``pre``, without empty lines around them."""
    written = ["\n" * line.n_empty + content.code.write(line) for line in watched(lines)]
    separators = ["\n"] * (len(lines) - 1)
    cells = [content.tables.cell_of(line.owner) for line in watched(lines)]
    if cells[0] >= 0 or cells[-1] >= 0:
        _join_rows(cells, content.tables.row_of, written, separators)
    return _join(written, separators).strip("\n")


def _join(written: list[str], separators: list[str]) -> str:
    """Return the lines *written* with the *separators* between them, which are one fewer."""
    if separators.count("\n") == len(separators):
        return "\n".join(written)
    return written[0] + "".join([separator + line for separator, line in zip(separators, written[1:], strict=True)])


def _mark_items(content: Content, items: Spans, slots: IntArray, written: list[str]) -> None:
    """Write the marker of each list item before its first line, and indent its other lines.

    :param items: the items that hold lines.
    :param slots: the slot at which each line begins; :param written: its text.
    """
    around, depths = nearest_spans(items, slots)
    hollow = find_hollow_items(content.page, items, around)
    dropped = [item for item, previous in hollow.items() if previous < 0]
    if dropped:
        _, less = nearest_spans(items.chosen(np.isin(items.elements, dropped)), slots)
        depths = [depth - n_dropped for depth, n_dropped in zip(depths, less, strict=True)]
    numbers, deepest = content.item_numbers, _deepest_indent(content, written, depths)
    elements = items.elements.tolist()
    marked: set[int] = set()
    for i, depth in enumerate(watched(depths)):
        if not depth:
            continue
        item = elements[around[i]]
        marker = f"{numbers[item]}. " if item in numbers else "- "
        indent = "  " * min(depth - 1, deepest)
        rest = indent + " " * len(marker) if deepest >= 0 else ""
        first = rest if item in marked else indent + marker
        marked.add(item)
        text = written[i].lstrip("\n")
        empty_lines = "\n" * (len(written[i]) - len(text))  # of code
        written[i] = empty_lines + first + (_LINE_BREAK.sub(f"\n{rest}", text) if "\n" in text else text)


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


def _join_rows(cells: list[int], row_of: Callable[[int], int], written: list[str], separators: list[str]) -> None:
    """Put a tab between adjacent cells of a row, in place of the line break.

    Cells with several lines are layout, and their lines stay separate.

    :param cells: the cell around each line, -1 for none.
    :param row_of: function from a cell to its row.
    :param separators: what is between the lines; one fewer than *written*.
    """
    small = {cell for cell, n_lines in Counter(cells).items() if n_lines == 1 and cell >= 0}
    for i, (before, cell) in enumerate(watched(pairwise(cells), len(cells))) if small else ():
        if before in small and cell in small and "\n" not in written[i + 1] and row_of(before) == row_of(cell):
            separators[i] = "\t"


# The lines in one of these stay together.
_CLOSE: Final = frozenset({"ul", "ol", "dl", "table"})


def separate_paragraphs(groups: list[Group], separators: list[str]) -> None:
    """Put an empty line between paragraphs, except within a list or a table.

    :param groups: the paragraphs of the text.
    :param separators: what is between the lines of the text; one fewer than these.
    """
    end = 0
    for (place, lines), (following, _) in watched(pairwise(groups), len(groups)):
        end += len(lines)
        around = _outermost(place)
        if around is None or around != _outermost(following):
            separators[end - 1] = "\n\n"


def _outermost(place: tuple[Place, ...]) -> Place | None:
    """Return the outermost list or table of a place; None outside of these."""
    return next((step for step in place if step.tag in _CLOSE), None)


def mark_headings(groups: list[Group], written: list[str], separators: list[str]) -> None:
    """Mark each heading with one ``#`` for each level, and write its lines as one; not in lists and rows.

    :param written: the text of each line.
    """
    start = 0
    for place, lines in watched(groups):
        end = start + len(lines)
        tag = place[-1].tag if place else ""
        in_row = "\t" in separators[max(start - 1, 0) : end]
        if tag in HEADING_TAGS and not in_row and _outermost(place) is None:
            written[start] = f"{'#' * int(tag[1])} {written[start]}"
            separators[start : end - 1] = [" "] * (len(lines) - 1)
        start = end
