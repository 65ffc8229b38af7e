"""Statistics of the texts of all leaves at once, from one array of characters.

The leaves are joined with a separator, runs of blanks become one space, and each character gets a set of flags from a
table. Words, sentences and copies of a text are then found with comparisons of neighbours and cumulative sums. What is
counted, and how, follows the authors' program, ASCII words and case-sensitive stopwords included.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.features.stopwords import MULTIPLIER, find_stopwords

__all__ = ["TextStatistics", "count_tokens", "text_statistics"]

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
FlagArray = NDArray[np.uint16]
UintArray = NDArray[np.uint64]

_WORD, _CAPITAL, _DIGIT, _PUNCTUATION, _SENTENCE_END = (1 << bit for bit in range(5))
_BLANK, _UPPER, _FOREIGN_WORD, _TOKEN, _BLANKLESS = (1 << bit for bit in range(5, 10))
_N_TABLED: Final = 0x10000
# Scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, kana, Han.
_BLANKLESS_SCRIPTS: Final = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x20000, 0x3FFFF),
)
_SPACE: Final = 0x20
_COPYRIGHT: Final = 0xA9
_QUESTION_MARK: Final = 0x3F
# `\b` knows all letters here, `\w` only ASCII ones, as in the regular expressions of Java.
_EMAIL = re.compile(r"\b(?a:\w+@[\w.]+)")
_URL = re.compile(r"\b(?:https?|ftp)://(?a:[^\s/$.?#]\S*)\b")


@dataclass(frozen=True, slots=True, eq=False)
class TextStatistics:
    """Counts over the trimmed texts of k leaves; all of *Shape:* ``(k,)``.

    :param n_chars: characters (code points), at least 1.
    :param n_words: runs of ASCII letters, digits and underscores; `n_word_chars` is their total length.
    :param n_sentences: pieces between a sentence end and an upper-case letter with blanks in between, at least 1.
    :param n_tokens: words of any script; where none has blanks, each letter is one.
    :param n_copies: leaves of the page with this very text, blanks collapsed but not trimmed, itself included.
    """

    n_chars: IntArray
    n_words: IntArray
    n_word_chars: IntArray
    n_stopwords: IntArray
    n_capitals: IntArray
    n_sentences: IntArray
    n_punctuation: IntArray
    n_digits: IntArray
    n_tokens: IntArray
    n_copies: IntArray
    ends_with_punctuation: BoolArray
    ends_with_question_mark: BoolArray
    has_copyright: BoolArray
    has_email: BoolArray
    has_url: BoolArray
    has_year: BoolArray


def text_statistics(texts: list[str]) -> TextStatistics:
    """Return the statistics of *texts*: at least one, none of them blank."""
    codes, flags, starts, ends = _collapse(texts)
    # Trimmed bounds: after collapsing, at most one space stands at either end.
    first = starts + (codes[starts] == _SPACE)
    last = ends - 1 - (codes[ends - 1] == _SPACE)
    word_starts, word_ends = _runs(flags & _WORD != 0)
    word_bounds = np.searchsorted(word_starts, np.append(starts, len(codes)))
    hasher = _SpanHasher(codes)

    def count_words(chosen: NDArray[Any]) -> IntArray:
        sums = np.zeros(len(chosen) + 1, dtype=np.int64)
        np.cumsum(chosen, out=sums[1:])
        return np.diff(sums[word_bounds])

    def count_chars(chosen: BoolArray) -> IntArray:
        positions = np.flatnonzero(chosen)
        counts: IntArray = np.searchsorted(positions, ends) - np.searchsorted(positions, starts)
        return counts

    # A sentence begins at an upper-case letter behind a blank behind a sentence end.
    begins = (flags[2:] & _UPPER != 0) & (codes[1:-1] == _SPACE) & (flags[:-2] & _SENTENCE_END != 0)
    return TextStatistics(
        n_chars=last + 1 - first,
        n_words=np.diff(word_bounds),
        n_word_chars=count_words(word_ends - word_starts),
        n_stopwords=count_words(find_stopwords(hasher.hash_spans(word_starts, word_ends))),
        n_capitals=count_words(flags[word_starts] & _CAPITAL != 0),
        n_sentences=1 + count_chars(np.concatenate([[False, False], begins])),
        n_punctuation=count_chars(flags & _PUNCTUATION != 0),
        n_digits=count_chars(flags & _DIGIT != 0),
        n_tokens=_count_tokens(flags, starts, ends),
        n_copies=_count_copies(hasher.hash_spans(starts, ends)),
        ends_with_punctuation=flags[last] & _PUNCTUATION != 0,
        ends_with_question_mark=codes[last] == _QUESTION_MARK,
        has_copyright=count_chars(codes == _COPYRIGHT) > 0,
        has_email=_matches(_EMAIL, "@", texts),
        has_url=_matches(_URL, "://", texts),
        has_year=count_words(_are_years(flags, word_starts, word_ends)) > 0,
    )


def count_tokens(texts: list[str]) -> IntArray:
    """Return the number of words in each of *texts*; in scripts without blanks each letter is one. *Shape:* ``(k,)``"""
    _, flags, starts, ends = _collapse(texts)
    return _count_tokens(flags, starts, ends)


def _count_tokens(flags: FlagArray, starts: IntArray, ends: IntArray) -> IntArray:
    positions = _runs(flags & (_TOKEN | _BLANKLESS) == _TOKEN)[0]
    blankless = np.flatnonzero(flags & _BLANKLESS)
    if len(blankless):
        positions = np.sort(np.concatenate([positions, blankless]))
    counts: IntArray = np.searchsorted(positions, ends) - np.searchsorted(positions, starts)
    return counts


def _runs(mask: BoolArray) -> tuple[IntArray, IntArray]:
    """Return where each run of true values begins, and where it has ended; the last value is false."""
    bounds = np.flatnonzero(np.diff(mask, prepend=False))
    return bounds[::2], bounds[1::2]


def _collapse(texts: list[str]) -> tuple[NDArray[Any], FlagArray, IntArray, IntArray]:
    """Return code points and flags of all texts, and the bounds of each. *Shapes:* ``(c,)`` twice, ``(k,)`` twice

    Runs of blanks have become one space, and a NUL, which no text holds, stands before, between and behind the texts.
    """
    joined = "\0" + "\0".join(texts) + "\0"
    try:
        codes: NDArray[Any] = np.frombuffer(joined.encode("latin-1"), dtype=np.uint8)
    except UnicodeEncodeError:
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    flags = _flags(codes)
    blank = flags & _BLANK != 0
    kept = ~blank
    kept[1:] |= ~blank[:-1]
    positions = np.flatnonzero(kept)  # much faster than a mask
    codes = np.where(blank, codes.dtype.type(_SPACE), codes)[positions]
    separators = np.flatnonzero(codes == 0)
    return codes, flags[positions], separators[:-1] + 1, separators[1:]


def _flags(codes: NDArray[Any]) -> FlagArray:
    """Return the character classes of code points, as bits. *Shapes:* ``(c,)`` -> ``(c,)``"""
    if codes.dtype == np.uint8:
        flags: FlagArray = _flag_table()[codes]
        return flags
    flags = _flag_table()[np.minimum(codes, _N_TABLED - 1)]
    beyond = np.flatnonzero(codes >= _N_TABLED)
    if len(beyond):
        distinct, positions = np.unique(codes[beyond], return_inverse=True)
        flags[beyond] = np.array([_classify(code) for code in distinct.tolist()], dtype=np.uint16)[positions]
    return flags


@cache
def _flag_table() -> FlagArray:
    return np.array([_classify(code) for code in range(_N_TABLED)], dtype=np.uint16)


def _classify(code: int) -> int:
    """Return the flags of one code point."""
    character = chr(code)
    category = unicodedata.category(character)
    is_word = character.isascii() and (character.isalnum() or character == "_")
    is_blankless = category[0] in "LM" and any(low <= code <= high for low, high in _BLANKLESS_SCRIPTS)
    return (
        _WORD * is_word
        | _CAPITAL * (is_word and character.isupper())
        | _DIGIT * character.isdecimal()
        | _PUNCTUATION * (character in ".,?;:!")
        | _SENTENCE_END * (character in ".?!;")
        | _BLANK * (0 < code <= _SPACE)
        | _UPPER * (category == "Lu")
        | _FOREIGN_WORD * (character.isalnum() and not is_word)
        | _TOKEN * (character.isalnum() or character == "_" or (category.startswith("M") and not is_blankless))
        | _BLANKLESS * (category.startswith("L") and is_blankless)
    )


class _SpanHasher:
    """Hashes of any spans of a text in constant time each, equal to `hash_word` of the span."""

    def __init__(self, codes: NDArray[Any]) -> None:
        powers, self._inverses = _powers(len(codes) + 1)
        self._sums = np.zeros(len(codes) + 1, dtype=np.uint64)
        np.cumsum(codes * powers[: len(codes)], out=self._sums[1:])

    def hash_spans(self, starts: IntArray, ends: IntArray) -> UintArray:
        """Return the hash of each span. *Shapes:* ``(w,)``, ``(w,)`` -> ``(w,)``"""
        return (self._sums[ends] - self._sums[starts]) * self._inverses[starts]


def _powers(n: int) -> tuple[UintArray, UintArray]:
    """Return at least *n* powers of the multiplier and of its inverse, modulo 2 to the 64th."""
    return _tabled_powers() if n <= _N_TABLED else _compute_powers(n)


@cache
def _tabled_powers() -> tuple[UintArray, UintArray]:
    return _compute_powers(_N_TABLED)


def _compute_powers(n: int) -> tuple[UintArray, UintArray]:
    def powers(base: int) -> UintArray:
        factors = np.full(n, base, dtype=np.uint64)
        factors[0] = 1
        return np.cumprod(factors)

    return powers(MULTIPLIER), powers(pow(MULTIPLIER, -1, 1 << 64))


def _count_copies(hashes: UintArray) -> IntArray:
    """Return how often each hash occurs. *Shapes:* ``(k,)`` -> ``(k,)``"""
    _, positions, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return counts[positions]


def _are_years(flags: FlagArray, starts: IntArray, ends: IntArray) -> BoolArray:
    """Return which words are four digits that stand alone. *Shapes:* ``(c,)``, ``(w,)``, ``(w,)`` -> ``(w,)``"""
    are_years: BoolArray = ends - starts == 4
    candidates = np.flatnonzero(are_years)
    begin = starts[candidates]
    digits = flags[begin] & flags[begin + 1] & flags[begin + 2] & flags[begin + 3] & _DIGIT != 0
    alone = (flags[begin - 1] | flags[begin + 4]) & _FOREIGN_WORD == 0
    are_years[candidates] = digits & alone
    return are_years


def _matches(pattern: re.Pattern[str], marker: str, texts: list[str]) -> BoolArray:
    """Return which texts hold a match of *pattern*, which cannot do without *marker*."""
    return np.array([marker in text and pattern.search(text) is not None for text in texts], dtype=bool)
