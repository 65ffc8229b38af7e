"""The characters and words of many texts: counted by the compiled module if there is one that works, else in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scrapy_web2text.arrays import BoolArray, DoubleArray, IntArray, UintArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.compiled import load_compiled
from scrapy_web2text.features import python_texts
from scrapy_web2text.features.python_texts import token_lengths

__all__ = [
    "TEXTS",
    "TEXT_COUNTS",
    "TextReading",
    "WordMeasures",
    "count_among",
    "count_between_spaces",
    "measure_words",
    "read_ascii_texts",
    "read_texts",
    "token_lengths",
]

TEXTS: Final = load_compiled("scrapy_web2text.features._texts", python_texts)
# The counts of a text, in the order of the columns.
TEXT_COUNTS: Final = (
    *("chars", "words", "letters", "upper", "digits", "marks", "commas", "full_stops", "currency"),
    *("copyrights", "bars", "ats"),
)


@dataclass(frozen=True, slots=True, eq=False)
class TextReading:
    """What is known of k texts with t words.

    :param counts: columns `TEXT_COUNTS`; see `python_texts.read_texts`. *Shape:* ``(k, 12)``
    :param edges: `CharacterClass` of the first character that is not whitespace, and of the last; code point of the
        last. *Shape:* ``(k, 3)``
    :param hashes: 64-bit hash of each word in lower case, equal to `hash_word`. *Shape:* ``(t,)``
    """

    counts: IntArray
    edges: IntArray
    hashes: UintArray

    @property
    def n_words(self) -> IntArray:
        """Number of words of each text; in scripts without spaces each letter is one. *Shape:* ``(k,)``"""
        return self.counts[:, 1]


@dataclass(frozen=True, slots=True, eq=False)
class WordMeasures:
    """Measures of the words of n blocks; each array of *Shape:* ``(n,)``.

    :param commonness: sum of the commonness of the words: the logarithm of the frequency of a word on the page, between
        0 and 1. It is high for the function words of any language.
    :param n_shared: number of words, stopwords aside, that another long block contains: the blocks of a story share its
        vocabulary.
    :param keys: one number for all words of the block, in order.
    """

    n_stopwords: DoubleArray
    commonness: DoubleArray
    n_shared: DoubleArray
    keys: UintArray


def read_texts(texts: list[str]) -> TextReading:
    """Return what is known of *texts*, of which there is at least one; none is empty or contains a NUL."""
    check_time()
    return TextReading(*TEXTS.read_texts(texts))


def read_ascii_texts(texts: list[str]) -> tuple[IntArray, IntArray, UintArray]:
    """Return the result of `python_texts.read_ascii_texts`."""
    check_time()
    counts, last, hashes = TEXTS.read_ascii_texts(texts)
    return counts, last, hashes


def count_between_spaces(texts: list[str]) -> tuple[IntArray, IntArray]:
    """Return the result of `python_texts.count_between_spaces`."""
    check_time()
    n_tokens, n_words = TEXTS.count_between_spaces(texts)
    return n_tokens, n_words


def measure_words(hashes: UintArray, bounds: IntArray, is_long: BoolArray) -> WordMeasures:
    """Return the measures of the words of blocks; `python_texts.measure_words` has the parameters."""
    check_time()
    return WordMeasures(*TEXTS.measure_words(hashes, bounds, is_long))


def count_among(hashes: UintArray, starts: IntArray, ends: IntArray, wanted: UintArray) -> IntArray:
    """Return the result of `python_texts.count_among`."""
    check_time()
    counts: IntArray = TEXTS.count_among(hashes, starts, ends, wanted)
    return counts
