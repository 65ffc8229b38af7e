"""Texts as arrays of symbols (their characters without whitespace, or their words), and the matches of characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from scrapy_web2text.alignment.anchors import find_anchors, find_heaviest_chain, join_anchors
from scrapy_web2text.alignment.gaps import JoinedTexts
from scrapy_web2text.common.arrays import BoolArray, Int32Array, IntArray

MASK: Final = -1  # the symbol between two leaves, which is equal to no other symbol
_LETTER_GAIN: Final = 3
_OTHER_GAIN: Final = 1


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """A sequence of n symbols as the alignment compares and scores them. *Shapes:* ``(n,)``

    :param codes: equal numbers are equal symbols, except for `MASK`.
    :param folded: equal numbers are symbols that differ at most in case.
    :param gains: score of a pair of equal symbols: 3 for each letter or digit, 1 for each other character.
    :param lengths: number of characters; also the score of a pair that differs in case.
    """

    codes: Int32Array
    folded: Int32Array
    gains: Int32Array
    lengths: Int32Array

    def __len__(self) -> int:
        return len(self.codes)

    def part(self, span: slice) -> Symbols:
        """Return the symbols in *span*."""
        return Symbols(self.codes[span], self.folded[span], self.gains[span], self.lengths[span])


@dataclass(frozen=True, slots=True, eq=False)
class Text(JoinedTexts):
    """Texts, one after the other, as n characters: without whitespace, with a mask between two texts.

    :param characters: the characters and masks.
    :param starts_word: whether a word, delimited by whitespace, or a mask starts here. *Shape:* ``(n,)``
    """

    characters: Symbols
    starts_word: BoolArray


def read_texts(texts: Sequence[str]) -> Text:
    """Return *texts* as characters without whitespace."""
    joined = "\n".join(texts) + "\n"
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.int32)
    bounds = np.cumsum([0] + [len(text) + 1 for text in texts])
    masks = bounds[1:-1] - 1
    distinct = sorted(set(joined))
    at = [ord(character) for character in distinct]
    tables = np.zeros((3, at[-1] + 1), dtype=np.int32)
    tables[0, at] = [character.isspace() for character in distinct]
    tables[1, at] = [_fold(character) for character in distinct]
    tables[2, at] = [_LETTER_GAIN if character.isalnum() else _OTHER_GAIN for character in distinct]
    kept = tables[0, points] == 0
    starts_word = np.ones(len(points), dtype=bool)
    starts_word[1:] = ~kept[:-1]
    kept[masks] = True
    is_mask = np.zeros(len(points), dtype=bool)
    is_mask[masks] = True
    is_mask, points = is_mask[kept], points[kept]
    characters = Symbols(
        codes=np.where(is_mask, np.int32(MASK), points),
        folded=np.where(is_mask, np.int32(MASK), tables[1, points]),
        gains=tables[2].astype(np.int8)[points],
        lengths=np.broadcast_to(np.int32(1), len(points)),
    )
    starts = np.concatenate([[0], np.cumsum(kept)])[bounds]
    return Text(starts, characters, starts_word[kept] | is_mask)


def _fold(character: str) -> int:
    lower = character.lower()
    return ord(lower if len(lower) == 1 else character)


def text_to_words(text: Text, span: slice, numbers: dict[bytes, int]) -> tuple[Symbols, IntArray]:
    """Return the w words of *text* in *span*, and where each starts, relative to the start of *span*.

    *Shape* of the starts: ``(w,)``

    :param span: a range of at least one character.
    :param numbers: the number of each word seen so far; new words are added.
    """
    part = text.characters.part(span)
    firsts = np.flatnonzero(text.starts_word[span])
    if not len(firsts) or firsts[0]:
        firsts = np.insert(firsts, 0, 0)
    codes = _number_words(part.codes, firsts, numbers)
    folded = _number_words(part.folded, firsts, numbers)
    gains = np.add.reduceat(part.gains, firsts, dtype=np.int32)
    lengths = np.add.reduceat(part.lengths, firsts, dtype=np.int32)
    return Symbols(codes, folded, gains, lengths), firsts


def _number_words(codes: Int32Array, firsts: IntArray, numbers: dict[bytes, int]) -> Int32Array:
    spans = pairwise([*firsts.tolist(), len(codes)])
    numbered = [numbers.setdefault(codes[start:end].tobytes(), len(numbers)) for start, end in spans]
    result = np.array(numbered, dtype=np.int32)
    result[codes[firsts] == MASK] = MASK
    return result


# A match grows by at most this many characters on each side, which bounds the work for texts that repeat themselves.
_MAX_GROWTH: Final = 4096


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
    lengths = room.copy()
    for i, (own, other, most) in enumerate(zip(in_page.tolist(), in_clean.tolist(), room.tolist(), strict=True)):
        differs = page[own : own + most] != clean[other : other + most]
        if differs.any():
            lengths[i] = differs.argmax()
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
