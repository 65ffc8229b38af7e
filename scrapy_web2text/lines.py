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
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.blocks import BlockSequence, Label
from scrapy_web2text.page import COMMENT, TAG_NAMES, Page, tag_ids

__all__ = ["content_text"]

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# Tags that do not end a line. Unknown elements do not either, as in browsers.
_INLINE_TAGS: Final = frozenset(
    """a abbr acronym b bdi bdo big blink cite code data del dfn em font i img ins kbd label map mark nobr q rp rt
    ruby s samp script slot small span strike strong style sub sup template time tt u var wbr""".split()
)
_ENDS_LINE: Final = np.ones(len(TAG_NAMES), dtype=bool)
_ENDS_LINE[[0, COMMENT, *tag_ids(_INLINE_TAGS)]] = False
_ITEM, _ROW, _ORDERED = tag_ids(("li", "tr", "ol")).tolist()
_CELLS: Final = frozenset(tag_ids(("td", "th")).tolist())
_NUMBER: Final = re.compile("[0-9]{1,6}")
# Deeper lists are indented no further: hostile pages nest them by the thousand.
_DEEPEST_INDENT: Final = 10


@dataclass(slots=True)
class _Line:
    """A run of leaves without a block-level tag in between.

    :param start: index of its first leaf among the content leaves.
    :param owner: innermost element around the first leaf.
    """

    start: int
    owner: int
    text: str


def content_text(page: Page, blocks: BlockSequence, labels: IntArray) -> str:
    """Return the text of the content blocks; the module says how.

    :param labels: label of each block. *Shape:* ``(n,)``
    """
    leaves = blocks.leaves[labels[blocks.leaf_blocks] == Label.CONTENT]
    if not len(leaves):
        return ""
    slots = page.leaf_slots[leaves]
    n_line_ends = np.cumsum(_ENDS_LINE[page.tags][page.slot_elements])[slots]
    n_texts = np.cumsum(page.slot_has_text)[slots]
    new_line = np.diff(n_line_ends, prepend=n_line_ends[0]) > 0
    # A text in between is blank, or boilerplate, or of no block.
    gap = np.diff(n_texts, prepend=n_texts[0] - 1) > 1
    in_code, in_item, in_cell = (
        page.count_enclosing(page.tags_in(tags))[slots] > 0 for tags in ({"pre"}, {"li"}, {"td", "th"})
    )
    if not (in_code.any() or in_item.any() or in_cell.any()):
        return _join_plain(page, leaves, new_line, gap)
    tree = _Tree(page)
    lines = [*_cut_lines(tree, leaves, slots, new_line, gap, in_code)]
    if in_item.any():
        _mark_items(tree, lines, in_item)
    return _join_rows(tree, lines, in_cell)


def _join_plain(page: Page, leaves: IntArray, new_line: BoolArray, gap: BoolArray) -> str:
    """Return the text of leaves of which none is in a list, a table or code: most articles have no others."""
    pieces = []
    for leaf, begins_line, has_gap in zip(leaves.tolist(), new_line.tolist(), gap.tolist(), strict=True):
        if begins_line:
            pieces.append("\0")
        elif has_gap:
            pieces.append(" ")
        pieces.append(page.texts[leaf])
    return "\n".join(" ".join(line.split()) for line in "".join(pieces).split("\0"))


class _Tree:
    """The page's tree as lists, as single lookups in arrays are slow."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.parents: list[int] = page.parents().tolist()
        self.tags: list[int] = page.tags.tolist()

    def owner(self, slot: int) -> int:
        """Return the innermost element around a slot."""
        element = int(self.page.slot_elements[slot])
        return element if self.page.open_slots[element] == slot else self.parents[element]

    def nearest(self, tags: Collection[int]) -> list[int]:
        """Return, for each element, the innermost one with one of the *tags* at or above it, -1 for none."""
        nearest: list[int] = []
        for element, (tag, parent) in enumerate(zip(self.tags, self.parents, strict=True)):
            # Parents come first.
            nearest.append(element if tag in tags else nearest[parent] if parent >= 0 else -1)
        return nearest

    def blanks(self, start: int, end: int) -> str:
        """Return what separates two slots in code: the blank texts between them; a space for what was left out."""
        texts = []
        for slot in np.flatnonzero(self.page.slot_has_text[start + 1 : end]) + start + 1:
            element = self.page.slot_elements[slot]
            node = self.page.elements[element]
            text = (node.text if self.page.open_slots[element] == slot else node.tail) or ""
            texts.append(text if text.isspace() else " ")
        return "".join(texts)


def _cut_lines(
    tree: _Tree, leaves: IntArray, slots: IntArray, new_line: BoolArray, gap: BoolArray, in_code: BoolArray
) -> Iterator[_Line]:
    texts = tree.page.texts
    bounds = [0, *np.flatnonzero(new_line).tolist(), len(leaves)]
    for start, end in pairwise(bounds):
        is_code = bool(in_code[start])
        pieces = []
        for i in range(start, end):
            if i > start and gap[i]:
                pieces.append(tree.blanks(int(slots[i - 1]), int(slots[i])) if is_code else " ")
            pieces.append(texts[leaves[i]])
        joined = "".join(pieces)
        yield _Line(start, tree.owner(int(slots[start])), _trim_code(joined) if is_code else " ".join(joined.split()))


def _trim_code(text: str) -> str:
    """Return lines of code without blank ones around them and blanks behind them."""
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _mark_items(tree: _Tree, lines: list[_Line], in_item: BoolArray) -> None:
    """Write the markers of list items before their first lines, and indent the others."""
    item_of = tree.nearest({_ITEM})
    depths = [0] * len(item_of)
    for element, item in enumerate(item_of):
        if item == element:
            outer = item_of[tree.parents[element]] if tree.parents[element] >= 0 else -1
            depths[element] = min(depths[outer] + 1, _DEEPEST_INDENT) if outer >= 0 else 0
    markers = _list_markers(tree)
    marked: set[int] = set()
    for line in lines:
        if not in_item[line.start]:
            continue
        item = item_of[line.owner]
        marker = markers[item]
        rest = "  " * depths[item] + " " * len(marker)
        first = rest if item in marked else "  " * depths[item] + marker
        marked.add(item)
        line.text = first + line.text.replace("\n", f"\n{rest}")


def _list_markers(tree: _Tree) -> dict[int, str]:
    """Return what stands before each list item: a dash, or its number, which the page may set."""
    markers: dict[int, str] = {}
    next_numbers: dict[int, int] = {}
    for element, (tag, parent) in enumerate(zip(tree.tags, tree.parents, strict=True)):
        if tag != _ITEM:
            continue
        if parent < 0 or tree.tags[parent] != _ORDERED:
            markers[element] = "- "
            continue
        if parent not in next_numbers:
            next_numbers[parent] = _read_number(tree, parent, "start", 1)
        number = _read_number(tree, element, "value", next_numbers[parent])
        next_numbers[parent] = number + 1
        markers[element] = f"{number}. "
    return markers


def _read_number(tree: _Tree, element: int, name: str, otherwise: int) -> int:
    value = (tree.page.elements[element].get(name) or "").strip()
    return int(value) if _NUMBER.fullmatch(value) else otherwise


def _join_rows(tree: _Tree, lines: list[_Line], in_cell: BoolArray) -> str:
    """Return the lines, those of neighbouring cells in one: if each has one line, the table holds data, not layout."""
    if not in_cell.any():
        return "\n".join(line.text for line in lines)
    cell_of, row_of = tree.nearest(_CELLS), tree.nearest({_ROW})
    cells = [cell_of[line.owner] if in_cell[line.start] else -1 for line in lines]
    sizes = Counter(cells)
    pieces = [lines[0].text]
    for (before, cell), line in zip(pairwise(cells), lines[1:], strict=True):
        are_small = before >= 0 <= cell and sizes[before] == sizes[cell] == 1 and "\n" not in line.text
        pieces += ["\t" if are_small and row_of[before] == row_of[cell] else "\n", line.text]
    return "".join(pieces)
