"""Columns of the elements around a block, and of its container."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import FloatArray, IntArray
from scrapy_web2text.features.modern.attributes import Mark
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.table import WideTable
from scrapy_web2text.page.arrays import HEADING_TAGS, TAG_NAMES, tag_ids

__all__ = ["INSIDE"]

# Kinds of elements: a `Mark`, or a group of tags, named for the first of them.
_KINDS: Final[tuple[Mark | tuple[str, ...], ...]] = (
    *Mark,
    *(("main",), ("search",), ("dialog",), ("article",), ("nav",), ("header",), ("footer",), ("aside",), ("section",)),
    *(("form",), ("fieldset",), ("button",), ("label",), ("menu",), ("details",), ("summary",), ("noscript",)),
    *(("table",), ("td",), ("th",), ("ul", "ol"), ("li",), ("dl",), ("figure",), ("figcaption",)),
    *(HEADING_TAGS, ("p",), ("blockquote",), ("pre",), ("code",), ("address",), ("time",)),
    *(("a",), ("strong", "b"), ("small",), ("center", "font")),
)
_TAGS: Final = tuple(kind for kind in _KINDS if not isinstance(kind, Mark))
_CONTAINERS: Final = (
    *("p", "div", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "figcaption", "dt", "dd"),
    *("section", "article", "button", "caption", "summary", "address", "footer", "header", "nav", "aside", "form"),
    *("body", "tr", "main", "center", "#custom"),
)
_CONTAINER_NUMBERS: Final = tag_ids(_CONTAINERS)


def _column_and_bit(kind: Mark | tuple[str, ...]) -> tuple[str, int]:
    """Return the name of the column for *kind*, and its bit."""
    if isinstance(kind, Mark):
        return f"in_{kind.name}".lower(), kind.bit_length() - 1
    return f"in_{kind[0]}", len(Mark) + _TAGS.index(kind)


def _make_tag_bits() -> IntArray:
    """Return, for each tag number, the bit of each group of tags that it is in. *Shape:* ``(len(TAG_NAMES),)``"""
    bits = np.zeros(len(TAG_NAMES), dtype=np.int64)
    for bit, names in enumerate(_TAGS, start=len(Mark)):
        bits[tag_ids(names)] |= 1 << bit
    return bits


_TAG_BITS: Final = _make_tag_bits()
_NAMES, _BITS = zip(*map(_column_and_bit, _KINDS), strict=True)
_N_TAGS: Final = len(_CONTAINERS)


def _fill(context: Context, out: FloatArray) -> None:
    """Write whether each block lies in an element of each kind, and the tag of its container."""
    marks = context.attributes.marks | _TAG_BITS[context.page.tags]
    around = context.page.unite_above(marks)[context.owners].astype("<i8", copy=False)
    is_around = np.unpackbits(around.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    out[:, :-_N_TAGS] = is_around.take(_BITS, axis=1)
    np.equal(context.container_tags[:, None], _CONTAINER_NUMBERS, out=out[:, -_N_TAGS:])


INSIDE: Final = WideTable("inside", (*_NAMES, *(f"is_{tag}" for tag in _CONTAINERS)), _fill)
