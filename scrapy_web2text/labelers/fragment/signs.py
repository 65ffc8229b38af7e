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
    find_share_targets,
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
    columns: list[tuple[list[int], list[str]]] = [([], []) for _ in _READERS]
    owners, numbers, values = page.attribute_values(np.arange(page.n_elements), _NUMBERS)
    for i, number, value in watched(zip(owners, numbers, values, strict=True), len(owners)):
        column = columns[number]
        column[0].append(i)
        column[1].append(value)
    for read, column in zip(_READERS, columns, strict=True):
        if column[0]:
            read(signs, *column)
    signs.openers.difference_update(signs.menus)
    signs.hidden.update({*np.flatnonzero(page.tags_in({"dialog"})).tolist()}.difference(signs.open))
    of_id = {name: i for i, name in signs.ids.items() if i in signs.hidden}
    # A hidden answer that its question opens is read, too.
    signs.hidden.difference_update(of_id[name] for name in of_id.keys() & signs.opened_ids)
    return signs


# The values of an attribute, each with its element. Most say nothing, which is seen in all of them at once.


def _read_classes(signs: Signs, owners: list[int], values: list[str]) -> None:
    values = [value[:_LONGEST] for value in values]
    if not _CLASS_NAMES.isdisjoint("\n".join(values).split()):  # rarely
        for i, value in watched(zip(owners, values, strict=True), len(owners)):
            names = value.split()
            if not UNSEEN_NAMES.isdisjoint(names):
                signs.hidden.add(i)
            if not PLUGIN_NAMES.isdisjoint(names):
                signs.plugins.append(i)
            if not LINK_NAMES.isdisjoint(names):
                signs.links.append(i)
    _read_sharing(signs, owners, values)


def _read_ids(signs: Signs, owners: list[int], values: list[str]) -> None:
    signs.ids.update(zip(owners, values, strict=True))
    _read_sharing(signs, owners, [value[:_LONGEST] for value in values])


def _read_sharing(signs: Signs, owners: list[int], values: list[str]) -> None:
    folded = "\n".join(values).lower()  # each of the words has one of three beginnings, which hardly any names have
    if "shar" in folded or "social" in folded or "follow" in folded:
        rows = watched(zip(owners, values, strict=True), len(owners))
        signs.links += [i for i, value in rows if _is_about_sharing(value)]


def _read_addresses(signs: Signs, owners: list[int], values: list[str]) -> None:
    signs.opened_ids.update([value[1:_LONGEST] for value in watched(values) if value[:1] == "#"])
    rows = watched(zip(owners, values, strict=True), len(owners))
    away = [(i, value[:_LONGEST]) for i, value in rows if value and value[0] != "#"]
    signs.leading_away += [i for i, _ in away]
    is_target = find_share_targets([value for _, value in away])
    signs.shares += [i for i, value in watched(away) if value in is_target]


def _read_styles(signs: Signs, owners: list[int], values: list[str]) -> None:
    rows = watched(zip(owners, values, strict=True), len(owners))
    signs.hidden.update([i for i, value in rows if _HIDING_STYLE.search(value[:_LONGEST])])


def _read_roles(signs: Signs, owners: list[int], values: list[str]) -> None:
    rows = watched(zip(owners, values, strict=True), len(owners))
    signs.frames += [i for i, value in rows if value[:_LONGEST].lower() in _ROLES]


def _read_controlled(signs: Signs, owners: list[int], values: list[str]) -> None:
    signs.openers.update(owners)
    _read_opened(signs, owners, values)


def _read_opened(signs: Signs, _: list[int], values: list[str]) -> None:
    signs.opened_ids.update(name for value in watched(values) for name in value[:_LONGEST].replace("#", " ").split())


def _is_about_sharing(names: str) -> bool:
    return not SHARE_WORDS.isdisjoint(word.lower() for word in _WORD.findall(names))


_READ: Final[dict[str, Callable[[Signs, list[int], list[str]], object]]] = {
    "aria-controls": _read_controlled,
    "aria-expanded": lambda signs, owners, _: signs.openers.update(owners),
    "aria-haspopup": lambda signs, owners, _: signs.menus.extend(owners),
    "class": _read_classes,
    "data-bs-target": _read_opened,
    "data-target": _read_opened,
    "hidden": lambda signs, owners, _: signs.hidden.update(owners),
    "href": _read_addresses,
    "id": _read_ids,
    "open": lambda signs, owners, _: signs.open.extend(owners),
    "role": _read_roles,
    "style": _read_styles,
}
_NUMBERS: Final = {name: number for number, name in enumerate(_READ)}
_READERS: Final = (*_READ.values(),)
