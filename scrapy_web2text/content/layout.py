"""The layout of the text: empty lines between paragraphs, and marks of headings."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from scrapy_web2text.budget import watched
from scrapy_web2text.content.places import Group, Place
from scrapy_web2text.page.arrays import HEADING_TAGS

__all__ = ["mark_headings", "separate_paragraphs"]

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
