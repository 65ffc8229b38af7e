"""The characters of many texts as one array: the words among them, and hashes of any spans."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, BoolArray, IntArray, Uint16Array, UintArray
from scrapy_web2text.features.characters import CharacterClass, classes_in, lower_table
from scrapy_web2text.features.hashing import MULTIPLIER

_INVERSE: Final = pow(MULTIPLIER, -1, 1 << 64)
_N_POWERS: Final = 1 << 16  # that are kept


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """The c characters of k texts, one text after another, with a NUL before and after each.

    :param codes: code points, as bytes if all are Latin-1; each run of whitespace is one space. *Shape:* ``(c,)``
    :param classes: `CharacterClass` of each. *Shape:* ``(c,)``
    :param starts: first character of each text. *Shape:* ``(k,)``
    :param ends: one past the last character of each text. *Shape:* ``(k,)``
    """

    codes: AnyArray
    classes: Uint16Array
    starts: IntArray
    ends: IntArray

    def in_class(self, wanted: CharacterClass) -> BoolArray:
        """Return which characters are in one of the classes *wanted*. *Shape:* ``(c,)``"""
        is_wanted: BoolArray = self.classes & np.uint16(wanted) != 0
        return is_wanted

    def count(self, chosen: BoolArray) -> IntArray:
        """Return the number of *chosen* characters of each text. *Shapes:* ``(c,)`` -> ``(k,)``"""
        return self.count_positions(np.flatnonzero(chosen))

    def count_positions(self, positions: IntArray) -> IntArray:
        """Return how many of the ascending *positions* lie in each text. *Shapes:* any -> ``(k,)``"""
        counts: IntArray = np.searchsorted(positions, self.ends) - np.searchsorted(positions, self.starts)
        return counts

    def tokens(self) -> tuple[IntArray, IntArray]:
        """Return start and end of each word of any script, in order. *Shapes:* ``(t,)`` twice"""
        token, unspaced = CharacterClass.TOKEN, CharacterClass.UNSPACED
        starts, ends = find_runs(self.classes & np.uint16(token | unspaced) == token)
        alone = np.flatnonzero(self.in_class(unspaced))
        if not len(alone):
            return starts, ends
        starts = np.concatenate([starts, alone])
        order = np.argsort(starts, kind="stable")
        return starts[order], np.concatenate([ends, alone + 1])[order]


def join_texts(texts: list[str]) -> Characters:
    """Return the characters of *texts*, of which there is at least one and none is empty."""
    joined = "\0" + "\0".join(texts) + "\0"
    try:
        codes: AnyArray = np.frombuffer(joined.encode("latin-1"), dtype=np.uint8)
    except UnicodeEncodeError:
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    flags = classes_in(joined)[codes]
    is_space = flags & np.uint16(CharacterClass.WHITESPACE) != 0
    kept = ~is_space
    kept[1:] |= ~is_space[:-1]
    positions = np.flatnonzero(kept)  # indexing by positions is much faster than by a mask
    codes = np.where(is_space, codes.dtype.type(ord(" ")), codes)[positions]
    separators = np.flatnonzero(codes == 0)
    return Characters(codes, flags[positions], separators[:-1] + 1, separators[1:])


def lower_codes(codes: AnyArray) -> AnyArray:
    """Return the code points in lower case. *Shapes:* ``(c,)`` -> ``(c,)``"""
    table = lower_table()
    codes = codes.astype(np.uint32)  # those of Latin-1 are bytes
    return np.where(codes < len(table), table[np.minimum(codes, len(table) - 1)], codes)


def find_runs(mask: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the start and the end of each run of true values in *mask*. *Shapes:* ``(c,)`` -> ``(r,)`` twice

    :param mask: its last value is false, so that every run ends.
    """
    bounds = np.flatnonzero(np.diff(mask, prepend=False))
    return bounds[::2], bounds[1::2]


class SpanHasher:
    """Hashes any span of a text in constant time.

    :param codes: the code points of the text. *Shape:* ``(c,)``
    """

    def __init__(self, codes: AnyArray) -> None:
        n = len(codes) + 1
        self._sums = np.zeros(n, dtype=np.uint64)
        # In place and one after the other: of a long text, each of these arrays takes eight times its size.
        np.multiply(codes, _powers(MULTIPLIER, n)[: n - 1], out=self._sums[1:])
        np.cumsum(self._sums, out=self._sums)
        self._inverses = _powers(_INVERSE, n)

    def hash_spans(self, starts: IntArray, ends: IntArray) -> UintArray:
        """Return the hash of each span, equal to `hash_word` of its text. *Shapes:* ``(w,)``, ``(w,)`` -> ``(w,)``"""
        return (self._sums[ends] - self._sums[starts]) * self._inverses[starts]


def _powers(base: int, n: int) -> UintArray:
    """Return the powers of *base* modulo 2**64, from 0 on. *Shape:* ``(n or more,)``"""
    return _tabled_powers(base) if n <= _N_POWERS else _compute_powers(base, n)


@cache
def _tabled_powers(base: int) -> UintArray:
    return _compute_powers(base, _N_POWERS)


def _compute_powers(base: int, n: int) -> UintArray:
    powers = np.full(n, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, out=powers)
