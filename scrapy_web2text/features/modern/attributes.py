"""The attributes of a page's elements: hashed words of class names and ids, roles, hidden parts, link targets."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

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
_NAME_ATTRIBUTES: Final = frozenset({"class", "id", "role", "itemprop", "aria-label", "data-testid"})
_MARKING: Final = frozenset({"role", "itemprop", "hidden", "aria-hidden", "style", "data-nosnippet", "itemscope"})
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
    values = _read_values(page, elements)
    check_time()
    numbers: dict[str, int] = {}
    which = np.array([numbers.setdefault(text, len(numbers)) for text in values.texts], dtype=np.int64)
    words, sizes = hash_names(list(numbers))
    n_words = sizes[which]
    check_time()
    # For each word of each text in turn: its position in `words`, less its position in the result.
    shifts = np.repeat((np.cumsum(sizes) - sizes)[which] - (np.cumsum(n_words) - n_words), n_words)
    hashes = np.array([zlib.crc32(text.encode("utf-8", "replace")) + 1 for text in numbers], dtype=np.uint64)
    classes = np.zeros(n, dtype=np.uint64)
    classes[np.array(values.owners, dtype=np.int64)[values.of_class]] = hashes[which[values.of_class]]
    leads_inside, leads_outside = np.zeros((2, n), dtype=bool)
    leads_inside[values.links] = [target.startswith("#") for target in values.targets]
    leads_outside[values.links] = [target.startswith(("http", "//")) for target in values.targets]
    return ElementAttributes(
        names=words[shifts + np.arange(len(shifts))],
        n_names=np.bincount(values.owners, n_words, minlength=n).astype(np.int64),
        classes=classes,
        marks=values.marks,
        leads_inside=leads_inside,
        leads_outside=leads_outside,
    )


class _Values(NamedTuple):
    """The values of attributes. Many are the same, so they are hashed after they have been collected.

    :param texts: values that contain names.
    :param owners: element of each text.
    :param of_class: which texts are those of class attributes.
    :param targets: targets of links.
    :param links: element of each target.
    :param marks: `Mark` of each element of the page, as bits. *Shape:* ``(n,)``
    """

    texts: list[str]
    owners: list[int]
    of_class: list[int]
    targets: list[str]
    links: list[int]
    marks: IntArray


def _read_values(page: Page, elements: IntArray) -> _Values:
    values = _Values([], [], [], [], [], np.zeros(page.n_elements, dtype=np.int64))
    texts, owners, of_class, targets, links, marks = values
    nodes = page.elements
    for i in watched(elements.tolist()):
        node = nodes[i]
        for name in node.keys():  # noqa: SIM118
            # lxml's `items` reads all values, in time quadratic in the number of attributes.
            if name == "href":
                targets.append(node.get(name))
                links.append(i)
                continue
            if name == "class":
                of_class.append(len(texts))
            if name in _NAME_ATTRIBUTES:
                texts.append(node.get(name))
                owners.append(i)
            if name in _MARKING:
                marks[i] |= _mark(name, node.get(name))
    return values


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
