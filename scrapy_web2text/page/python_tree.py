"""Loops over the elements of a page in preorder; ``_tree.pxi`` does the same, compiled."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray, UintArray
from scrapy_web2text.budget import check_time, watched

__all__ = [
    "NAME_FACTOR",
    "TAG_FACTOR",
    "climb",
    "collapse",
    "count_enclosing",
    "cut_blocks",
    "hash_paths",
    "leaf_ranges",
    "preorder_parents",
    "unite_above",
]

# Odd numbers of random bits: sums and products with them are spread over all 64-bit numbers.
TAG_FACTOR: Final = np.uint64(0xC2B2AE3D27D4EB4F)
NAME_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)


def unite_above(bits: IntArray, parents: IntArray) -> IntArray:
    """Return the bitwise union of *bits* over each element and all above it. *Shapes:* ``(n,)`` each

    :param parents: the parent of each element, -1 for the first.
    """
    united: list[int] = bits.tolist()
    above: list[int] = parents.tolist()
    for i in watched(range(1, len(united))):
        united[i] |= united[above[i]]
    return np.array(united, dtype=np.int64)


def count_enclosing(elements: BoolArray, open_slots: IntArray, close_slots: IntArray) -> IntArray:
    """Return the number of the chosen *elements* around each slot. *Shapes:* ``(n,)`` -> ``(2n,)``"""
    steps = np.zeros(2 * len(elements), dtype=np.int64)
    (chosen,) = elements.nonzero()
    steps[open_slots[chosen]] = 1
    steps[close_slots[chosen]] = -1
    return steps.cumsum()


def leaf_ranges(slots: IntArray, open_slots: IntArray, close_slots: IntArray) -> tuple[IntArray, IntArray]:
    """Return the range of the leaves at *slots* inside each element, as positions in *slots*. *Shapes:* ``(n,)`` twice

    The range of element i is from ``first[i]`` up to, but not including, ``stop[i]``.
    """
    has_leaf = np.zeros(2 * len(open_slots) + 1, dtype=np.int64)
    has_leaf[slots + 1] = 1
    n_before = has_leaf.cumsum()
    return n_before[open_slots], n_before[close_slots]


def climb(elements: IntArray, parents: IntArray, passed: BoolArray) -> IntArray:
    """Return the first element at or above each of *elements* that is not *passed*; the page's first if all are.

    *Shapes:* elements ``(k,)``, parents ``(n,)``, passed ``(n,)`` -> ``(k,)``
    """
    elements = elements.copy()
    while True:
        check_time()
        moving = passed[elements] & (elements > 0)
        if not moving.any():
            return elements
        elements[moving] = parents[elements[moving]]


def cut_blocks(
    dropped: BoolArray,
    joining: BoolArray,
    only_starts: bool,
    slot_elements: IntArray,
    open_slots: IntArray,
    leaf_slots: IntArray,
) -> tuple[IntArray, IntArray]:
    """Return the fields of the `BlockSequence` of a page: the kept leaves, and the position of the first of each block.

    :param dropped: whether each element is dropped with its subtree. *Shape:* ``(n,)``
    :param joining: whether a block continues across the tags of each element. *Shape:* ``(n,)``
    :param only_starts: whether only start tags separate blocks.
    """
    slots = np.arange(len(slot_elements))
    is_start = open_slots[slot_elements] == slots
    steps = dropped[slot_elements] * np.where(is_start, 1, -1)
    leaves = np.flatnonzero(steps.cumsum()[leaf_slots] == 0)
    separates = ~joining[slot_elements]
    if only_starts:
        separates &= is_start
    # Two leaves are in different blocks if a separating tag opens or closes between them.
    before = separates.cumsum()[leaf_slots[leaves]]
    return leaves, np.flatnonzero(np.diff(before, prepend=-1))


def hash_paths(
    tags: IntArray, names: UintArray, open_slots: IntArray, close_slots: IntArray, elements: IntArray
) -> UintArray:
    """Return two hashes of the path of each of *elements*: of its tags, and of its tags and names. *Shape:* ``(2, k)``

    A path is an element and all above it.

    :param names: a hash for each element of the page. *Shape:* ``(n,)``, like that of the fields of `Page`
    """
    keys = np.empty((2, len(tags)), dtype=np.uint64)
    keys[:] = (tags.astype(np.uint64) + np.uint64(1)) * TAG_FACTOR
    keys[1] ^= names * NAME_FACTOR
    depths = 2 * np.arange(len(tags)) - open_slots
    keys *= 2 * depths.astype(np.uint64) + np.uint64(1)
    check_time()
    steps = np.zeros((2, 2 * len(tags)), dtype=np.uint64)
    steps[:, open_slots] = keys
    steps[:, close_slots] = np.negative(keys)
    check_time()
    np.cumsum(steps, axis=1, out=steps)
    hashes: UintArray = steps[:, open_slots[elements]]
    return hashes


def collapse(first: IntArray, stop: IntArray, leaf_blocks: IntArray, passed: BoolArray, k: int) -> dict[str, Any]:
    """Return the fields of the `Cdom` over k blocks, by name.

    :param first: first leaf of each element. *Shape:* ``(n,)``
    :param stop: one past the last leaf of each element. *Shape:* ``(n,)``
    :param leaf_blocks: the block of each leaf. *Shape:* ``(number of leaves,)``
    :param passed: whether each element is left out. *Shape:* ``(n,)``
    """
    chain_elements = np.flatnonzero((first < stop) & ~passed)
    first, stop = leaf_blocks[first[chain_elements]], leaf_blocks[stop[chain_elements] - 1] + 1

    # In preorder the elements with equal intervals are consecutive: a chain.
    is_top = np.ones(len(chain_elements), dtype=bool)
    is_top[1:] = (np.diff(first) != 0) | (np.diff(stop) != 0)
    starts = np.flatnonzero(is_top)
    chains = np.stack([starts, np.append(starts, len(chain_elements))[1:]], axis=1)
    chain_first, chain_stop = first[starts], stop[starts]
    is_inner = chain_stop - chain_first > 1

    check_time()
    leaf_chains = np.zeros((k, 2), dtype=np.int64)
    leaf_chains[chain_first[~is_inner]] = chains[~is_inner]
    node_first, node_stop = chain_first[is_inner], chain_stop[is_inner]
    node_depths, node_parents = _nest(node_first, node_stop)
    leaf_parents = _leaf_parents(k, node_first, node_stop, node_depths)
    return {
        "chain_elements": chain_elements,
        "node_chains": chains[is_inner],
        "leaf_chains": leaf_chains,
        "first_leaves": node_first,
        "last_leaves": node_stop - 1,
        "node_parents": node_parents,
        "node_depths": node_depths,
        "leaf_parents": leaf_parents,
        "common_ancestors": _common_ancestors(leaf_parents, node_stop, node_parents),
    }


def preorder_parents(depths: IntArray) -> IntArray:
    """Return the parent of each node of a tree in preorder, -1 for roots. *Shapes:* ``(n,)`` -> ``(n,)``"""
    # The parent of a node is the last node before it that is one level higher.
    base = len(depths) + 1
    keys = depths * base + np.arange(len(depths))
    by_level = np.sort(keys)
    parents: IntArray = by_level[np.searchsorted(by_level, keys - base) - 1] % base
    parents[depths == 0] = -1
    return parents


def _nest(first: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
    """Return depths and parents of nested intervals in preorder. *Shapes:* ``(g,)`` each"""
    depths = np.arange(len(first)) - np.searchsorted(np.sort(stop), first, side="right")
    return depths, preorder_parents(depths)


def _leaf_parents(n_leaves: int, first: IntArray, stop: IntArray, depths: IntArray) -> IntArray:
    """Return the innermost interval around each leaf, -1 for none. *Shape:* ``(n_leaves,)``"""
    leaves = np.arange(n_leaves)
    n_begun = np.searchsorted(first, leaves, side="right")
    n_around = n_begun - np.searchsorted(np.sort(stop), leaves, side="right")
    # The innermost interval around a leaf is the last that has begun on the deepest level that is open there.
    base = len(first) + 1
    keys = np.sort(depths * base + np.arange(len(first)))
    found = np.searchsorted(keys, (n_around - 1) * base + n_begun) - 1
    if not len(keys):
        return np.full(n_leaves, -1)
    parents: IntArray = np.where(n_around > 0, keys[found] % base, -1)
    return parents


def _common_ancestors(leaf_parents: IntArray, node_stop: IntArray, node_parents: IntArray) -> IntArray:
    """Return the lowest node above each pair of neighboring leaves. *Shape:* ``(max(k - 1, 0),)``"""
    # Leaf i and the next one meet in the parent of the highest node (or leaf) that ends with leaf i.
    ancestors: IntArray = leaf_parents[:-1].copy()
    ends_earlier = np.flatnonzero(node_stop[1:] < node_stop[node_parents[1:]]) + 1
    ancestors[node_stop[ends_earlier] - 1] = node_parents[ends_earlier]
    return ancestors
