"""The arrays of a page, read from lxml's elements.

`_reader.pyx` does the same for the nodes of libxml2, in a tenth of the time. It is optional, and judged by this module.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import attrgetter
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.budget import batches, check_time, watched
from scrapy_web2text.page.attributes import AttributeKind, hash_name
from scrapy_web2text.page.python_texts import collapse_texts, is_utf_8
from scrapy_web2text.page.python_tree import (
    climb,
    collapse,
    count_enclosing,
    cut_blocks,
    hash_paths,
    leaf_ranges,
    preorder_parents,
    unite_above,
)

__all__ = [
    "climb",
    "collapse",
    "collapse_texts",
    "count_enclosing",
    "cut_blocks",
    "hash_paths",
    "is_utf_8",
    "leaf_ranges",
    "mark_elements",
    "read_attributes",
    "read_nodes",
    "read_values",
    "unite_above",
]


def read_nodes(
    roots: Sequence[etree._Element],
    stray_texts: Mapping[int, str],
    number_of: Callable[[Any], int],
    tag_of_name: list[int],
    is_leaf: Callable[[str], bool],
    without_text: BoolArray,
    template: int,
) -> tuple[Sequence[etree._Element], dict[str, Any]]:
    """Return the elements of a page, and the fields of `Page` that are read from them, by name.

    :param roots: the root of the page, and the elements outside of it that count as its last children.
    :param stray_texts: texts after some of these, by their positions in *roots*, in place of those in the tree.
    :param number_of: function from the name of an element to its number; 0 is for comments and the like.
    :param tag_of_name: the tag of each of these numbers.
    :param is_leaf: function that says whether a text is more than whitespace.
    :param without_text: which tags have no text of their own, by number.
    :param template: number of the tag whose content is not part of the page.
    """
    elements, starts = _list_elements(roots)
    n = len(elements)
    child_counts = np.fromiter(map(len, elements), dtype=np.int64, count=n)
    child_counts[0] += len(roots) - 1
    check_time()
    names = np.fromiter(map(number_of, map(attrgetter("tag"), elements)), dtype=np.int64, count=n)
    tags = np.array(tag_of_name, dtype=np.int64)[names]
    check_time()
    indices = np.arange(n)
    ends = _subtree_ends(child_counts)
    depths = indices - np.cumsum(np.bincount(ends, minlength=n + 1))[:n]
    open_slots = 2 * indices - depths
    close_slots = open_slots + 2 * (ends - indices) - 1
    slot_elements = np.empty(2 * n, dtype=np.int64)
    slot_elements[open_slots] = indices
    slot_elements[close_slots] = indices

    # Reading the text of a script would copy all of it.
    slot_texts = _read_texts(elements, ~without_text[tags], open_slots, close_slots)
    for position, text in stray_texts.items():
        slot_texts[close_slots[starts[position]]] = text
    slot_texts[_inside(tags == template, open_slots, close_slots)] = None
    return elements, {
        "strays": np.array(starts[1:], dtype=np.int64),
        "name_numbers": names,
        "tags": tags,
        "parents": preorder_parents(depths),
        "ends": ends,
        "open_slots": open_slots,
        "close_slots": close_slots,
        "slot_elements": slot_elements,
        **_find_leaves(slot_texts, is_leaf),
    }


def _list_elements(roots: Sequence[etree._Element]) -> tuple[list[etree._Element], list[int]]:
    """Return the elements below *roots* in preorder, and the position of each root among them.

    The list keeps lxml's proxies alive: lxml climbs to the root whenever a proxy is deallocated.
    """
    elements: list[etree._Element] = []
    starts = []
    for root in watched(roots):
        starts.append(len(elements))
        for batch in batches(root.iter()):
            elements += batch
    return elements, starts


def _read_texts(
    elements: list[etree._Element], with_text: BoolArray, open_slots: IntArray, close_slots: IntArray
) -> NDArray[np.object_]:
    """Return the text at each slot, or None: that of elements *with_text*, and that after any element but the first.

    *Shapes:* ``(n,)`` -> ``(2n,)``
    """
    slot_texts: NDArray[np.object_] = np.full(2 * len(elements), None, dtype=object)
    check_time()
    slot_texts[open_slots[with_text]] = [e.text for e in compress(elements, with_text.tolist())]
    check_time()
    slot_texts[close_slots] = [e.tail for e in elements]
    check_time()
    slot_texts[close_slots[0]] = None  # text after the root is not part of the page
    return slot_texts


def _find_leaves(slot_texts: NDArray[np.object_], is_leaf: Callable[[str], bool]) -> dict[str, Any]:
    """Return the fields of `Page` that follow from the text at each slot. *Shape:* ``(2n,)``"""
    slot_has_text = np.fromiter(map(bool, slot_texts), dtype=bool, count=len(slot_texts))
    check_time()
    text_slots = np.flatnonzero(slot_has_text)
    texts = slot_texts[text_slots].tolist()
    leaves = [is_leaf(text) for text in texts]
    check_time()
    return {
        "slot_has_text": slot_has_text,
        "texts": list(compress(texts, leaves)),
        "leaf_slots": text_slots[leaves],
    }


def read_values(
    elements: Sequence[etree._Element], indices: IntArray, number_of: Callable[[str], int]
) -> tuple[list[int], list[int], list[str]]:
    """Return the attributes of the elements at *indices*: the index, the number of the name and the value of each.

    :param number_of: function from the name of an attribute to a number; attributes with -1 are left out.
    """
    owners: list[int] = []
    found: list[int] = []
    values: list[str] = []
    for i, number, _, value in _list_attributes(elements, indices, number_of):
        owners.append(i)
        found.append(number)
        values.append(value)
    return owners, found, values


def _list_attributes(
    elements: Sequence[etree._Element], indices: IntArray, number_of: Callable[[str], int]
) -> Iterator[tuple[int, int, str, str]]:
    """Yield the index, the number of the name, the name and the value of each attribute that is not left out."""
    for i in watched(indices.tolist()):
        element = elements[i]
        for name in element.keys():  # noqa: SIM118
            # lxml's `items` reads all values, in time quadratic in the number of attributes.
            number = number_of(name)
            if number >= 0:
                yield i, number, name, element.get(name)


def read_attributes(
    elements: Sequence[etree._Element],
    indices: IntArray,
    kind_of: Callable[[str], int],
    mark_of: Callable[[str, str], int],
) -> dict[str, Any]:
    """Return what the attributes of the elements at *indices* hold, as `Page.read_attributes` does.

    :param kind_of: function from the name of an attribute to its `AttributeKind`, -1 for one that is left out.
    :param mark_of: function from the name and the value of a `MARK` to bits.
    """
    n = len(elements)
    names: list[int] = []
    known: dict[str, list[int]] = {}  # many names are the same
    n_names, classes, marks = [0] * n, [0] * n, [0] * n
    for i, kind, name, value in _list_attributes(elements, indices, kind_of):
        if kind & AttributeKind.NAME:
            hashes = known.get(value)
            if hashes is None:
                hashes = known[value] = hash_name(value)
            names += hashes
            n_names[i] += len(hashes)
        if kind & AttributeKind.WHOLE:
            classes[i] = zlib.crc32(value.encode("utf-8", "replace")) + 1
        if kind & AttributeKind.MARK:
            marks[i] |= mark_of(name, value)
    return {
        "names": np.array(names, dtype=np.int64),
        "n_names": np.array(n_names, dtype=np.int64),
        "classes": np.array(classes, dtype=np.uint64),
        "marks": np.array(marks, dtype=np.int64),
    }


def mark_elements(elements: Sequence[etree._Element], found: Iterable[object]) -> BoolArray:
    """Return which of *elements* are in *found*, which may also hold texts and the like. *Shape:* ``(n,)``"""
    return np.fromiter(map({*found}.__contains__, elements), dtype=bool, count=len(elements))


def _subtree_ends(child_counts: IntArray) -> IntArray:
    """Return one past the last element of each subtree. *Shapes:* ``(n,)`` -> ``(n,)``"""
    n = len(child_counts)
    # pending[i] = number of elements from i on whose parent, if any, is before i. It falls by at most 1 with each
    # element, so the subtree of i ends at the first element where it is 1 less than at i.
    pending = np.ones(n + 1, dtype=np.int64)
    pending[1:] += np.cumsum(child_counts - 1)
    base = n + 2
    keys = np.sort(pending * base + np.arange(n + 1))
    ends: IntArray = keys[np.searchsorted(keys, (pending[:n] - 1) * base + np.arange(n))] % base
    return ends


def _inside(elements: BoolArray, open_slots: IntArray, close_slots: IntArray) -> BoolArray:
    """Return which slots are inside one of the chosen *elements*. *Shapes:* ``(n,)`` each -> ``(2n,)``"""
    steps = np.zeros(2 * len(open_slots), dtype=np.int64)
    if not elements.any():
        return steps > 0
    steps[open_slots[elements]] = 1
    steps[close_slots[elements]] = -1
    inside: BoolArray = np.cumsum(steps) > 0
    return inside
