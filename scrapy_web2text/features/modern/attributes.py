"""The attributes of a page's elements: hashed words of class names and ids, roles, hidden parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntFlag
from typing import Final

from scrapy_web2text.common.arrays import IntArray, UintArray
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.reader import AttributeKind

_KINDS: Final = {
    **dict.fromkeys(("id", "aria-label", "data-testid"), AttributeKind.NAME),
    **dict.fromkeys(("role", "itemprop"), AttributeKind.NAME | AttributeKind.MARK),
    **dict.fromkeys(("hidden", "aria-hidden", "style", "data-nosnippet", "itemscope"), AttributeKind.MARK),
    "class": AttributeKind.NAME | AttributeKind.WHOLE,
}
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


class Mark(IntFlag):
    """Properties that attributes give to an element and all below it."""

    HIDDEN = 1 << 0
    ARIA_HIDDEN = 1 << 1
    NAVIGATION = 1 << 2
    BANNER = 1 << 3
    CONTENT_INFO = 1 << 4
    COMPLEMENTARY = 1 << 5
    LIST = 1 << 6
    CONTROL = 1 << 7
    BODY_PROPERTY = 1 << 8
    ITEM_SCOPE = 1 << 9
    NO_SNIPPET = 1 << 10
    ROLE_MAIN = 1 << 11
    ROLE_SEARCH = 1 << 12
    ROLE_DIALOG = 1 << 13
    ROLE_ARTICLE = 1 << 14


_ROLES: Final = {
    "navigation": Mark.NAVIGATION,
    "menu": Mark.NAVIGATION,
    "menubar": Mark.NAVIGATION,
    "banner": Mark.BANNER,
    "contentinfo": Mark.CONTENT_INFO,
    "complementary": Mark.COMPLEMENTARY,
    "feed": Mark.LIST,
    "list": Mark.LIST,
    "listitem": Mark.LIST,
    "button": Mark.CONTROL,
    "tab": Mark.CONTROL,
    "tablist": Mark.CONTROL,
    "main": Mark.ROLE_MAIN,
    "search": Mark.ROLE_SEARCH,
    "dialog": Mark.ROLE_DIALOG,
    "alertdialog": Mark.ROLE_DIALOG,
    "article": Mark.ROLE_ARTICLE,
}
_BODY_PROPERTIES: Final = ("articlebody", "text", "description", "reviewbody", "commenttext")
# The marks of values in lower case. They are plain numbers here: the operators of flags are slow.
_BY_VALUE: Final = {
    "role": {role: int(mark) for role, mark in _ROLES.items()},
    "itemprop": dict.fromkeys(_BODY_PROPERTIES, int(Mark.BODY_PROPERTY)),
    "aria-hidden": {"true": int(Mark.ARIA_HIDDEN)},
}
# Attributes that count with any value.
_PRESENT: Final = {
    "hidden": int(Mark.HIDDEN),
    "itemscope": int(Mark.ITEM_SCOPE),
    "data-nosnippet": int(Mark.NO_SNIPPET),
}
_HIDDEN: Final = int(Mark.HIDDEN)


@dataclass(frozen=True, slots=True, eq=False)
class ElementAttributes:
    """The attributes of n elements: hashed words of names, hashes of whole classes, and a `Mark` as bits.

    `reader.read_attributes` says more, and has the shapes.
    """

    names: IntArray
    n_names: IntArray
    classes: UintArray
    marks: IntArray


def read_attributes(page: Page, elements: IntArray) -> ElementAttributes:
    """Return the attributes of a page's elements, read only for *elements*; the others count as having none.

    Many elements, such as icons, do not hold text. Reading their attributes would cost as much as all the rest.

    :param elements: ascending indices of elements. *Shape:* ``(h,)``
    """
    fields = reader.read_attributes(page.elements, elements, lambda name: _KINDS.get(name, -1), _mark)
    return ElementAttributes(**fields)


def _mark(name: str, value: str) -> int:
    if name == "style":
        lowered = value.lower()  # to look for a part of each value first takes a fifth of the time
        return _HIDDEN if ("none" in lowered or "dden" in lowered) and _HIDING_STYLE.search(value) else 0
    return _PRESENT.get(name) or _BY_VALUE[name].get(value.lower(), 0)
