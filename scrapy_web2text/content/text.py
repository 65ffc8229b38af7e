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

from scrapy_web2text.budget import watched
from scrapy_web2text.content.layout import mark_headings, separate_paragraphs
from scrapy_web2text.content.lists import find_hollow_items
from scrapy_web2text.content.places import Places, group_lines
from scrapy_web2text.content.selection import SPAN_TAGS, Content
from scrapy_web2text.content.spans import Span, find_spans, nearest_spans
from scrapy_web2text.content.structure import Line, count_ends, find_gaps, needs_space
from scrapy_web2text.page.arrays import Page, tag_ids
from scrapy_web2text.page.whitespace import collapse_each

__all__ = ["content_text", "line_pieces", "write_code", "write_line"]


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
    if spans:
        _write_structure(content, spans, slots[starts].tolist(), written, separators)
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
    lines = []
    for start, stop in watched(pairwise([*starts, len(texts)]), len(starts)):
        if stop == start + 1:  # most lines
            lines.append(texts[start])
        else:
            lines.append("".join(_space(content.page, slots[start:stop], texts[start:stop], gaps[start:stop])))
    return collapse_each(lines)


def _space(page: Page, slots: list[int], texts: list[str], gaps: list[bool]) -> list[str]:
    """Return the *texts* of a line, each with the space that separates it from the one before.

    :param texts: text at each of *slots*; that of an image is empty.
    :param gaps: see `Line`.
    """
    pieces = texts[:1]
    for i in watched(range(1, len(texts)), len(texts)):
        before, text = texts[i - 1], texts[i]
        is_separate = gaps[i] or (
            bool(before and text)
            and before[-1].isalnum()
            and text[0].isalnum()
            and needs_space(page, slots[i - 1], before, slots[i], text)
        )
        pieces.append(" " + text if is_separate else text)
    return pieces


def _write_structure(
    content: Content, spans: list[Span], slots: list[int], written: list[str], separators: list[str]
) -> None:
    """Write the code, the markers of items and the rows of tables.

    :param spans: the elements around the texts that may have this structure.
    :param slots: the slot at which each line begins; :param written: its text.
    :param separators: what is between the lines of the text; one fewer than these.
    """
    tags = {tag for *_, tag in spans}
    if _PRE in tags:
        around, _ = nearest_spans([span for span in spans if span[3] == _PRE], slots, len(slots))
        _write_code_lines(content, [element for _, _, element, _ in around], written)
    if _ITEM in tags:
        _mark_items(content, [span for span in spans if span[3] == _ITEM], slots, written)
    if not _CELLS.isdisjoint(tags):
        cells = [span for span in spans if span[3] in _CELLS]
        around, _ = nearest_spans(cells, slots, len(slots))
        rows, _ = nearest_spans([span for span in spans if span[3] == _ROW], [cell[0] for cell in cells], len(cells))
        row_of = {cell[2]: row[2] for cell, row in zip(cells, rows, strict=True)}
        _join_rows([cell[2] for cell in around], row_of.__getitem__, written, separators)


def _write_code_lines(content: Content, pres: list[int], written: list[str]) -> None:
    """Write the lines that are code.

    :param pres: the ``pre`` around each line, -1 for none.
    """
    last_pre = -1
    for i, pre in enumerate(watched(pres)):
        if pre >= 0:
            line = content.lines[i]
            written[i] = "\n" * (line.n_empty * (pre == last_pre)) + content.code.write(line)
            last_pre = pre


def write_line(content: Content, line: Line) -> str:
    """Return the text of a *line*, with whitespace collapsed."""
    return " ".join("".join(line_pieces(content, line)).split())


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
    return written[0] + "".join([separator + line for separator, line in zip(separators, written[1:], strict=True)])


def _mark_items(content: Content, items: list[Span], slots: list[int], written: list[str]) -> None:
    """Write the marker of each list item before its first line, and indent its other lines.

    :param items: the items that hold lines.
    :param slots: the slot at which each line begins; :param written: its text.
    """
    around, depths = nearest_spans(items, slots, len(slots))
    hollow = find_hollow_items(content.page, items, around)
    dropped = [item for item in items if hollow.get(item[2], 0) < 0]
    if dropped:
        depths = [
            depth - less for depth, less in zip(depths, nearest_spans(dropped, slots, len(slots))[1], strict=True)
        ]
    numbers, deepest = content.item_numbers, _deepest_indent(content, written, depths)
    marked: set[int] = set()
    for i, depth in enumerate(watched(depths)):
        if not depth:
            continue
        item = around[i][2]
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
    sizes = Counter(cells)
    for i, (before, cell) in enumerate(watched(pairwise(cells), len(cells))):
        is_small = before >= 0 <= cell and sizes[before] == sizes[cell] == 1 and "\n" not in written[i + 1]
        if is_small and row_of(before) == row_of(cell):
            separators[i] = "\t"
