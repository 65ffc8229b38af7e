"""The main content as text: paragraphs, list items with their markers, table rows and code.

| in the page | in the text |
|---|---|
| elements that are not inline, ``br`` | a new line |
| inline elements | the spacing of the page; a space for each omitted text |
| ``li`` | ``- ``, or its number in an ``ol``, indented by two spaces for each list around it |
| cells in one ``tr``, except for columns of the page | one line, separated by tabs |
| digits and signs in ``sub`` and ``sup`` | characters of Unicode: H₂O, 10², also for one letter: xⁿ |
| ``pre`` | line breaks and indentation are kept |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain, pairwise
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.escaping import Allowance
from scrapy_web2text.content.layout import CELLS, find_hollow_items
from scrapy_web2text.content.nodes import SUB_AND_SUP_CHARACTERS, SUB_OR_SUP
from scrapy_web2text.content.places import Group, PlaceStep, group_lines, place_finder
from scrapy_web2text.content.structure import Line, Structure, elements_around, find_gaps, nearest_elements
from scrapy_web2text.content.words import Words
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence
from scrapy_web2text.page.reader import collapse_each
from scrapy_web2text.page.tags import HEADING_TAGS, TAG_NAMES, tag_ids

_STRUCTURES: Final = CELLS | {"li", "pre"}
_ITEM, _PRE = tag_ids(("li", "pre")).tolist()
# Levels. Deeper lists are not indented further: hostile pages nest lists by the thousand.
_DEEPEST_INDENT: Final = 10
# A line break before a line that is not empty.
_LINE_BREAK: Final = re.compile(r"\n(?!\n|$)")


def content_text(content: Content) -> str:
    """Return the content as text, in the form that the module's docstring describes."""
    if not len(content.text_slots):
        return ""
    page, slots = content.page, content.text_slots[content.line_starts]
    tags = {*page.tags[elements_around(page, slots, _STRUCTURES)].tolist()}  # empty on many pages
    written = _write_lines(content)
    separators = ["\n"] * (len(written) - 1)
    layout = content.options.text_layout
    groups = [] if layout == "lines" else [*group_lines(place_finder(content.structure, content.tables), content.lines)]
    _separate_paragraphs(groups, separators)
    if _PRE in tags:
        _write_code_lines(content, slots, written)
    if _ITEM in tags:
        _mark_items(content, slots, written)
    if tags - {_PRE, _ITEM}:
        cells = nearest_elements(page, slots, CELLS)
        rows = nearest_elements(page, page.open_slots[cells], {"tr"})  # for -1, no cell, the row has no meaning
        columns = content.tables.find_columns(cells, rows)
        _join_cells(cells.tolist(), rows.tolist(), content.tables.short_cells, written, separators, columns)
    if layout == "headings":
        _mark_headings(groups, written, separators)
    text = _join(written, separators)
    if not content.title:
        return text
    mark, end = "# " if layout == "headings" else "", "\n" if layout == "lines" else "\n\n"
    return f"{mark}{content.title}{end}{text}"


def write_blocks(page: Page, blocks: BlockSequence) -> list[str]:
    """Return the text of each block as in an answer, with a space between words that only CSS separates."""
    texts = [*map(page.texts.__getitem__, blocks.leaves.tolist())]
    return _write_each(Structure(page), page.leaf_slots[blocks.leaves], texts, blocks.starts, blocks.ends)


def _write_lines(content: Content) -> list[str]:
    """Return the text of each line, with whitespace collapsed."""
    slots, starts = content.text_slots, content.line_starts
    ends = np.append(starts[1:], len(slots))
    return _write_each(content.structure, slots, _write_sub_and_sup(content), starts, ends)


def _write_each(structure: Structure, slots: IntArray, texts: list[str], starts: IntArray, ends: IntArray) -> list[str]:
    """Return the lines: line *i* joins the *texts* from ``starts[i]`` up to ``ends[i]``. Most lines have one text."""
    lines = [texts[start] for start in watched(starts.tolist())]
    longer = (ends - starts > 1).nonzero()[0]
    if len(longer):
        all_slots, gaps = slots.tolist(), find_gaps(structure.page, slots)
        words, pieces = Words(structure), texts.copy()
        bounds = [*zip(longer.tolist(), starts[longer].tolist(), ends[longer].tolist(), strict=True)]
        for i in watched([i for _, start, end in watched(bounds) for i in range(start + 1, end)]):
            before, text = texts[i - 1], texts[i]
            # Most texts have their own spaces. To ask for these here saves most of the calls.
            is_spaced = before[-1:].isspace() or text[:1].isspace()
            if gaps[i] or (not is_spaced and words.has_break(all_slots[i - 1], before, all_slots[i], text)):
                pieces[i] = " " + text
        for line, start, end in watched(bounds):
            lines[line] = "".join(pieces[start:end])
    return collapse_each(lines)


def _write_sub_and_sup(content: Content) -> list[str]:
    """Return the text of each slot, with digits and signs in ``sub`` and ``sup`` as characters of Unicode.

    The first text of a note begins with its number.
    """
    starts = content.notes.starts
    texts = [f"{starts[slot]}. {text.lstrip()}" if slot in starts else text for slot, text in content.texts.items()]
    elements = nearest_elements(content.page, content.text_slots, SUB_AND_SUP_CHARACTERS)
    for i in watched((elements >= 0).nonzero()[0].tolist()):
        if SUB_OR_SUP.fullmatch(texts[i]) and not (i and texts[i - 1].endswith("[")):  # not in the mark of a note
            texts[i] = texts[i].translate(SUB_AND_SUP_CHARACTERS[TAG_NAMES[content.page.tags[elements[i]]]])
    return texts


def _write_code_lines(content: Content, slots: IntArray, written: list[str]) -> None:
    """Write the lines that are in a ``pre``.

    :param slots: the first slot of each line.
    """
    lines, pres = content.lines, nearest_elements(content.page, slots, {"pre"}).tolist()
    for i in watched([i for i, pre in enumerate(pres) if pre >= 0]):
        n_empty = lines[i].n_empty if pres[i] == pres[i - 1] else 0
        written[i] = "\n" * n_empty + content.code.write(lines[i])


def write_code(content: Content, lines: list[Line]) -> str:
    """Return the *lines* of one ``pre``, without empty lines around them."""
    written = ["\n" * line.n_empty + content.code.write(line) for line in watched(lines)]
    separators = ["\n"] * (len(lines) - 1)
    cells = [content.tables.cell_of[line.owner] for line in watched(lines)]
    rows = [content.tables.row_of[cell] for cell in cells]
    _join_cells(cells, rows, (), written, separators, [0] * len(cells))
    return _join(written, separators).strip("\n")


def _join(written: list[str], separators: list[str]) -> str:
    """Return the lines *written*, joined by the *separators* between them."""
    return "".join(chain.from_iterable(zip(written, [*separators, ""], strict=True)))


def _mark_items(content: Content, slots: IntArray, written: list[str]) -> None:
    """Write the marker of each list item before its first line, and indent its other lines."""
    page = content.page
    items = nearest_elements(page, slots, {"li"})
    is_marked = page.tags_in({"li"}) & (page.count_enclosing(page.tags == _PRE)[page.open_slots] == 0)
    for item, previous in find_hollow_items(page, slots).items():
        is_marked[item] = previous >= 0
    depths = page.count_enclosing(is_marked)[slots].tolist()
    numbers = content.item_numbers
    # Markers and indentation may make the text at most three times as long as the page. No tag is shorter than "<p>".
    n_source = 3 * page.n_elements + sum(map(len, content.texts.values()))
    widest = 3 + max((len(str(number)) for number in numbers.values()), default=0)  # a marker and a line break
    allowance = Allowance(3 * n_source - sum(map(len, written)) - widest * len(written))
    marked: set[int] = set()
    for i, (item, depth) in enumerate(watched(zip(items.tolist(), depths, strict=True), len(depths))):
        if not depth:
            continue
        marker = f"{numbers[item]}. " if item in numbers else "- "
        indent = "  " * min(depth - 1, _DEEPEST_INDENT)
        rest = indent + " " * len(marker)
        text = written[i].lstrip("\n")
        if not allowance.take(len(indent) + len(rest) * text.count("\n")):
            indent = rest = ""
        first = rest if item in marked else indent + marker
        marked.add(item)
        empty_lines = "\n" * (len(written[i]) - len(text))  # empty lines at the start of code
        written[i] = empty_lines + first + (_LINE_BREAK.sub(f"\n{rest}", text) if "\n" in text else text)


def _join_cells(
    cells: list[int],
    rows: list[int],
    multiline: Collection[int],
    written: list[str],
    separators: list[str],
    columns: Sequence[int],
) -> None:
    """Put a tab between adjacent cells of a row in place of the line break, and a space between the lines of a cell.

    A cell with several lines is layout if it is not in *multiline*. Empty cells have a tab, too, so that columns stay
    apart.

    :param cells: the cell around each line; -1 for none.
    :param rows: the row around each of the cells.
    :param multiline: the cells that may have several lines.
    :param columns: the number of cells before each of the cells in its row; 0 outside of data tables.
    """
    joined = {cell for cell, n_lines in Counter(cells).items() if cell >= 0 and (n_lines == 1 or cell in multiline)}
    if not joined:
        return
    for i, (before, cell) in enumerate(watched(pairwise(cells), len(cells))):
        if before in joined and cell in joined and "\n" not in written[i + 1] and rows[i] == rows[i + 1]:
            n_tabs = max(columns[i + 1] - columns[i], 1)
            separators[i] = "\t" * n_tabs if before != cell else " "
            if before == cell or columns[i + 1]:
                written[i + 1] = written[i + 1].lstrip(" ")
    for i, n_tabs in enumerate(watched(columns)):
        is_first = i == 0 or rows[i - 1] != rows[i]
        if n_tabs and is_first and cells[i] in joined:
            text = written[i].lstrip(" ")
            indent = " " * (len(written[i]) - len(text))
            written[i] = indent + "\t" * n_tabs + text


# No empty lines are written inside these elements.
_COMPACT_TAGS: Final = frozenset({"ul", "ol", "dl", "table"})


def _separate_paragraphs(groups: list[Group], separators: list[str]) -> None:
    """Put an empty line between paragraphs, except within a list or a table."""
    end = 0
    for (place, lines), (following, _) in watched(pairwise(groups), len(groups)):
        end += len(lines)
        around = _outermost(place)
        if around is None or around != _outermost(following):
            separators[end - 1] = "\n\n"


def _outermost(place: tuple[PlaceStep, ...]) -> PlaceStep | None:
    """Return the outermost list or table of a place; None outside of these."""
    return next((step for step in place if step.tag in _COMPACT_TAGS), None)


def _mark_headings(groups: list[Group], written: list[str], separators: list[str]) -> None:
    """Mark each heading outside of lists and rows with one ``#`` per level, and write its lines as one line."""
    start = 0
    for place, lines in watched(groups):
        end = start + len(lines)
        tag = place[-1].tag if place else ""
        in_row = "\t" in separators[max(start - 1, 0) : end]
        if tag in HEADING_TAGS and not in_row and _outermost(place) is None:
            written[start] = f"{'#' * int(tag[1])} {written[start]}"
            separators[start : end - 1] = [" "] * (len(lines) - 1)
        start = end
