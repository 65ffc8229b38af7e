"""Columns of the elements around a block, and of its container."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.features.columns import Feature, FeatureGroup
from scrapy_web2text.features.modern.attributes import Mark
from scrapy_web2text.features.modern.context import Context, tag_bits
from scrapy_web2text.features.modern.descriptions import repeated_share
from scrapy_web2text.features.modern.table import Table
from scrapy_web2text.page.arrays import HEADING_TAGS, tag_ids
from scrapy_web2text.page.reader import READER

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
_CONTAINER_NUMBERS: Final = tag_ids(_CONTAINERS)[:, None]


@dataclass(frozen=True, slots=True, eq=False)
class InsideMeasures:
    """Measures of n blocks; each of *Shape:* ``(n,)``.

    :param around: one bit for each `Mark` and, after them, each group of tags of the elements around the block.
    :param container_tags: number of the tag of the block's container.
    :param summary_share: share of the block's pairs of words that the page's summary contains.
    """

    around: IntArray
    container_tags: IntArray
    summary_share: DoubleArray


def _enclosing(kinds: Sequence[Mark | tuple[str, ...]]) -> FeatureGroup[InsideMeasures]:
    """Return the columns that tell whether a block lies in each of the *kinds* of elements."""
    names, bits = [], []
    for kind in kinds:
        if isinstance(kind, Mark):
            names.append(f"in_{kind.name}".lower())
            bits.append(kind.bit_length() - 1)
        else:
            names.append(f"in_{kind[0]}")
            bits.append(len(Mark) + _TAGS.index(kind))
    shifts = np.array(bits)[:, None]
    return FeatureGroup(tuple(names), lambda m: m.around >> shifts & 1)


_FEATURES: Final[tuple[Feature[InsideMeasures] | FeatureGroup[InsideMeasures], ...]] = (
    _enclosing(_KINDS),
    # The overlap with the page's summary. In the released model it replaces the column of the element `summary`.
    Feature("in_summary", lambda m: m.summary_share),
    _enclosing(_MORE_KINDS),
    FeatureGroup(tuple(f"is_{tag}" for tag in _CONTAINERS), lambda m: m.container_tags == _CONTAINER_NUMBERS),
)


def _measure(context: Context) -> InsideMeasures:
    bits = context.attributes.marks | _TAG_BITS[context.page.tags]
    return InsideMeasures(
        around=READER.unite_above(bits, context.parents)[context.owners],
        container_tags=context.container_tags,
        summary_share=repeated_share(context.words, context.hint_words.summary),
    )


INSIDE: Final = Table(_measure, _FEATURES)
