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

__all__ = ["TextStatistics", "text_statistics"]


_SPACE: Final = 0x20
_COPYRIGHT: Final = 0xA9
_QUESTION_MARK: Final = 0x3F
# As in Java, `\b` knows the letters of all scripts here, and `\w` those of ASCII.
_EMAIL = re.compile(r"\b(?a:\w+@[\w.]+)")
_URL = re.compile(r"\b(?:https?|ftp)://(?a:[^\s/$.?#]\S*)\b")


@dataclass(frozen=True, slots=True, eq=False)
class TextStatistics:
    """Counts over the trimmed texts of k leaves; all of *Shape:* ``(k,)``.

    :param n_chars: characters (code points), at least 1.
    :param n_words: runs of ASCII letters, digits and underscores; `n_word_chars` is their total length.
    :param n_sentences: 1 + the number of gaps of whitespace between a sentence end and an uppercase letter.
    :param n_tokens: words of any script; in scripts without spaces each letter is one.
    :param n_copies: leaves of the page with the same text, whitespace collapsed but not trimmed, itself included.
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
    return TextStatistics(
        n_chars=last + 1 - first,
        n_words=np.diff(word_bounds),
        n_word_chars=count_words(word_ends - word_starts),
        n_stopwords=count_words(find_stopwords(hasher.hash_spans(word_starts, word_ends))),
        n_capitals=count_words(text.in_class(CharacterClass.CAPITAL)[word_starts]),
        n_sentences=1 + text.count(_begins_sentence(text)),
        n_punctuation=text.count(punctuation),
        n_digits=text.count(text.in_class(CharacterClass.DIGIT)),
        n_tokens=text.count_positions(text.tokens()[0]),
        n_copies=_count_copies(hasher.hash_spans(text.starts, text.ends)),
        ends_with_punctuation=punctuation[last],
        ends_with_question_mark=codes[last] == _QUESTION_MARK,
        has_copyright=text.count(codes == _COPYRIGHT) > 0,
        has_email=_matches(_EMAIL, "@", texts),
        has_url=_matches(_URL, "://", texts),
        has_year=count_words(_is_year(text, word_starts, word_ends)) > 0,
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
