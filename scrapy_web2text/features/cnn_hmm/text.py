"""Statistics of the texts of all leaves, by the rules of the authors' program: words of ASCII, stopwords as written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray, UintArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.texts import read_ascii_texts

__all__ = ["COUNTS", "TextStatistics", "text_statistics"]


# As in Java, `\b` knows the letters of all scripts here, and `\w` those of ASCII.
_EMAIL = re.compile(r"\b(?a:\w+@[\w.]+)")
_URL = re.compile(r"\b(?:https?|ftp)://(?a:[^\s/$.?#]\S*)\b")
_PUNCTUATION: Final = np.array([ord(character) for character in ".,?;:!"])
COUNTS: Final = tuple(
    """n_chars n_words n_word_chars n_stopwords n_capitals n_sentences n_punctuation n_digits has_copyright has_email
    has_url has_year""".split()
)


@dataclass(frozen=True, slots=True, eq=False)
class TextStatistics:
    """Counts over the trimmed texts of k leaves.

    ``n_chars`` are code points, at least 1. Words are runs of ASCII letters, digits and underscores; ``n_word_chars``
    is their total length. ``n_sentences`` is 1 + the number of gaps of whitespace between a sentence end and an
    uppercase letter. A ``has_…`` is 0 if there is none.

    :param counts: one row for each of `COUNTS`. *Shape:* ``(12, k)``
    :param ends: whether each ends with punctuation, and whether with a question mark. *Shape:* ``(2, k)``
    :param n_tokens: words of any script; in scripts without spaces each letter is one. *Shape:* ``(k,)``
    :param n_copies: leaves of the page with the same text, whitespace collapsed but not trimmed, itself included.
        *Shape:* ``(k,)``
    """

    counts: IntArray
    ends: BoolArray
    n_tokens: IntArray
    n_copies: IntArray


def text_statistics(texts: list[str]) -> TextStatistics:
    """Return the statistics of *texts*: at least one, each with a character other than whitespace."""
    read, last, hashes = read_ascii_texts(texts)
    counts = np.ascontiguousarray(read.T)
    # Looking for a character that every match contains is much faster than looking for a match.
    _match(counts[9], _EMAIL, texts)
    _match(counts[10], _URL, texts)
    return TextStatistics(
        counts=counts[: len(COUNTS)],
        ends=np.array([(last == _PUNCTUATION[:, None]).any(axis=0), last == ord("?")]),
        n_tokens=counts[len(COUNTS)],
        n_copies=_count_copies(hashes),
    )


def _count_copies(hashes: UintArray) -> IntArray:
    """Return how often each hash occurs. *Shapes:* ``(k,)`` -> ``(k,)``"""
    _, positions, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return counts[positions]


def _match(counts: IntArray, pattern: re.Pattern[str], texts: list[str]) -> None:
    """Replace positive *counts* by whether *pattern* matches the text. *Shape:* ``(k,)``"""
    check_time()
    for i in np.flatnonzero(counts).tolist():
        counts[i] = pattern.search(texts[i]) is not None
