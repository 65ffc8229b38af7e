"""What the attributes of a page's elements say: hashed words of class and id names, roles, hidden parts, targets."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from enum import IntFlag
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.page import Page

__all__ = ["N_NAME_HASHES", "ElementAttributes", "Mark", "hash_names", "read_attributes"]

IntArray = NDArray[np.int64]
UintArray = NDArray[np.uint64]

# Words of class names and the like are told apart by their hash modulo this.
N_NAME_HASHES: Final = 1 << 13
_MOST_WORDS: Final = 12
_N_CACHED: Final = 1 << 13
_LONGEST_CACHED: Final = 200  # characters, so that the cache stays below a few megabytes
# camelCase, kebab-case and snake_case names fall into their words; digits are left out.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+")
_NAME_ATTRIBUTES: Final = frozenset({"class", "id", "role", "itemprop", "aria-label", "data-testid"})
_READ: Final = _NAME_ATTRIBUTES | {"href", "hidden", "aria-hidden", "style", "data-nosnippet", "itemscope"}
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


class Mark(IntFlag):
    """What an element's attributes say of it and of all below."""

    HIDDEN = 1 << 0
    ARIA_HIDDEN = 1 << 1
    NAVIGATION = 1 << 2
    MAIN = 1 << 3
    BANNER = 1 << 4
    CONTENT_INFO = 1 << 5
    COMPLEMENTARY = 1 << 6
    SEARCH = 1 << 7
    DIALOG = 1 << 8
    ARTICLE = 1 << 9
    LIST = 1 << 10
    CONTROL = 1 << 11
    BODY_PROPERTY = 1 << 12
    ITEM_SCOPE = 1 << 13
    NO_SNIPPET = 1 << 14


_ROLES: Final = {
    "navigation": Mark.NAVIGATION,
    "menu": Mark.NAVIGATION,
    "menubar": Mark.NAVIGATION,
    "main": Mark.MAIN,
    "banner": Mark.BANNER,
    "contentinfo": Mark.CONTENT_INFO,
    "complementary": Mark.COMPLEMENTARY,
    "search": Mark.SEARCH,
    "dialog": Mark.DIALOG,
    "alertdialog": Mark.DIALOG,
    "alert": Mark.DIALOG,
    "article": Mark.ARTICLE,
    "feed": Mark.LIST,
    "list": Mark.LIST,
    "listitem": Mark.LIST,
    "button": Mark.CONTROL,
    "tab": Mark.CONTROL,
    "tablist": Mark.CONTROL,
}
_BODY_PROPERTIES: Final = frozenset({"articlebody", "text", "description", "reviewbody", "commenttext"})


@dataclass(frozen=True, slots=True, eq=False)
class ElementAttributes:
    """The attributes of n elements.

    :param names: hashed words of their names, element by element, below `N_NAME_HASHES`. *Shape:* ``(t,)``
    :param n_names: number of words of each element. *Shape:* ``(n,)``
    :param classes: hash of the whole class attribute, 0 without one. *Shape:* ``(n,)``
    :param marks: `Mark` of each element, as bits. *Shape:* ``(n,)``
    :param leads_inside: links to a place on the same page. *Shape:* ``(n,)``
    :param leads_outside: links with a host of their own. *Shape:* ``(n,)``
    """

    names: IntArray
    n_names: IntArray
    classes: UintArray
    marks: IntArray
    leads_inside: NDArray[np.bool_]
    leads_outside: NDArray[np.bool_]


def read_attributes(page: Page, elements: IntArray) -> ElementAttributes:
    """Return the attributes of *elements* of *page*, as indices; the others count as if they had none.

    Most elements of a page hold no text (scripts, icons), and reading their attributes would cost as much as the rest.
    """
    n = page.n_elements
    names: list[int] = []
    n_names, classes, marks = [0] * n, [0] * n, [0] * n
    inside, outside = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    nodes = page.elements
    for i in elements.tolist():
        node = nodes[i]
        for name in node.keys():  # noqa: SIM118
            # lxml's `items` would read all values, in a time that is quadratic in the number of attributes.
            if name not in _READ:
                continue
            value = node.get(name)
            if name in _NAME_ATTRIBUTES:
                words, text_hash = hash_names(value)
                names += words
                n_names[i] += len(words)
                if name == "class":
                    classes[i] = text_hash
                elif name == "role":
                    marks[i] |= _ROLES.get(value.lower(), 0)
                elif name == "itemprop" and value.lower() in _BODY_PROPERTIES:
                    marks[i] |= Mark.BODY_PROPERTY
            elif name == "href":
                inside[i] = value.startswith("#")
                outside[i] = value.startswith(("http", "//"))
            else:
                marks[i] |= _mark(name, value)
    return ElementAttributes(
        np.array(names, dtype=np.int64),
        np.array(n_names, dtype=np.int64),
        np.array(classes, dtype=np.uint64),
        np.array(marks, dtype=np.int64),
        inside,
        outside,
    )


def _mark(name: str, value: str) -> int:
    if name == "style":
        return Mark.HIDDEN if _HIDING_STYLE.search(value) else 0
    if name == "hidden":
        return Mark.HIDDEN
    if name == "aria-hidden":
        return Mark.ARIA_HIDDEN if value.lower() == "true" else 0
    return Mark.ITEM_SCOPE if name == "itemscope" else Mark.NO_SNIPPET


def hash_names(text: str) -> tuple[tuple[int, ...], int]:
    """Return the hashes of the words in a class attribute or the like, and a hash of the whole text, above 0.

    The pages of a site share most of their class names, so the results for short ones are kept.
    """
    return _hash_cached(text) if len(text) <= _LONGEST_CACHED else _hash(text)


@lru_cache(_N_CACHED)
def _hash_cached(text: str) -> tuple[tuple[int, ...], int]:
    return _hash(text)


def _hash(text: str) -> tuple[tuple[int, ...], int]:
    words = [zlib.crc32(word.lower().encode()) % N_NAME_HASHES for word in _WORD.findall(text)[:_MOST_WORDS]]
    return tuple(words), zlib.crc32(text.encode("utf-8", "replace")) + 1
