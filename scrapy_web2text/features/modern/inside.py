"""Columns of the elements around a block, and of its container."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from scrapy_web2text.arrays import FloatArray
from scrapy_web2text.features.modern.attributes import Mark
from scrapy_web2text.features.modern.context import Context, tag_bits
from scrapy_web2text.features.modern.descriptions import repeated_share
from scrapy_web2text.features.modern.table import WideTable
from scrapy_web2text.page.arrays import HEADING_TAGS, tag_ids

__all__ = ["INSIDE"]

# Kinds of elements: a `Mark`, or a group of tags, named for the first of them. The roles main, search, dialog and
# article are ignored: in the released model, columns with these names are those of the elements.
_KINDS: Final[tuple[Mark | tuple[str, ...], ...]] = (
    *(Mark.HIDDEN, Mark.ARIA_HIDDEN, Mark.NAVIGATION, ("main",), Mark.BANNER, Mark.CONTENT_INFO, Mark.COMPLEMENTARY),
    *(("search",), ("dialog",), ("article",), Mark.LIST, Mark.CONTROL, Mark.BODY_PROPERTY, Mark.ITEM_SCOPE),
    *(Mark.NO_SNIPPET, ("nav",), ("header",), ("footer",), ("aside",), ("section",), ("form",), ("table",)),
    *(("ul", "ol"), ("li",), ("dl",), ("blockquote",), ("pre",), ("code",), ("figure",), ("figcaption",)),
    *(("button",), ("label",), ("a",), ("details",), ("address",), ("th",), ("p",), ("noscript",), ("td",)),
    *(HEADING_TAGS, ("strong", "b"), ("small",), ("time",)),
)
_MORE_KINDS: Final = (("fieldset",), ("menu",), ("center", "font"))
_TAGS: Final = tuple(kind for kind in (*_KINDS, *_MORE_KINDS) if not isinstance(kind, Mark))
_TAG_BITS: Final = tag_bits(_TAGS) << len(Mark)
_CONTAINERS: Final = (
    *("p", "div", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "figcaption", "dt", "dd"),
    *("section", "article", "button", "caption", "summary", "address", "footer", "header", "nav", "aside", "form"),
    *("body", "tr", "main", "center", "#custom"),
)
_CONTAINER_NUMBERS: Final = tag_ids(_CONTAINERS)


def _number_bits(kinds: Sequence[Mark | tuple[str, ...]]) -> tuple[tuple[str, ...], list[int]]:
    """Return the names of the columns for *kinds*, and the bit of each."""
    names, bits = [], []
    for kind in kinds:
        if isinstance(kind, Mark):
            names.append(f"in_{kind.name}".lower())
            bits.append(kind.bit_length() - 1)
        else:
            names.append(f"in_{kind[0]}")
            bits.append(len(Mark) + _TAGS.index(kind))
    return tuple(names), bits


_NAMES, _BITS = _number_bits(_KINDS)
_MORE_NAMES, _MORE_BITS = _number_bits(_MORE_KINDS)
_N_NAMES: Final = len(_NAMES)
_N_TAGS: Final = len(_CONTAINERS)


def _fill(context: Context, out: FloatArray) -> None:
    """Write whether each block lies in an element of each kind, the share of the summary, and the container's tag."""
    marks = context.attributes.marks | _TAG_BITS[context.page.tags]
    around = context.page.unite_above(marks)[context.owners].astype("<i8", copy=False)
    is_around = np.unpackbits(around.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    out[:, :_N_NAMES] = is_around.take(_BITS, axis=1)
    out[:, _N_NAMES] = repeated_share(context.words, context.hint_words.summary)
    out[:, _N_NAMES + 1 : -_N_TAGS] = is_around.take(_MORE_BITS, axis=1)
    np.equal(context.container_tags[:, None], _CONTAINER_NUMBERS, out=out[:, -_N_TAGS:])


INSIDE: Final = WideTable(
    "inside",
    # The overlap with the page's summary. In the released model it replaces the column of the element `summary`.
    (*_NAMES, "in_summary", *_MORE_NAMES, *(f"is_{tag}" for tag in _CONTAINERS)),
    _fill,
)
