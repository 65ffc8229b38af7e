"""The leaves of a fragment that a reader does not see, or that only lead elsewhere, by what the attributes say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.labelers.fragment.phrases import (
    LINK_NAMES,
    PLUGIN_NAMES,
    SHARE_WORDS,
    UNSEEN_NAMES,
    find_share_targets,
    is_call_to_read,
)
from scrapy_web2text.page.arrays import HEADING_TAGS, Page

_HIDING_STYLE: Final = re.compile(r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ROLES: Final = frozenset({"menu", "menubar", "navigation", "search", "toolbar"})
_CLASS_NAMES: Final = UNSEEN_NAMES | PLUGIN_NAMES | LINK_NAMES
_LONGEST: Final = 300  # characters of an attribute that are read


_LINKS: Final = frozenset({"a"})
# Words. A longer element is not furniture, whatever its name or target is.
_MOST_WORDS: Final = 40
_MOST_PLUGIN_WORDS: Final = 100
_MOST_SHARE_LINK_WORDS: Final = 12
_LONGEST_LINK: Final = 300  # characters
# A form with more of the words is the frame of the whole text, as ASP.NET writes it.
_MOST_FORM_SHARE: Final = 0.5


@dataclass(slots=True)
class _Attributes:
    """What the attributes of the elements of a page say: the elements of each kind, by their indices.

    :param hidden: elements that a reader does not see.
    :param frames: elements with the role of navigation and the like.
    :param plugins: buttons of plugins, and elements around these.
    :param links: elements that are called links to share or to read more.
    :param shares: elements with an address that shares a page.
    :param openers: elements that open others.
    :param leading_away: elements with an address that is not on the same page.
    :param menus: elements that open menus.
    :param open: dialogs and the like that are open.
    :param ids: the id of each element that has one.
    :param opened_ids: the ids of elements that links and buttons open or lead to.
    """

    hidden: set[int] = field(default_factory=set)
    frames: list[int] = field(default_factory=list)
    plugins: list[int] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    shares: list[int] = field(default_factory=list)
    openers: set[int] = field(default_factory=set)
    leading_away: list[int] = field(default_factory=list)
    menus: list[int] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    ids: dict[int, str] = field(default_factory=dict)
    opened_ids: set[str] = field(default_factory=set)


def _read_attributes(page: Page) -> _Attributes:
    """Return what the attributes of the elements of *page* say."""
    found = _Attributes()
    columns: list[tuple[list[int], list[str]]] = [([], []) for _ in _READERS]
    owners, numbers, values = page.attribute_values(np.arange(page.n_elements), _NUMBERS)
    for i, number, value in watched(zip(owners, numbers, values, strict=True), len(owners)):
        column = columns[number]
        column[0].append(i)
        column[1].append(value)
    for read, column in zip(_READERS, columns, strict=True):
        if column[0]:
            read(found, *column)
    found.openers.difference_update(found.menus)
    found.hidden.update({*np.flatnonzero(page.tags_in({"dialog"})).tolist()}.difference(found.open))
    of_id = {name: i for i, name in found.ids.items() if i in found.hidden}
    # A hidden answer that its question opens is read, too.
    found.hidden.difference_update(of_id[name] for name in of_id.keys() & found.opened_ids)
    return found


# The values of an attribute, each with its element. Most say nothing, which is seen in all of them at once.


def _read_classes(found: _Attributes, owners: list[int], values: list[str]) -> None:
    values = [value[:_LONGEST] for value in values]
    if not _CLASS_NAMES.isdisjoint("\n".join(values).split()):  # rarely
        for i, value in watched(zip(owners, values, strict=True), len(owners)):
            names = value.split()
            if not UNSEEN_NAMES.isdisjoint(names):
                found.hidden.add(i)
            if not PLUGIN_NAMES.isdisjoint(names):
                found.plugins.append(i)
            if not LINK_NAMES.isdisjoint(names):
                found.links.append(i)
    _read_sharing(found, owners, values)


def _read_ids(found: _Attributes, owners: list[int], values: list[str]) -> None:
    found.ids.update(zip(owners, values, strict=True))
    _read_sharing(found, owners, [value[:_LONGEST] for value in values])


def _read_sharing(found: _Attributes, owners: list[int], values: list[str]) -> None:
    folded = "\n".join(values).lower()  # each of the words has one of three beginnings, which hardly any names have
    if "shar" in folded or "social" in folded or "follow" in folded:
        rows = watched(zip(owners, values, strict=True), len(owners))
        found.links += [i for i, value in rows if _is_about_sharing(value)]


def _read_addresses(found: _Attributes, owners: list[int], values: list[str]) -> None:
    found.opened_ids.update([value[1:_LONGEST] for value in watched(values) if value[:1] == "#"])
    rows = watched(zip(owners, values, strict=True), len(owners))
    away = [(i, value[:_LONGEST]) for i, value in rows if value and value[0] != "#"]
    found.leading_away += [i for i, _ in away]
    is_target = find_share_targets([value for _, value in away])
    found.shares += [i for i, value in watched(away) if value in is_target]


def _read_styles(found: _Attributes, owners: list[int], values: list[str]) -> None:
    rows = watched(zip(owners, values, strict=True), len(owners))
    found.hidden.update([i for i, value in rows if _HIDING_STYLE.search(value[:_LONGEST])])


def _read_roles(found: _Attributes, owners: list[int], values: list[str]) -> None:
    rows = watched(zip(owners, values, strict=True), len(owners))
    found.frames += [i for i, value in rows if value[:_LONGEST].lower() in _ROLES]


def _read_controlled(found: _Attributes, owners: list[int], values: list[str]) -> None:
    found.openers.update(owners)
    _read_opened(found, owners, values)


def _read_opened(found: _Attributes, _: list[int], values: list[str]) -> None:
    found.opened_ids.update(name for value in watched(values) for name in value[:_LONGEST].replace("#", " ").split())


def _is_about_sharing(names: str) -> bool:
    return not SHARE_WORDS.isdisjoint(word.lower() for word in _WORD.findall(names))


_READ: Final[dict[str, Callable[[_Attributes, list[int], list[str]], object]]] = {
    "aria-controls": _read_controlled,
    "aria-expanded": lambda found, owners, _: found.openers.update(owners),
    "aria-haspopup": lambda found, owners, _: found.menus.extend(owners),
    "class": _read_classes,
    "data-bs-target": _read_opened,
    "data-target": _read_opened,
    "hidden": lambda found, owners, _: found.hidden.update(owners),
    "href": _read_addresses,
    "id": _read_ids,
    "open": lambda found, owners, _: found.open.extend(owners),
    "role": _read_roles,
    "style": _read_styles,
}
_NUMBERS: Final = {name: number for number, name in enumerate(_READ)}
_READERS: Final = (*_READ.values(),)


class Furniture:
    """What a reader of a fragment does not see, its navigation, its forms, and its links to share and read more.

    Each part is read when it is first asked for.

    :param page: the fragment.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._found = _read_attributes(page)

    @cached_property
    def links(self) -> IntArray:
        """The links to other pages, in document order, also those of furniture. *Shape:* any"""
        away = np.array(self._found.leading_away, dtype=np.int64)
        links: IntArray = away[self._page.tags_in(_LINKS)[away]]
        return links

    @cached_property
    def shares(self) -> BoolArray:
        """Which elements are links and buttons to share and to follow, or are around these alone. *Shape:* ``(n,)``"""
        found, shares = self._found, np.zeros(self._page.n_elements, dtype=bool)
        if found.plugins or found.links or found.shares:
            words, linked_words = self._sum_inside(self.n_words), self._sum_inside(self.n_words * self.in_links)
            shares |= _mark(found.plugins, words <= _MOST_PLUGIN_WORDS)
            shares |= _mark(found.links, (words <= _MOST_WORDS) & (2 * linked_words >= words))
            shares |= _mark(found.shares, words <= _MOST_SHARE_LINK_WORDS)
        return shares

    def find_calls_to_read(self, links: IntArray) -> Iterator[bool]:
        """Yield for each of *links* whether its whole text is a form of "read more"."""
        texts, (first, stop) = self._page.texts, self._ranges
        for start, end in watched(zip(first[links].tolist(), stop[links].tolist(), strict=True), len(links)):
            parts = texts[start:end] if end - start <= _LONGEST_LINK else []
            is_short = 0 < sum(map(len, parts)) <= _LONGEST_LINK
            yield is_short and is_call_to_read(" ".join("".join(parts).split()))

    @cached_property
    def leaves(self) -> BoolArray:
        """Which leaves are in furniture, or hidden. *Shape:* ``(m,)``

        The first element never counts, as the caller has chosen it.
        """
        page, found = self._page, self._found
        chosen = self.shares | page.tags_in({"nav"})
        links = np.flatnonzero(page.tags_in(_LINKS))
        chosen[links[np.fromiter(self.find_calls_to_read(links), bool, len(links))]] = True
        chosen[[*found.hidden, *found.frames]] = True
        words = self._sum_inside(self.n_words)
        chosen |= page.tags_in({"form"}) & (words <= max(_MOST_WORDS, _MOST_FORM_SHARE * words[0]))
        # The questions of a list of questions are often buttons.
        in_heading = page.count_enclosing(page.tags_in({*HEADING_TAGS, "dt", "summary"}))[page.open_slots] > 0
        buttons = page.tags_in({"button"}) & ~in_heading
        buttons[[*found.openers]] = False
        chosen |= buttons
        chosen[0] = False
        is_inside: BoolArray = page.count_enclosing(chosen)[page.leaf_slots] > 0
        return is_inside

    @cached_property
    def n_words(self) -> IntArray:
        """Number of words of each leaf. *Shape:* ``(m,)``"""
        return np.array([len(text.split()) for text in watched(self._page.texts)], dtype=np.int64)

    @cached_property
    def in_links(self) -> BoolArray:
        """Which leaves are in links and buttons. *Shape:* ``(m,)``"""
        page = self._page
        is_inside: BoolArray = page.count_enclosing(page.tags_in({"a", "button"}))[page.leaf_slots] > 0
        return is_inside

    @cached_property
    def _ranges(self) -> tuple[IntArray, IntArray]:
        return self._page.leaf_ranges(np.arange(self._page.n_leaves))

    def _sum_inside(self, values: IntArray) -> IntArray:
        """Return the sum of *values* over the leaves inside each element. *Shapes:* ``(m,)`` -> ``(n,)``"""
        first, stop = self._ranges
        sums = np.zeros(len(values) + 1, dtype=np.int64)
        values.cumsum(out=sums[1:])
        inside: IntArray = sums[stop] - sums[first]
        return inside


def _mark(elements: list[int], allowed: BoolArray) -> BoolArray:
    """Return which elements are among *elements* and *allowed*. *Shapes:* ``(n,)`` twice"""
    marked = np.zeros(len(allowed), dtype=bool)
    marked[elements] = True
    marked &= allowed
    return marked
