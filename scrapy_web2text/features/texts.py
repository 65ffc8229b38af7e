"""The characters and words of many texts: counted by the compiled module if there is one that works, else in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scrapy_web2text.arrays import BoolArray, IntArray, UintArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features import python_texts
from scrapy_web2text.features.python_texts import token_lengths
from scrapy_web2text.page.reader import load_compiled

__all__ = [
    "KERNEL",
    "TEXT_COUNTS",
    "TextReading",
    "count_among",
    "count_between_spaces",
    "read_texts",
    "relate_words",
    "token_lengths",
]

KERNEL: Final = load_compiled("scrapy_web2text.features._texts", python_texts)
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


def read_texts(texts: list[str]) -> TextReading:
    """Return what is known of *texts*, of which there is at least one; none is empty or contains a NUL."""
    check_time()
    return TextReading(*KERNEL.read_texts(texts))


def count_between_spaces(texts: list[str]) -> tuple[IntArray, IntArray]:
    """Return the result of `python_texts.count_between_spaces`."""
    check_time()
    n_tokens, n_words = KERNEL.count_between_spaces(texts)
    return n_tokens, n_words


def relate_words(
    numbers: IntArray, bounds: IntArray, is_long: BoolArray, is_counted: BoolArray, n_numbers: int
) -> tuple[IntArray, IntArray]:
    """Return the result of `python_texts.relate_words`."""
    check_time()
    frequencies, n_shared = KERNEL.relate_words(numbers, bounds, is_long, is_counted, n_numbers)
    return frequencies, n_shared


def count_among(hashes: UintArray, starts: IntArray, ends: IntArray, wanted: UintArray) -> IntArray:
    """Return the result of `python_texts.count_among`."""
    check_time()
    counts: IntArray = KERNEL.count_among(hashes, starts, ends, wanted)
    return counts
