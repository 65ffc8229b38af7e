"""The leaves of a fragment that a reader does not see, or that only lead elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.labelers.fragment.phrases import (
    LINK_NAMES,
    PLUGIN_NAMES,
    SHARE_WORDS,
    UNSEEN_NAMES,
    is_call_to_read,
    is_share_target,
)
from scrapy_web2text.page.arrays import HEADING_TAGS, Page

__all__ = ["Furniture", "find_furniture"]

_HIDING_STYLE: Final = re.compile(r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ROLES: Final = frozenset({"menu", "menubar", "navigation", "search", "toolbar"})
# The attributes that are read; the last two, for their presence.
_NAMES: Final = (
    *("aria-controls", "aria-expanded", "class", "data-bs-target", "data-target", "hidden", "href", "id", "role"),
    *("style", "aria-haspopup", "open"),
)
_NUMBERS: Final = {name: number for number, name in enumerate(_NAMES)}
_LONGEST_NAMES: Final = 300  # characters of an attribute that are read
# Words. A longer element is not furniture, whatever its name or target is.
_MOST_WORDS: Final = 40
_MOST_PLUGIN_WORDS: Final = 100
_MOST_SHARE_LINK_WORDS: Final = 12
_LONGEST_LINK: Final = 300  # characters
# A form with more of the words is the frame of the whole text, as ASP.NET writes it.
_MOST_FORM_SHARE: Final = 0.5


class _Sign(IntFlag):
    """What the attributes of an element say about it."""

    HIDDEN = 1 << 0
    FURNITURE = 1 << 1
    PLUGIN = 1 << 2
    LINKS = 1 << 3
    SHARES = 1 << 4
    OPENS = 1 << 5


# Attributes that count with any value.
_OF_ATTRIBUTE: Final = {"hidden": _Sign.HIDDEN, "aria-expanded": _Sign.OPENS, "aria-controls": _Sign.OPENS}


@dataclass(slots=True)
class _Signs:
    """The signs of all elements of a page.

    :param of: `_Sign` of each element, as bits. *Shape:* ``(n,)``
    :param ids: the ids of hidden elements -> their indices.
    :param opened: the ids of elements that links and buttons open or lead to.
    """

    of: IntArray
    ids: dict[str, int] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)

    def having(self, sign: _Sign) -> BoolArray:
        """Return which elements have *sign*. *Shape:* ``(n,)``"""
        has: BoolArray = (self.of & sign) > 0
        return has


@dataclass(frozen=True, slots=True, eq=False)
class Furniture:
    """The furniture of a fragment.

    :param leaves: which leaves are in it, or hidden. *Shape:* ``(m,)``
    :param shares: which elements are links and buttons to share, to follow and to read more, or are around these alone.
        *Shape:* ``(n,)``
    :param n_words: number of words of each leaf of the fragment. *Shape:* ``(m,)``
    """

    leaves: BoolArray
    shares: BoolArray
    n_words: IntArray


def find_furniture(page: Page) -> Furniture:
    """Return what a reader of *page* does not see, its navigation, its forms, and its links to share and read more.

    The first element never counts, as the caller has chosen it.
    """
    n_words = np.array([len(text.split()) for text in watched(page.texts)], dtype=np.int64)
    signs = _read_signs(page)
    words = _sum_inside(page, n_words)
    in_links = page.is_inside({"a", "button"}, np.arange(page.n_leaves))
    is_of_links = 2 * _sum_inside(page, n_words * in_links) >= words
    shares = signs.having(_Sign.PLUGIN) & (words <= _MOST_PLUGIN_WORDS)
    shares |= signs.having(_Sign.LINKS) & (words <= _MOST_WORDS) & is_of_links
    shares |= signs.having(_Sign.SHARES) & (words <= _MOST_SHARE_LINK_WORDS)
    shares[_links_to_the_rest(page)] = True
    chosen = shares | page.tags_in({"nav"}) | signs.having(_Sign.HIDDEN | _Sign.FURNITURE)
    chosen |= page.tags_in({"form"}) & (words <= max(_MOST_WORDS, _MOST_FORM_SHARE * words[0]))
    # The questions of a list of questions are often buttons.
    in_heading = page.count_enclosing(page.tags_in({*HEADING_TAGS, "dt", "summary"}))[page.open_slots] > 0
    chosen |= page.tags_in({"button"}) & ~in_heading & ~signs.having(_Sign.OPENS)
    chosen[0] = False
    return Furniture(page.count_enclosing(chosen)[page.leaf_slots] > 0, shares, n_words)


def _sum_inside(page: Page, values: IntArray) -> IntArray:
    """Return the sum of *values* over the leaves inside each element. *Shapes:* ``(m,)`` -> ``(n,)``"""
    first, stop = page.leaf_ranges(np.arange(page.n_leaves))
    sums = np.concatenate([[0], np.cumsum(values)])
    inside: IntArray = sums[stop] - sums[first]
    return inside


def _read_signs(page: Page) -> _Signs:
    of = np.zeros(page.n_elements, dtype=np.int64)
    is_menu, is_open = np.zeros((2, page.n_elements), dtype=bool)
    signs, ids = _Signs(of), {}
    owners, numbers, values = page.attribute_values(np.arange(page.n_elements), _NUMBERS)
    for i, number, value in watched(zip(owners, numbers, values, strict=True), len(owners)):
        name = _NAMES[number]
        if name == "aria-haspopup":
            is_menu[i] = True
        elif name == "open":
            is_open[i] = True
        else:
            of[i] |= _read_attribute(name, value, signs)
        if name == "id":
            ids[i] = value
    of[is_menu] &= ~_Sign.OPENS
    of[page.tags_in({"dialog"}) & ~is_open] |= _Sign.HIDDEN
    signs.ids |= {name: i for i, name in ids.items() if of[i] & _Sign.HIDDEN}
    # A hidden answer that its question opens is read, too.
    for name in signs.ids.keys() & signs.opened:
        of[signs.ids[name]] &= ~_Sign.HIDDEN
    return signs


def _read_attribute(name: str, value: str, signs: _Signs) -> int:
    """Return the `_Sign` of one attribute, and note the ids that it opens."""
    value = value[:_LONGEST_NAMES]
    if name == "class":
        names = {*value.split()}
        sign = _Sign.HIDDEN if names & UNSEEN_NAMES else 0
        sign |= _Sign.PLUGIN if names & PLUGIN_NAMES else 0
        return sign | (_Sign.LINKS if names & LINK_NAMES or _is_about_sharing(value) else 0)
    if name == "id":
        return _Sign.LINKS if _is_about_sharing(value) else 0
    if name == "href":
        if value.startswith("#"):
            signs.opened.add(value[1:])
        return _Sign.SHARES if is_share_target(value) else 0
    if name == "style":
        return _Sign.HIDDEN if _HIDING_STYLE.search(value) else 0
    if name == "role":
        return _Sign.FURNITURE if value.lower() in _ROLES else 0
    if name in ("aria-controls", "data-target", "data-bs-target"):
        signs.opened.update(value.replace("#", " ").split())
    return _OF_ATTRIBUTE.get(name, 0)


def _is_about_sharing(names: str) -> bool:
    return not SHARE_WORDS.isdisjoint(word.lower() for word in _WORD.findall(names))


def _links_to_the_rest(page: Page) -> list[int]:
    """Return the links whose whole text is a form of "read more"."""
    lengths = np.array([len(text) for text in watched(page.texts)], dtype=np.int64)
    short = np.flatnonzero(page.tags_in({"a"}) & (_sum_inside(page, lengths) <= _LONGEST_LINK))
    firsts, stops = (bounds[short].tolist() for bounds in page.leaf_ranges(np.arange(page.n_leaves)))
    texts = (" ".join("".join(page.texts[first:stop]).split()) for first, stop in zip(firsts, stops, strict=True))
    return [
        link for link, text in zip(short.tolist(), watched(texts, len(short)), strict=True) if is_call_to_read(text)
    ]
