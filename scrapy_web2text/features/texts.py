"""Counts of the characters and words of many texts.

If ``_texts.pyx`` is compiled, its functions replace the functions listed at the end of this module.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, BoolArray, DoubleArray, IntArray, UintArray
from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.common.compiled import use_compiled
from scrapy_web2text.features.characters import CharacterClass, classify, lower
from scrapy_web2text.features.hashing import N_WORD_HASHES, STOPWORDS, find_stopwords, hash_word, to_word_numbers

# The counts of a text, in the order of the columns.
TEXT_COUNTS: Final = (
    *("chars", "words", "letters", "upper", "digits", "marks", "commas", "full_stops", "currency"),
    *("copyrights", "bars", "ats"),
)
_COUNTED: Final = (
    *(CharacterClass.LETTER, CharacterClass.UPPER, CharacterClass.DIGIT, CharacterClass.MARK, CharacterClass.COMMA),
    *(CharacterClass.FULL_STOP, CharacterClass.CURRENCY),
)
_WHITESPACE: Final = "".join(map(chr, range(1, 33)))  # `CharacterClass.WHITESPACE`
_RUN: Final = re.compile(f"[{_WHITESPACE}]+")
_ASCII_WORD: Final = re.compile("[A-Za-z0-9_]+")
_SENTENCE_END: Final = re.compile("[.?!;] (?=(.))")
_LONG_BLOCK: Final = 15  # words
_BAG_END: Final = 6  # words
_UPPER, _DIGIT, _FOREIGN = (int(each) for each in (_COUNTED[1], _COUNTED[2], CharacterClass.FOREIGN_WORD))
_N_CACHED: Final = 1 << 14

_classify: Final = cache(classify)


class _Table(dict[int, str]):
    """A table for `str.translate`, with spaces around each letter of a script without spaces.

    :param word: replaces each character of a word; None keeps it.
    :param other: replaces each other visible character.
    """

    def __init__(self, word: str | None, other: str) -> None:
        self._word = word
        self._other = other

    def __missing__(self, code: int) -> str:
        classes = _classify(code)
        if classes & CharacterClass.TOKEN:
            word = self._word or chr(code)
            self[code] = f" {word} " if classes & CharacterClass.UNSPACED else word
        else:
            self[code] = " " if classes & CharacterClass.SPACE else self._other
        return self[code]


_WORDS: Final = _Table(word=None, other=" ")
_KINDS: Final = _Table(word="w", other=".")


def split_words(text: str) -> list[str]:
    """Return the words of any script in *text*; in scripts without spaces, each letter is a word."""
    return text.translate(_WORDS).split()


def count_tokens(texts: list[str]) -> IntArray:
    """Return the number of words in each of *texts*, see `split_words`. *Shape:* ``(k,)``"""
    check_time()
    return read_texts(texts)[0][:, 1]


def read_texts(texts: list[str]) -> tuple[IntArray, IntArray, UintArray]:
    """Return counts and edges of *texts*, and the hashes of their words in lower case.

    The counts of a text are: characters (a run of whitespace counts as one); words; letters, upper-case letters,
    digits, punctuation, commas, full stops and currency signs; and ``©``, ``|`` and ``@``. The edges are the class of
    the first character that is not whitespace, the class of the last, and the code point of the last.

    :param texts: at least one; none is empty or contains a NUL.
    :returns: *Shapes:* ``(k, 12)``, ``(k, 3)``, ``(t,)``
    """
    counts, edges = [], []
    hashes: list[int] = []
    for text in watched(texts):
        words = split_words(text)
        hashes += map(_hash_lower, words)
        frequencies = [(_classify(ord(character)), n) for character, n in Counter(text).items()]
        counts.append(
            [
                len(_RUN.sub(" ", text)),
                len(words),
                *(sum(n for classes, n in frequencies if classes & wanted) for wanted in map(int, _COUNTED)),
                *map(text.count, "©|@"),
            ]
        )
        inner = text.strip(_WHITESPACE) or "\0"
        edges.append([_classify(ord(inner[0])), _classify(ord(inner[-1])), ord(inner[-1])])
    return np.array(counts), np.array(edges), np.array(hashes, dtype=np.uint64)


@lru_cache(_N_CACHED)
def _hash_lower(word: str) -> int:
    return hash_word("".join(map(lower, word)))


def read_ascii_texts(texts: list[str]) -> tuple[IntArray, IntArray, UintArray]:
    """Return counts of *texts* as the authors of Web2Text count, their last characters, and their hashes.

    The counts are, over the trimmed text: characters (a run of whitespace counts as one); words (runs of ASCII letters,
    digits and underscores); characters of words; stopwords; words that begin with a capital; sentences (1 + the number
    of gaps of whitespace between a sentence end and an uppercase letter); punctuation; digits; ``©``; ``@``; ``://``;
    years (words of four digits); and words of any script (in scripts without spaces, each letter is a word). The hash
    of a text is taken after whitespace is collapsed, but not trimmed.

    :param texts: at least one, each with a character other than whitespace; none contains a NUL.
    :returns: *Shapes:* ``(k, 13)``, ``(k,)``, ``(k,)``
    """
    counts, last, hashes = [], [], []
    for text in watched(texts):
        collapsed = _RUN.sub(" ", text)
        trimmed = collapsed.strip(" ")
        words = _ASCII_WORD.findall(trimmed)
        counts.append(
            [
                len(trimmed),
                len(words),
                sum(map(len, words)),
                sum(word in STOPWORDS for word in words),
                sum("A" <= word[0] <= "Z" for word in words),
                1 + sum(_classify(ord(found[1])) & _UPPER > 0 for found in _SENTENCE_END.finditer(trimmed)),
                sum(map(trimmed.count, ".,?;:!")),
                sum(n for character, n in Counter(trimmed).items() if _classify(ord(character)) & _DIGIT),
                trimmed.count("©"),
                trimmed.count("@"),
                trimmed.count("://"),
                _count_years(trimmed),
                len(split_words(trimmed)),
            ]
        )
        last.append(ord(trimmed[-1]))
        hashes.append(hash_word(collapsed))
    return np.array(counts), np.array(last), np.array(hashes, dtype=np.uint64)


def _count_years(text: str) -> int:
    """Return the number of words of four digits that touch no letter or digit of another script."""
    return sum(
        len(word[0]) == 4
        and word[0].isdigit()
        and not any(_classify(ord(near)) & _FOREIGN for near in text[max(word.start() - 1, 0) : word.end() + 1])
        for word in _ASCII_WORD.finditer(text)
    )


def count_between_spaces(texts: list[str]) -> tuple[IntArray, IntArray]:
    """Return the number of tokens of each text, and the number of its words.

    A token is a run of characters between whitespace. A word is a token with a letter or a digit. In scripts without
    spaces, each letter is a word.

    :param texts: at least one; none is empty or contains a NUL.
    :returns: *Shapes:* ``(k,)`` twice
    """
    tokens = [text.translate(_KINDS).split() for text in watched(texts)]
    return np.array([*map(len, tokens)]), np.array([sum("w" in token for token in each) for each in tokens])


def token_lengths(texts: list[str]) -> IntArray:
    """Return the number of characters of each token of `count_between_spaces`, text after text. *Shape:* ``(t,)``"""
    return np.array([len(token) for text in watched(texts) for token in text.translate(_KINDS).split()], dtype=np.int64)


def count_blocks(counts: IntArray, starts: IntArray, around: IntArray) -> tuple[DoubleArray, DoubleArray]:
    """Return the counts of n blocks, and how many words, words in links, and words in long blocks come before each.

    The counts of a block are the 12 counts of its texts, words in links, words in bold text, and words in long blocks.
    A block is long if it has 15 words or more and a full stop, and less than half of its words are in links.

    :param counts: the counts of each text, see `read_texts`. *Shape:* ``(k, 12)``
    :param starts: first text of each block.
    :param around: 1 for a text in a link, plus 2 for a text in bold. *Shape:* ``(k,)``
    :returns: *Shapes:* ``(15, n)``, ``(3, n + 1)``; the last entries are for the end of the page
    """
    table, before = np.zeros((len(TEXT_COUNTS) + 3, len(starts))), np.zeros((3, len(starts) + 1))
    inside = [counts[:, 1] * (around & bit > 0) for bit in (1, 2)]
    table[:-1] = np.add.reduceat([*counts.T, *inside], starts.astype(np.intp), axis=1)
    words, full_stops, linked = table[1], table[7], table[12]
    table[-1] = words * ((words >= _LONG_BLOCK) & (full_stops > 0) & (linked < words / 2))
    np.cumsum([words, linked, table[-1]], axis=1, out=before[:, 1:])
    return table, before


def measure_words(
    hashes: UintArray, bounds: IntArray, is_long: BoolArray
) -> tuple[DoubleArray, DoubleArray, DoubleArray, UintArray, IntArray, IntArray]:
    """Return four measures of the words of n blocks, and the words that represent each block.

    - The number of stopwords.
    - The commonness: for each word, the logarithm of how often it is on the page, scaled to [0, 1], summed up. It is
      high for the function words of any language.
    - The number of words, stopwords aside, that another long block contains: the blocks of a story share words.
    - A key: one number for all words of the block, in order.

    The first six and the last six words represent a block. Words are identified by numbers below `N_WORD_HASHES`, which
    avoids sorting them; few words of a page share a number.

    :param bounds: first word of each block, then t, the number of all words.
    :returns: *Shapes:* ``(t,)``, ``(n + 1,)``, ``(n,)`` -> ``(n,)`` four times, ``(b,)``, ``(n,)``. The last two are
        the numbers of the words that represent the blocks, block by block, and how many each block has.
    """
    starts, ends = bounds[:-1], bounds[1:]
    numbers, is_stopword = to_word_numbers(hashes), find_stopwords(hashes)
    frequencies = np.bincount(numbers, minlength=N_WORD_HASHES)[numbers]
    commonness = np.log(frequencies) / np.log(len(hashes) + 2)
    check_time()
    block_of_word = np.repeat(np.arange(len(is_long)), (ends - starts).astype(np.intp))
    in_long = is_long[block_of_word]
    first_long, last_long = np.full((2, N_WORD_HASHES), -1)
    # Where a number occurs several times, numpy keeps the last assignment.
    last_long[numbers[in_long]] = block_of_word[in_long]
    first_long[numbers[in_long][::-1]] = block_of_word[in_long][::-1]
    first, last = first_long[numbers], last_long[numbers]
    is_shared = (last >= 0) & ((first != block_of_word) | (last != block_of_word)) & ~is_stopword
    check_time()
    # The key is the sum of the hashes, each times an odd factor for its position.
    places = np.arange(len(hashes)) - starts[block_of_word]
    keys = _sum_spans(hashes * (2 * places + 1).astype(np.uint64), bounds)
    in_bag = (places < _BAG_END) | (places >= (ends - starts)[block_of_word] - _BAG_END)
    bag_sizes = np.bincount(block_of_word[in_bag], minlength=len(starts))
    n_stopwords, n_shared = (_sum_spans(each.astype(np.float64), bounds) for each in (is_stopword, is_shared))
    return n_stopwords, _sum_spans(commonness, bounds), n_shared, keys, numbers[in_bag], bag_sizes


def count_among(hashes: UintArray, bounds: IntArray, wanted: UintArray) -> IntArray:
    """Return how many *hashes* of each span are in *wanted*. *Shapes:* ``(t,)``, ``(n + 1,)``, ``(w,)`` -> ``(n,)``"""
    # kind="sort", since the lookup table of old numpy versions fails for hashes above the largest signed number.
    return _sum_spans(np.isin(hashes, wanted, kind="sort").astype(np.int64), bounds)


def _sum_spans(values: AnyArray, bounds: IntArray) -> AnyArray:
    """Return the sum of the values of each span. *Shapes:* ``(t,)``, ``(n + 1,)`` -> ``(n,)``"""
    sums = np.zeros(len(values) + 1, dtype=values.dtype)
    np.cumsum(values, out=sums[1:])
    return np.diff(sums[bounds])


IN_PYTHON: Final = use_compiled(
    __name__, read_texts, read_ascii_texts, count_between_spaces, count_blocks, measure_words, count_among
)
