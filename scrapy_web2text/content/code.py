"""Code as it was written: the lines of a ``pre`` with their line breaks and indentation."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping
from functools import partial
from typing import Final

from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.code_blocks import find_values
from scrapy_web2text.content.structure import Line, Structure, line_ends
from scrapy_web2text.page.tags import tag_ids

(_PRE,) = tag_ids(("pre",)).tolist()
# Inline elements that hold one line of code each, if their class or their style marks them.
_LINE_TAGS: Final = frozenset({"code", "span"})
_LINE_CLASS: Final = re.compile(r"(?:^|[\s_-])line(?:\s|$)")
_LINE_STYLE: Final = re.compile(r"(?:^|[\s;])display\s*:\s*(?:block|flex|grid)\b", re.IGNORECASE)


class CodeWriter:
    """Writes the lines of code of one page, given the text of each slot that has one."""

    def __init__(self, structure: Structure, texts: Mapping[int, str]) -> None:
        self._structure = structure
        self._texts = texts
        # The slots of tags that end a line, and the slots with text. A few searches are faster in lists than in arrays.
        self._line_ends: list[int] = line_ends(structure.page).tolist()
        self._text_slots: list[int] = structure.page.slot_has_text.nonzero()[0].tolist()
        spans = structure.page.tags_in(_LINE_TAGS).nonzero()[0]
        lines = {i for i, _ in find_values(structure.page, spans, _LINE_CLASS.search, "class")}
        self._lines = lines.union(i for i, _ in find_values(structure.page, spans, _LINE_STYLE.search, "style"))
        self._line_element = structure.inherit(-1, partial(_find_line, structure, self._lines), _LINE_TAGS | {"pre"})

    def write(self, line: Line) -> str:
        """Return a *line* with its indentation. It has line breaks if its texts have."""
        text = self._indentation(line.slots[0]) + "".join(self._pieces(line))
        text = text.replace("\N{NO-BREAK SPACE}", " ")
        return "\n".join(map(str.rstrip, text.split("\n"))).strip("\n")

    def _pieces(self, line: Line) -> list[str]:
        """Return the text at each slot of a *line*, after the whitespace between it and the text before it."""
        pieces: list[str] = []
        before = -1
        for slot, has_gap in watched(zip(line.slots, line.gaps, strict=True), len(line.slots)):
            text = self._texts.get(slot, "")
            separator = self._spacing(pieces[-1], before, slot) if pieces and has_gap else ""
            if self._lines and pieces and "\n" not in separator and not _has_line_end(pieces[-1], text):
                separator = f"\n{separator}" if self._is_new_line(before, slot) else separator
            pieces.append(separator + text)
            before = slot
        return pieces

    def _spacing(self, text: str, start: int, end: int) -> str:
        """Return the whitespace between two slots, and a space for each omitted text between them.

        No space replaces line numbers, or omitted texts at the start of a line, such as prompts.

        :param text: the text of the first slot.
        """
        spacing, is_start = "", text.rstrip(" \t").endswith("\n")
        for between in self._texts_between(start + 1, end):
            is_start |= between.isspace() and "\n" in between
            if between.isspace():
                spacing += between
            elif not is_start and not between.strip().isdigit():
                spacing += " "
        return spacing

    def _indentation(self, slot: int) -> str:
        """Return the whitespace after the last tag that ends a line before *slot*.

        The whitespace in the text at *slot* is not included, and omitted texts, such as line numbers, do not count.
        """
        n_ends = bisect_right(self._line_ends, slot)
        start = self._line_ends[n_ends - 1] if n_ends else 0
        spaces = ""
        for text in self._texts_between(start, slot):
            if text.isspace():
                spaces += text
            elif "\n" in text:
                spaces = ""
        return spaces.rpartition("\n")[2]

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


def _find_line(structure: Structure, lines: Collection[int], line: int, element: int) -> int:
    """Return the outermost of *lines* at or above *element*, inside its ``pre``; -1 for none.

    :param line: the result for the element's parent.
    """
    if structure.tags[element] == _PRE:
        return -1
    return element if line < 0 and element in lines else line


def _has_line_end(before: str, after: str) -> bool:
    """Return whether a line break already separates two texts."""
    return before.rstrip(" \t").endswith("\n") or after.lstrip(" \t").startswith("\n")
