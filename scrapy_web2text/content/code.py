"""Code as it was written: the lines of a ``pre`` with their line breaks and indentation."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from functools import partial
from typing import Final

import numpy as np

from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.structure import Line, Structure, line_ends
from scrapy_web2text.page.arrays import tag_ids

_PRE: Final = int(tag_ids(("pre",))[0])
# Inline elements that hold one line of code each: a class of the highlighter or their style says so.
_LINE_TAGS: Final = frozenset(tag_ids(("code", "span")).tolist())
_LINE_CLASS: Final = re.compile(r"(?:^|[\s_-])line(?:\s|$)")
_LINE_STYLE: Final = re.compile(r"(?:^|[\s;])display\s*:\s*(?:block|flex|grid)\b", re.IGNORECASE)


class CodeWriter:
    """Writes the lines of code of one page, given the text of each slot that has one."""

    def __init__(self, structure: Structure, texts: Mapping[int, str]) -> None:
        self._structure = structure
        self._texts = texts
        # Lists, as most searches find one or two: the slots of the tags that end a line, and those with text.
        self._line_ends: list[int] = line_ends(structure.page).tolist()
        self._text_slots: list[int] = np.flatnonzero(structure.page.slot_has_text).tolist()
        self._line_element = structure.inherit(-1, partial(_outermost_line, structure))

    def write(self, line: Line) -> str:
        """Return a *line* with its indentation; its texts may hold line breaks."""
        text = self._indentation(line.slots[0]) + "".join(self._pieces(line))
        return "\n".join(part.rstrip() for part in text.split("\n")).strip("\n")

    def _pieces(self, line: Line) -> list[str]:
        """Return the text at each slot of a *line*, after the whitespace that separates it from the one before."""
        pieces: list[str] = []
        before = -1
        for slot, has_gap in watched(zip(line.slots, line.gaps, strict=True), len(line.slots)):
            text = self._texts.get(slot, "")
            separator = self._spacing(before, slot) if pieces and has_gap else ""
            if pieces and "\n" not in separator and not _has_line_end(pieces[-1], text):
                separator = "\n" * self._is_new_line(before, slot) + separator
            pieces.append(separator + text)
            before = slot
        return pieces

    def _spacing(self, start: int, end: int) -> str:
        """Return the whitespace between two slots, with a space for each omitted text that is not a line number."""
        between = self._texts_between(start + 1, end)
        return "".join(text if text.isspace() else " " * (not text.strip().isdigit()) for text in between)

    def _indentation(self, slot: int) -> str:
        """Return the whitespace between the last tag that ends a line and *slot*, without that of the text at *slot*.

        Omitted texts, such as line numbers, do not count.
        """
        n_ends = bisect_right(self._line_ends, slot)
        start = self._line_ends[n_ends - 1] if n_ends else 0
        texts = (text if text.isspace() else "\n" * ("\n" in text) for text in self._texts_between(start, slot))
        return "".join(texts).rpartition("\n")[2]

    def _texts_between(self, start: int, end: int) -> list[str]:
        slots = self._text_slots
        between = slots[bisect_left(slots, start) : bisect_left(slots, end)]
        return [self._structure.page.text_at(slot) for slot in between]

    def _is_new_line(self, before: int, after: int) -> bool:
        """Return whether two slots are in different siblings whose class or style marks each as a line."""
        owners, parents = self._structure.owners, self._structure.parents
        if owners[before] == owners[after]:
            return False
        first, second = self._line_element(owners[before]), self._line_element(owners[after])
        return first != second and first >= 0 <= second and parents[first] == parents[second]


def _outermost_line(structure: Structure, line: int, element: int) -> int:
    """Return the outermost element at or above *element*, inside its ``pre``, that is a line; -1 for none.

    :param line: the same for its parent.
    """
    if structure.tags[element] == _PRE:
        return -1
    if line >= 0 or structure.tags[element] not in _LINE_TAGS:
        return line
    node = structure.page.elements[element]
    is_line = _LINE_CLASS.search(node.get("class") or "") or _LINE_STYLE.search(node.get("style") or "")
    return element if is_line else -1


def _has_line_end(before: str, after: str) -> bool:
    """Return whether a line break already separates two texts."""
    return before.rstrip(" \t").endswith("\n") or after.lstrip(" \t").startswith("\n")
