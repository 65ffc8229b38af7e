"""Texts as arrays of symbols: their characters without whitespace, or their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from scrapy_web2text.alignment.joined import JoinedTexts
from scrapy_web2text.arrays import BoolArray, Int32Array, IntArray

__all__ = ["MASK", "Symbols", "Text", "read_texts", "text_to_words"]


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

    def count_characters(self) -> IntArray:
        """Return the number of characters of each text. *Shape:* ``(number of texts,)``"""
        return self.count(self.characters.codes != MASK)


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
