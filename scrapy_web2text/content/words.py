"""Decides which adjacent texts of a line are separate words although there is no whitespace between them."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise, takewhile
from typing import Final

from scrapy_web2text.content.structure import Structure
from scrapy_web2text.features.characters import UNSPACED_CLASS
from scrapy_web2text.page.tags import HEADING_TAGS, TAG_NAMES
from scrapy_web2text.page.tree import FORMAT_TAGS

# Elements whose text belongs to the word before them. libxml2 makes the text after a ``wbr`` its child.
_GLUED: Final = frozenset({"sub", "sup", "wbr"})
_FORMATS: Final = FORMAT_TAGS - _GLUED
_BLOCKS_OF_PROSE: Final = frozenset({*HEADING_TAGS, "address", "blockquote", "caption", "dt", "figcaption", "p"})
_PROSE: Final = _BLOCKS_OF_PROSE | (_FORMATS - {"mark", "small"})
_CONTROLS: Final = frozenset({"button", "label", "option", "output", "summary", "time"})
_CODE: Final = frozenset({"code", "pre"})

# Classes in common frameworks for texts that only screen readers read, for boxes, and for rows of boxes.
_UNSEEN: Final = r"[\w-]*(?:sr-only|screen-?reader|visually-?hidden|offscreen)[\w-]*|clipped"
_LINE: Final = r"(?:(?:d|display)-+)?(?:inline-)?(?:flex|grid)"
_LINE_STYLE: Final = r"display\s*:\s*(?:inline-)?(?:flex|grid)"
_LINES_OF_BOXES: Final = (
    re.compile(rf"(?i)(?<![\w-])(?:{_LINE})(?![\w-])"),
    re.compile(rf"(?i){_LINE_STYLE}"),
)
_BOXES: Final = (
    re.compile(rf"(?i)(?<![\w-])(?:{_UNSEEN}|{_LINE}|(?:(?:d|display)-+)?(?:inline-)?block)(?![\w-])"),
    re.compile(rf"(?i){_LINE_STYLE}|display\s*:\s*(?:inline-)?block|float\s*:\s*(?:left|right)"),
)
_UNSPACED: Final = re.compile(f"[{UNSPACED_CLASS}]")

# Hostile pages nest elements by the thousand, and have attributes of any length.
_MOST_LEVELS: Final = 16
_LONGEST_ATTRIBUTE: Final = 300


class Words:
    """The words of a page that touch in its source."""

    def __init__(self, structure: Structure) -> None:
        self._page, self._structure = structure.page, structure

    def has_break(self, before_slot: int, before: str, slot: int, text: str) -> bool:
        """Return whether two adjacent texts are separate words that only the layout of the page separates.

        In prose and in code, only whitespace separates words. Elsewhere (menus, cards, labels and their values), two
        elements are apart if the element around them has no text of its own. Boxes and different links are always
        apart.
        """
        is_end = before[-1:] in tuple("•▪‣✓✔") or (before[-1:] in (".", "!", "?") and " " in before)  # no name in code
        first = text[1:2] if is_end and text[:1] == "(" else text[:1]
        if not (first and before and _joins_words(first) and (is_end or _joins_words(before[-1]))):
            return False
        owners = self._structure.owners
        around, other_around = self._levels(owners[before_slot]), self._levels(owners[slot])
        shared = next((element for element in around if element in other_around), None)
        if shared is None:
            return True
        left = [*takewhile(lambda element: element != shared, around)]
        right = [*takewhile(lambda element: element != shared, other_around)]
        has_boxes = self._matches(_BOXES, [*left, *right])
        if (
            has_boxes
            or (left != right and self._matches(_LINES_OF_BOXES, [shared]))
            or self._has_icon(before_slot, slot)
        ):
            return True
        if "a" in self._tags(left) & self._tags(right):
            url, other_url = self._url(left), self._url(right)
            return url is None or url != other_url
        if not left or not right or shared in self._owners:
            return False
        return self._has_break_in(shared, left, right, before, text)

    def _has_break_in(self, shared: int, left: list[int], right: list[int], before: str, text: str) -> bool:
        """Return whether two texts are apart. *shared*, the innermost element around both, has no text of its own."""
        tags = self._tags([*left, *right])
        if tags & _GLUED:
            return False
        if tags & _CONTROLS:
            return True
        if self._tags(self._levels(shared)) & _CODE:
            return False
        classes, other_classes = self._read(left, "class"), self._read(right, "class")
        if classes and other_classes and classes != other_classes:
            return True
        # Only the whitespace in the source separates the words of prose.
        if not _joins_words(before[-1]) or self._is_prose(shared) or before[0].isspace() or text[-1].isspace():
            return False
        is_letter = any(len(each) == 1 and each.isalpha() for each in (before, text))
        return bool(classes or other_classes) or not (is_letter or tags <= _FORMATS)

    def _has_icon(self, before_slot: int, slot: int) -> bool:
        """Return whether there is an empty element between two texts that is only seen, such as an icon."""
        tags = self._page.slot_elements[before_slot + 1 : min(slot, before_slot + _MOST_LEVELS) + 1].tolist()
        empty = (i for i, following in pairwise(tags) if i == following)
        return any(self._page.elements[i].get("aria-hidden") == "true" for i in empty)

    def _is_prose(self, element: int) -> bool:
        """Return whether *element* is prose, or a ``span`` in prose."""
        tags = (TAG_NAMES[self._structure.tags[each]] for each in self._levels(element))
        return next((tag for tag in tags if tag != "span"), "") in _PROSE

    @cached_property
    def _owners(self) -> frozenset[int]:
        """The elements with texts of their own."""
        return frozenset(map(self._structure.owners.__getitem__, self._page.leaf_slots.tolist()))

    def _levels(self, element: int) -> list[int]:
        """Return *element* and the elements around it, innermost first."""
        levels: list[int] = []
        while element >= 0 and len(levels) < _MOST_LEVELS:
            levels.append(element)
            element = self._structure.parents[element]
        return levels

    def _tags(self, path: list[int]) -> set[str]:
        tags = self._structure.tags
        return {TAG_NAMES[tags[element]] for element in path}

    def _read(self, path: list[int], name: str) -> list[str]:
        """Return the beginnings of the attribute *name* of the elements that have it."""
        values = [self._page.elements[element].get(name) for element in path]
        return [value[:_LONGEST_ATTRIBUTE] for value in values if value]

    def _url(self, path: list[int]) -> str | None:
        """Return the URL of the link in *path*; None for a link that only runs a script."""
        url = next(iter(self._read(path, "href")), "#")
        return None if url.startswith(("#", "javascript:")) else url

    def _matches(self, patterns: tuple[re.Pattern[str], re.Pattern[str]], path: list[int]) -> bool:
        """Return whether a class or a style of an element matches its pattern."""
        names = ("class", "style")
        return any(
            pattern.search(value)
            for pattern, name in zip(patterns, names, strict=True)
            for value in self._read(path, name)
        )


def _joins_words(character: str) -> bool:
    """Return whether *character* is part of a word, in a script that has spaces between words."""
    return character.isalnum() and _UNSPACED.match(character) is None
