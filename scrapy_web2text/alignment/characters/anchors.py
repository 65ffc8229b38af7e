"""Stretches of two texts that surely belong together, found by runs of characters that occur only once."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

import numpy as np

from scrapy_web2text.alignment.characters.symbols import MASK, Symbols
from scrapy_web2text.arrays import BoolArray, Int32Array, IntArray, UintArray

__all__ = ["find_matches"]


_BASE: Final = 0x9E3779B97F4A7C15
_SHIFT: Final = np.uint64(32)
# A match is grown by at most so many characters on each side; a bound on the work for texts that repeat themselves.
_MAX_GROWTH: Final = 4096
_MAX_COMPARED: Final = 1 << 20
_MAX_SLOT_BITS: Final = 24


def find_matches(source: Symbols, clean: Symbols, length: int) -> IntArray:
    """Return the heaviest chain of matches in ascending order: start in the source, start in the clean text, length.

    A match is made of anchors, runs of *length* equal characters that occur once in the source and lie in one leaf, and
    is grown to both sides while the characters differ in their case at most. Matches of a chain do not overlap.

    *Shape:* ``(number of matches, 3)``
    """
    in_source, in_clean = _find_anchors(source.codes, clean.codes, length)
    if not len(in_source):
        return np.empty((0, 3), dtype=np.int64)
    matches = _anchors_to_matches(in_source, in_clean, length)
    return _heaviest_chain(_grow(matches, source.folded, clean.folded), length)


def _find_anchors(source: Int32Array, clean: Int32Array, length: int) -> tuple[IntArray, IntArray]:
    """Return where each anchor starts in the source and in the clean text. *Shapes:* ``(number of anchors,)``"""
    positions = np.flatnonzero(source != MASK)
    hashes = _hash_runs(source[positions], length)
    wanted = _hash_runs(clean, length)
    order = np.flatnonzero(_may_contain(wanted, hashes))
    order = order[np.argsort(hashes[order])]
    if not len(order):
        return order, order
    hashes = hashes[order]
    differs = np.ones(len(hashes) + 1, dtype=bool)
    differs[1:-1] = hashes[1:] != hashes[:-1]
    is_single = differs[1:] & differs[:-1]
    in_clean = np.argsort(wanted)  # sorted questions are answered several times faster
    wanted = wanted[in_clean]
    found = np.minimum(np.searchsorted(hashes, wanted), len(hashes) - 1)
    is_anchor = (hashes[found] == wanted) & is_single[found]
    firsts = order[found[is_anchor]]
    in_source, in_clean = positions[firsts], in_clean[is_anchor]
    in_one_leaf = positions[firsts + length - 1] - in_source == length - 1
    return in_source[in_one_leaf], in_clean[in_one_leaf]


def _hash_runs(codes: Int32Array, length: int) -> UintArray:
    """Return a 64-bit hash of each run of *length* codes. *Shapes:* ``(n,)`` -> ``(max(n - length + 1, 0),)``"""
    values = _polynomials(codes.astype(np.uint64), length)
    hashes: UintArray = values ^ (values >> _SHIFT)
    return hashes


def _polynomials(values: UintArray, length: int) -> UintArray:
    """Return the value, modulo 2**64, of the polynomial with each run of *length* values as its coefficients."""
    if length == 1:
        return values
    half = length // 2
    halves = _polynomials(values, half)
    n = max(len(values) - length + 1, 0)
    hashes: UintArray = halves[:n] * np.uint64(pow(_BASE, half, 1 << 64))
    hashes += halves[half : half + n]
    if length % 2:
        hashes *= np.uint64(_BASE)
        hashes += values[length - 1 :]
    return hashes


def _may_contain(wanted: UintArray, hashes: UintArray) -> BoolArray:
    """Return False for *hashes* that are surely none of the *wanted*, to keep them from being sorted."""
    n_slots = 1 << min(len(wanted).bit_length() + 2, _MAX_SLOT_BITS)
    slots = np.zeros(n_slots, dtype=bool)
    slots[wanted % np.uint64(n_slots)] = True
    result: BoolArray = slots[hashes % np.uint64(n_slots)]
    return result


def _anchors_to_matches(in_source: IntArray, in_clean: IntArray, length: int) -> IntArray:
    """Return the stretches that anchors without a character between them cover, ordered by shift and start."""
    shifts = in_source - in_clean
    order = np.lexsort((in_clean, shifts))
    in_source, in_clean, shifts = in_source[order], in_clean[order], shifts[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (np.diff(shifts) != 0) | (np.diff(in_clean) > length)
    firsts = np.flatnonzero(begins)
    lasts = np.append(firsts[1:], len(order)) - 1
    return np.stack([in_source[firsts], in_clean[firsts], in_clean[lasts] + length - in_clean[firsts]], axis=1)


def _grow(matches: IntArray, source: Int32Array, clean: Int32Array) -> IntArray:
    """Return *matches* grown to both sides, but not over another match of the same shift."""
    in_source, in_clean, lengths = matches.T.copy()
    same_shift = np.diff(in_source - in_clean) == 0
    room = np.minimum(np.minimum(len(source) - in_source, len(clean) - in_clean) - lengths, _MAX_GROWTH)
    ahead = in_clean[1:] - (in_clean + lengths)[:-1]
    room[:-1] = np.where(same_shift, np.minimum(room[:-1], ahead), room[:-1])
    lengths += _common_lengths(source, in_source + lengths, clean, in_clean + lengths, room)
    room = np.minimum(np.minimum(in_source, in_clean), _MAX_GROWTH)
    behind = in_clean[1:] - (in_clean + lengths)[:-1]
    room[1:] = np.where(same_shift, np.minimum(room[1:], behind), room[1:])
    n, m = len(source), len(clean)
    growth = _common_lengths(source[::-1], n - in_source, clean[::-1], m - in_clean, room)
    return np.stack([in_source - growth, in_clean - growth, lengths + growth], axis=1)


def _common_lengths(
    source: Int32Array, in_source: IntArray, clean: Int32Array, in_clean: IntArray, room: IntArray
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
        equal = source[(in_source[active, None] + offsets)] == clean[(in_clean[active, None] + offsets)]
        equal &= inside
        n_equal = np.where(equal.all(axis=1), step, np.argmin(equal, axis=1))
        lengths[active] += n_equal
        active = active[n_equal == step]
    return lengths


def _heaviest_chain(matches: IntArray, length: int) -> IntArray:
    """Return the matches, ascending on both sides, that have the most characters together.

    Neighbours may overlap by less than an anchor's *length*; then the second one is cut.
    """
    slack = np.minimum(matches[:, 2] - length, length - 1)
    matches = matches[np.argsort(matches[:, 0] + slack)]
    slack = np.minimum(matches[:, 2] - length, length - 1)
    entries = (matches[:, :2] + slack[:, None]).tolist()
    exits = (matches[:, :2] + matches[:, 2:]).tolist()
    weights = matches[:, 2].tolist()
    previous = [-1] * len(weights)
    # Of the chains whose source part is behind us: where in the clean text they end, ascending, and their weights,
    # ascending too, since a lighter chain that ends later is of no use.
    ends, totals, owners = [0], [0], [-1]
    by_exit = sorted(range(len(weights)), key=lambda i: exits[i])
    n_passed = 0
    for i, (source_entry, clean_entry) in enumerate(entries):
        while n_passed < len(by_exit) and exits[by_exit[n_passed]][0] <= source_entry:
            passed = by_exit[n_passed]
            _add_chain(ends, totals, owners, (exits[passed][1], weights[passed], passed))
            n_passed += 1
        best = bisect_right(ends, clean_entry) - 1
        previous[i] = owners[best]
        weights[i] += totals[best]  # from here on the weight of the whole chain
    chain = []
    last = max(range(len(weights)), key=weights.__getitem__)
    while last >= 0:
        chain.append(last)
        last = previous[last]
    return _cut_overlaps(matches[chain[::-1]])


def _add_chain(ends: list[int], totals: list[int], owners: list[int], chain: tuple[int, int, int]) -> None:
    end, total, owner = chain
    at = bisect_right(ends, end)
    if totals[at - 1] >= total:
        return
    if ends[at - 1] == end:
        at -= 1
    stop = bisect_right(totals, total, lo=at)
    ends[at:stop], totals[at:stop], owners[at:stop] = [end], [total], [owner]


def _cut_overlaps(chain: IntArray) -> IntArray:
    chain_ends = chain[:-1, :2] + chain[:-1, 2:]
    overlaps = np.maximum((chain_ends - chain[1:, :2]).max(axis=1, initial=0), 0)
    chain[1:, :2] += overlaps[:, None]
    chain[1:, 2] -= overlaps
    return chain
