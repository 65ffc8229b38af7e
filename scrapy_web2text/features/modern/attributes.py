"""The attributes of a page's elements: hashed words of class names and ids, roles, hidden parts, link targets."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.arrays import BoolArray, IntArray, UintArray
from scrapy_web2text.budget import check_time, watched
from scrapy_web2text.features.names import NAME_WORD
from scrapy_web2text.page.arrays import Page

__all__ = ["N_NAME_HASHES", "ElementAttributes", "Mark", "hash_names", "read_attributes"]


# Hashes of the words of class names and the like are below this.
N_NAME_HASHES: Final = 1 << 13
_MOST_WORDS: Final = 12
_LONGEST: Final = 200  # characters of a text that are read
_N_CACHED: Final = 1 << 13
# Ends each of several joined texts; attributes cannot contain it.
_END: Final = "\0"
_WORD = re.compile(NAME_WORD + r"|\0")
# The attributes that are read. The values of the first six contain names.
_NAMES: Final = (
    *("class", "id", "role", "itemprop", "aria-label", "data-testid"),
    *("hidden", "aria-hidden", "style", "data-nosnippet", "itemscope", "href"),
)
_N_NAMES: Final = 6
_NUMBERS: Final = {name: number for number, name in enumerate(_NAMES)}
_CLASS: Final = _NUMBERS["class"]
_HREF: Final = _NUMBERS["href"]
_IS_MARKING: Final = np.array([name not in ("class", "id", "aria-label", "data-testid", "href") for name in _NAMES])
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
}
# Attributes that count with any value.
_PRESENT: Final = {"hidden": Mark.HIDDEN, "itemscope": Mark.ITEM_SCOPE, "data-nosnippet": Mark.NO_SNIPPET}
_BODY_PROPERTIES: Final = frozenset({"articlebody", "text", "description", "reviewbody", "commenttext"})


@dataclass(frozen=True, slots=True, eq=False)
class ElementAttributes:
    """The attributes of n elements.

    :param names: hashed words of class names and the like, element by element, below `N_NAME_HASHES`.
        *Shape:* ``(t,)``
    :param n_names: number of words of each element. *Shape:* ``(n,)``
    :param classes: hash of the whole class attribute, 0 without one. *Shape:* ``(n,)``
    :param marks: `Mark` of each element, as bits. *Shape:* ``(n,)``
    :param leads_inside: whether the element links to a place on the same page. *Shape:* ``(n,)``
    :param leads_outside: whether the element links to a URL with a host. *Shape:* ``(n,)``
    """

    names: IntArray
    n_names: IntArray
    classes: UintArray
    marks: IntArray
    leads_inside: BoolArray
    leads_outside: BoolArray


def read_attributes(page: Page, elements: IntArray) -> ElementAttributes:
    """Return the attributes of a page's elements, read only for *elements*; the others count as having none.

    Many elements, such as icons, do not hold text. Reading their attributes would cost as much as all the rest.

    :param elements: ascending indices of elements. *Shape:* ``(h,)``
    """
    n = page.n_elements
    found = page.attribute_values(elements, _NUMBERS)
    check_time()
    # Many values are the same, so they are hashed after they have been collected.
    owners, numbers = (np.array(column, dtype=np.int64) for column in found[:2])
    values: NDArray[np.object_] = np.array(found[2], dtype=object)
    is_text, is_class, is_link = numbers < _N_NAMES, numbers == _CLASS, numbers == _HREF
    text_owners = owners[is_text]
    known: dict[str, int] = {}
    which = np.array([known.setdefault(text, len(known)) for text in values[is_text].tolist()], dtype=np.int64)
    words, sizes = hash_names(list(known))
    n_words = sizes[which]
    check_time()
    # For each word of each text in turn: its position in `words`, less its position in the result.
    shifts = np.repeat((np.cumsum(sizes) - sizes)[which] - (np.cumsum(n_words) - n_words), n_words)
    hashes = np.array([zlib.crc32(text.encode("utf-8", "replace")) + 1 for text in known], dtype=np.uint64)
    classes = np.zeros(n, dtype=np.uint64)
    classes[owners[is_class]] = hashes[which[is_class[is_text]]]
    targets = values[is_link].tolist()
    leads_inside, leads_outside = np.zeros((2, n), dtype=bool)
    leads_inside[owners[is_link]] = [target.startswith("#") for target in targets]
    leads_outside[owners[is_link]] = [target.startswith(("http", "//")) for target in targets]
    return ElementAttributes(
        names=words[shifts + np.arange(len(shifts))],
        n_names=np.bincount(text_owners, n_words, minlength=n).astype(np.int64),
        classes=classes,
        marks=_read_marks(n, owners, numbers, values),
        leads_inside=leads_inside,
        leads_outside=leads_outside,
    )


def _read_marks(n: int, owners: IntArray, numbers: IntArray, values: NDArray[np.object_]) -> IntArray:
    """Return the `Mark` of each of *n* elements, as bits. *Shape:* ``(n,)``"""
    marks = np.zeros(n, dtype=np.int64)
    chosen = np.flatnonzero(_IS_MARKING[numbers])
    columns = (column[chosen].tolist() for column in (owners, numbers, values))
    for owner, number, value in watched(zip(*columns, strict=True), len(chosen)):
        marks[owner] |= _mark(_NAMES[number], value)
    return marks


def hash_names(texts: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Return the hashes of the words in *texts*, such as class attributes, and how many words each text has.

    Words are the parts of camelCase, kebab-case and snake_case names, in lower case. Only the first words of each text
    count, which limits the cost of hostile pages. Splitting all texts in one call takes half the time of one call per
    text.

    *Shapes:* ``(t,)``, ``(len(texts),)``
    """
    found = _WORD.findall("".join([text[:_LONGEST] + _END for text in texts]))
    check_time()
    is_end = np.array([word == _END for word in found], dtype=bool)
    ends = np.flatnonzero(is_end)
    starts = np.concatenate([[0], ends[:-1] + 1])[: len(ends)]
    sizes = np.minimum(ends - starts, _MOST_WORDS)
    check_time()
    hashes = np.array(list(map(_hash_word, found)), dtype=np.int64)
    kept = np.arange(sizes.sum()) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return hashes[kept], sizes


@lru_cache(_N_CACHED)
def _hash_word(word: str) -> int:
    """Return the hash of one word. The results are cached, as pages share most of their words."""
    return zlib.crc32(word.lower().encode()) % N_NAME_HASHES


def _mark(name: str, value: str) -> int:
    if name == "role":
        return _ROLES.get(value.lower(), 0)
    if name == "itemprop":
        return Mark.BODY_PROPERTY if value.lower() in _BODY_PROPERTIES else 0
    if name == "style":
        return Mark.HIDDEN if _HIDING_STYLE.search(value) else 0
    if name == "aria-hidden":
        return Mark.ARIA_HIDDEN if value.lower() == "true" else 0
    return _PRESENT.get(name, 0)
