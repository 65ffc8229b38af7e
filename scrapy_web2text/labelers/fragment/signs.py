"""What the attributes of the elements of a fragment say about them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from scrapy_web2text.budget import watched
from scrapy_web2text.labelers.fragment.phrases import (
    LINK_NAMES,
    PLUGIN_NAMES,
    SHARE_WORDS,
    UNSEEN_NAMES,
    is_share_target,
)
from scrapy_web2text.page.arrays import Page

__all__ = ["Signs", "read_signs"]

_HIDING_STYLE: Final = re.compile(r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ROLES: Final = frozenset({"menu", "menubar", "navigation", "search", "toolbar"})
_CLASS_NAMES: Final = UNSEEN_NAMES | PLUGIN_NAMES | LINK_NAMES
_LONGEST: Final = 300  # characters of an attribute that are read


@dataclass(slots=True)
class Signs:
    """The elements of a page with each sign, by their indices.

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


def read_signs(page: Page) -> Signs:
    """Return what the attributes of the elements of *page* say."""
    signs = Signs()
    owners, numbers, values = page.attribute_values(np.arange(page.n_elements), _NUMBERS)
    for i, number, value in watched(zip(owners, numbers, values, strict=True), len(owners)):
        _READERS[number](signs, i, value)
    signs.openers.difference_update(signs.menus)
    signs.hidden.update({*np.flatnonzero(page.tags_in({"dialog"})).tolist()}.difference(signs.open))
    of_id = {name: i for i, name in signs.ids.items() if i in signs.hidden}
    # A hidden answer that its question opens is read, too.
    signs.hidden.difference_update(of_id[name] for name in of_id.keys() & signs.opened_ids)
    return signs


def _read_class(signs: Signs, i: int, value: str) -> None:
    value = value[:_LONGEST]
    names = value.split()
    if not _CLASS_NAMES.isdisjoint(names):  # rarely
        if not UNSEEN_NAMES.isdisjoint(names):
            signs.hidden.add(i)
        if not PLUGIN_NAMES.isdisjoint(names):
            signs.plugins.append(i)
        if not LINK_NAMES.isdisjoint(names):
            signs.links.append(i)
    if _is_about_sharing(value):
        signs.links.append(i)


def _read_id(signs: Signs, i: int, value: str) -> None:
    signs.ids[i] = value
    if _is_about_sharing(value[:_LONGEST]):
        signs.links.append(i)


def _read_href(signs: Signs, i: int, value: str) -> None:
    if value.startswith("#"):
        signs.opened_ids.add(value[1:_LONGEST])
    elif value:
        signs.leading_away.append(i)
        if is_share_target(value[:_LONGEST]):
            signs.shares.append(i)


def _read_style(signs: Signs, i: int, value: str) -> None:
    if _HIDING_STYLE.search(value[:_LONGEST]):
        signs.hidden.add(i)


def _read_role(signs: Signs, i: int, value: str) -> None:
    if value[:_LONGEST].lower() in _ROLES:
        signs.frames.append(i)


def _read_controlled(signs: Signs, i: int, value: str) -> None:
    signs.openers.add(i)
    _read_opened(signs, i, value)


def _read_opened(signs: Signs, _: int, value: str) -> None:
    signs.opened_ids.update(value[:_LONGEST].replace("#", " ").split())


def _is_about_sharing(names: str) -> bool:
    folded = names.lower()  # each of the words has one of three beginnings, which hardly any names have
    if "shar" not in folded and "social" not in folded and "follow" not in folded:
        return False
    return not SHARE_WORDS.isdisjoint(word.lower() for word in _WORD.findall(names))


_READ: Final[dict[str, Callable[[Signs, int, str], object]]] = {
    "aria-controls": _read_controlled,
    "aria-expanded": lambda signs, i, _: signs.openers.add(i),
    "aria-haspopup": lambda signs, i, _: signs.menus.append(i),
    "class": _read_class,
    "data-bs-target": _read_opened,
    "data-target": _read_opened,
    "hidden": lambda signs, i, _: signs.hidden.add(i),
    "href": _read_href,
    "id": _read_id,
    "open": lambda signs, i, _: signs.open.append(i),
    "role": _read_role,
    "style": _read_style,
}
_NUMBERS: Final = {name: number for number, name in enumerate(_READ)}
_READERS: Final = (*_READ.values(),)
