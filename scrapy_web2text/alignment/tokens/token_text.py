"""Texts as tokens: words as numbers, by which a page and its clean text are aligned."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.alignment.joined import JoinedTexts
from scrapy_web2text.arrays import IntArray
from scrapy_web2text.features.character_classes import UNSPACED_SCRIPTS

__all__ = ["TokenText", "read_tokens"]


_UNSPACED: Final = "".join(f"{chr(low)}-{chr(high)}" for low, high in UNSPACED_SCRIPTS)
_TOKEN: Final = re.compile(rf"[{_UNSPACED}]|[^\W\d_{_UNSPACED}]+|\d+")
# Invisible characters: soft hyphens, joiners, direction marks, byte order marks.
_INVISIBLE: Final = dict.fromkeys((0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF))


@dataclass(frozen=True, slots=True, eq=False)
class TokenText(JoinedTexts):
    """Texts as tokens, one text after the other.

    :param tokens: the number of each token; equal numbers are equal tokens. *Shape:* ``(n,)``
    """

    tokens: IntArray

    @property
    def counts(self) -> IntArray:
        """Number of tokens of each text. *Shape:* ``(number of texts,)``"""
        return np.diff(self.starts)

    @property
    def owners(self) -> IntArray:
        """The text of each token. *Shape:* ``(n,)``"""
        return np.repeat(np.arange(len(self.counts)), self.counts)


def read_tokens(texts: Sequence[str], numbers: dict[str, int]) -> TokenText:
    """Return *texts* as tokens: runs of lowercased letters, runs of digits, and letters of scripts without spaces.

    :param numbers: the number of each token seen so far; new tokens are added.
    """
    tokens: list[int] = []
    starts = [0]
    for text in texts:
        words = _TOKEN.findall(_normalize(text))
        tokens.extend([numbers.setdefault(word, len(numbers)) for word in words])
        starts.append(len(tokens))
    return TokenText(np.array(starts, dtype=np.int64), np.array(tokens, dtype=np.int64))


def _normalize(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE))
    return text.lower()
