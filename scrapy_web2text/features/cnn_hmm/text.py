"""Statistics of the texts of all leaves at once, from one array of characters.

Comparisons of neighboring characters and cumulative sums find words, sentences and copies of a text. The rules are
those of the authors' program, with ASCII words and case-sensitive stopwords.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import AnyArray, BoolArray, IntArray, UintArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.characters import CharacterClass, Characters, SpanHasher, find_runs, join_texts
from scrapy_web2text.features.stopwords import find_stopwords

__all__ = ["COUNTS", "TextStatistics", "text_statistics"]


_SPACE: Final = 0x20
_COPYRIGHT: Final = 0xA9
_QUESTION_MARK: Final = 0x3F
# As in Java, `\b` knows the letters of all scripts here, and `\w` those of ASCII.
_EMAIL = re.compile(r"\b(?a:\w+@[\w.]+)")
_URL = re.compile(r"\b(?:https?|ftp)://(?a:[^\s/$.?#]\S*)\b")


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
    text = join_texts(texts)
    codes = text.codes
    # Trimmed bounds: collapsed texts have at most one space at either end.
    first = text.starts + (codes[text.starts] == _SPACE)
    last = text.ends - 1 - (codes[text.ends - 1] == _SPACE)
    check_time()
    word_starts, word_ends = find_runs(text.in_class(CharacterClass.WORD))
    word_bounds = np.searchsorted(word_starts, np.append(text.starts, len(codes)))
    hasher = SpanHasher(codes)

    def count_words(chosen: AnyArray) -> IntArray:
        check_time()
        sums = np.zeros(len(chosen) + 1, dtype=np.int64)
        np.cumsum(chosen, out=sums[1:])
        return np.diff(sums[word_bounds])

    punctuation = text.in_class(CharacterClass.PUNCTUATION)
    counts = (
        last + 1 - first,
        np.diff(word_bounds),
        count_words(word_ends - word_starts),
        count_words(find_stopwords(hasher.hash_spans(word_starts, word_ends))),
        count_words(text.in_class(CharacterClass.CAPITAL)[word_starts]),
        1 + text.count(_begins_sentence(text)),
        text.count(punctuation),
        text.count(text.in_class(CharacterClass.DIGIT)),
        text.count(codes == _COPYRIGHT),
        _matches(_EMAIL, "@", texts),
        _matches(_URL, "://", texts),
        count_words(_is_year(text, word_starts, word_ends)),
    )
    return TextStatistics(
        counts=np.array(counts),
        ends=np.array([punctuation[last], codes[last] == _QUESTION_MARK]),
        n_tokens=text.count_positions(text.tokens()[0]),
        n_copies=_count_copies(hasher.hash_spans(text.starts, text.ends)),
    )


def _begins_sentence(text: Characters) -> BoolArray:
    """Return which characters are uppercase letters after a sentence end and a space. *Shape:* ``(c,)``"""
    begins = text.in_class(CharacterClass.UPPER)
    begins[:2] = False
    begins[2:] &= (text.codes[1:-1] == _SPACE) & text.in_class(CharacterClass.SENTENCE_END)[:-2]
    return begins


def _count_copies(hashes: UintArray) -> IntArray:
    """Return how often each hash occurs. *Shapes:* ``(k,)`` -> ``(k,)``"""
    _, positions, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return counts[positions]


def _is_year(text: Characters, starts: IntArray, ends: IntArray) -> BoolArray:
    """Return which words are four digits between word boundaries. *Shapes:* ``(w,)``, ``(w,)`` -> ``(w,)``"""
    is_year: BoolArray = ends - starts == 4
    candidates = np.flatnonzero(is_year)
    begin = starts[candidates]
    digit, foreign = text.in_class(CharacterClass.DIGIT), text.in_class(CharacterClass.FOREIGN_WORD)
    digits = digit[begin] & digit[begin + 1] & digit[begin + 2] & digit[begin + 3]
    is_year[candidates] = digits & ~foreign[begin - 1] & ~foreign[begin + 4]
    return is_year


def _matches(pattern: re.Pattern[str], marker: str, texts: list[str]) -> BoolArray:
    """Return which texts have a match of *pattern*. *Shape:* ``(k,)``

    :param marker: a string that every match contains; looking for it first is much faster.
    """
    check_time()
    return np.array([marker in text and pattern.search(text) is not None for text in texts], dtype=bool)
