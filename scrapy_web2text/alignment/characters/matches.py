"""Matches of characters: anchors inside a leaf, extended while the characters differ at most in case."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.alignment.chains import find_heaviest_chain
from scrapy_web2text.alignment.characters.symbols import MASK, Symbols
from scrapy_web2text.alignment.runs import find_anchors, join_anchors
from scrapy_web2text.arrays import Int32Array, IntArray

__all__ = ["find_matches"]


# A match grows by at most this many characters on each side, which bounds the work for texts that repeat themselves.
_MAX_GROWTH: Final = 4096
_MAX_COMPARED: Final = 1 << 20


def find_matches(page: Symbols, clean: Symbols, length: int) -> IntArray:
    """Return the heaviest chain of matches in ascending order: start in the page, start in the clean text, length.

    An anchor is a run of *length* characters that both texts share, that occurs once in the page and lies in one leaf.
    Matches of the chain do not overlap.

    *Shape:* ``(number of matches, 3)``
    """
    matches = join_anchors(*_find_anchors_in_leaves(page.codes, clean.codes, length), length)
    return _chain(_grow(matches, page.folded, clean.folded), length)


def _find_anchors_in_leaves(page: Int32Array, clean: Int32Array, length: int) -> tuple[IntArray, IntArray]:
    """Return the starts of each anchor in the page and in the clean text. *Shapes:* ``(number of anchors,)`` twice"""
    positions = np.flatnonzero(page != MASK)
    firsts, in_clean = find_anchors(page[positions], clean, length)
    in_page = positions[firsts]
    in_one_leaf = positions[firsts + length - 1] - in_page == length - 1
    return in_page[in_one_leaf], in_clean[in_one_leaf]


def _grow(matches: IntArray, page: Int32Array, clean: Int32Array) -> IntArray:
    """Return *matches* extended on both sides, but not into another match of the same shift.

    :param matches: the result of `join_anchors`. *Shape:* ``(number of matches, 3)``, as the result
    :param page: folded characters of the page. *Shape:* ``(n,)``
    :param clean: folded characters of the clean text. *Shape:* ``(m,)``
    """
    in_page, in_clean, lengths = matches.T.copy()
    same_shift = np.diff(in_page - in_clean) == 0
    room = np.minimum(np.minimum(len(page) - in_page, len(clean) - in_clean) - lengths, _MAX_GROWTH)
    distances = in_clean[1:] - (in_clean + lengths)[:-1]
    room[:-1] = np.where(same_shift, np.minimum(room[:-1], distances), room[:-1])
    lengths += _common_lengths(page, in_page + lengths, clean, in_clean + lengths, room)
    room = np.minimum(np.minimum(in_page, in_clean), _MAX_GROWTH)
    distances = in_clean[1:] - (in_clean + lengths)[:-1]
    room[1:] = np.where(same_shift, np.minimum(room[1:], distances), room[1:])
    n, m = len(page), len(clean)
    growth = _common_lengths(page[::-1], n - in_page, clean[::-1], m - in_clean, room)
    return np.stack([in_page - growth, in_clean - growth, lengths + growth], axis=1)


def _common_lengths(
    page: Int32Array, in_page: IntArray, clean: Int32Array, in_clean: IntArray, room: IntArray
) -> IntArray:
    """Return how many equal characters follow each pair of positions, at most *room*. *Shapes:* ``(q,)`` -> ``(q,)``"""
    lengths = np.zeros(len(room), dtype=np.int64)
    active = np.flatnonzero(room > 0)
    step = 8
    while len(active):
        step = max(min(2 * step, _MAX_COMPARED // len(active)), 1)
        offsets = lengths[active, None] + np.arange(step)
        inside = offsets < room[active, None]
        offsets[~inside] = 0
        equal = page[(in_page[active, None] + offsets)] == clean[(in_clean[active, None] + offsets)]
        equal &= inside
        n_equal = np.where(equal.all(axis=1), step, np.argmin(equal, axis=1))
        lengths[active] += n_equal
        active = active[n_equal == step]
    return lengths


def _chain(matches: IntArray, length: int) -> IntArray:
    """Return the heaviest chain of *matches*, each of which weighs its full length.

    Neighbors may overlap by less than the *length* of an anchor if at least that much of the later one remains: its
    beginning is cut off.

    *Shapes:* ``(number of matches, 3)`` -> ``(number of matches in the chain, 3)``
    """
    slack = np.minimum(matches[:, 2] - length, length - 1)
    order = np.argsort(matches[:, 0] + slack, kind="stable")
    matches, slack = matches[order], slack[order]
    begins, ends = matches[:, :2] + slack[:, None], matches[:, :2] + matches[:, 2:]
    chain = matches[find_heaviest_chain(begins, ends, matches[:, 2])]
    chain_ends = chain[:-1, :2] + chain[:-1, 2:]
    overlaps = np.maximum((chain_ends - chain[1:, :2]).max(axis=1, initial=0), 0)
    chain[1:, :2] += overlaps[:, None]
    chain[1:, 2] -= overlaps
    return chain
