"""The characters and words of texts, by operations of numpy on the characters of all texts at once.

`_texts.pyx` does the same in one pass, in a fifth of the time. It is optional, and judged by this module.
"""

from __future__ import annotations

import numpy as np

from scrapy_web2text.arrays import AnyArray, BoolArray, DoubleArray, IntArray, UintArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.character_classes import (
    NO_BREAK_SPACE,
    OTHER_SPACES,
    SPACE,
    CharacterClass,
    lower_codes,
)
from scrapy_web2text.features.characters import Characters, SpanHasher, find_runs, join_texts
from scrapy_web2text.features.hashing import N_WORD_HASHES, to_word_numbers
from scrapy_web2text.features.stopwords import find_stopwords

__all__ = ["count_among", "count_between_spaces", "measure_words", "read_ascii_texts", "read_texts", "token_lengths"]


_CLASSES = (
    *(CharacterClass.LETTER, CharacterClass.UPPER, CharacterClass.DIGIT, CharacterClass.MARK, CharacterClass.COMMA),
    *(CharacterClass.FULL_STOP, CharacterClass.CURRENCY),
)
_SYMBOLS = "©|@"
_NUL = 0


def read_texts(texts: list[str]) -> tuple[IntArray, IntArray, UintArray]:
    """Return counts and edges of *texts*, and the hashes of their words.

    The counts of a text are: characters, where a run of whitespace is one; words; letters, upper-case letters, digits,
    punctuation, commas, full stops and currency signs; and each of ``©``, ``|`` and ``@``. The edges are the classes of
    the first and the last character that are not whitespace, and the code point of the latter.

    :param texts: at least one; none is empty or contains a NUL.
    :returns: *Shapes:* ``(k, 12)``, ``(k, 3)``, ``(t,)``
    """
    characters = join_texts(texts)
    codes, starts, ends = characters.codes, characters.starts, characters.ends
    check_time()
    words = characters.tokens()
    check_time()
    counts = np.empty((12, len(texts)), dtype=np.int64)
    counts[0] = ends - starts
    counts[1] = characters.count_positions(words[0])
    for row, wanted in zip(counts[2:], _CLASSES, strict=False):
        check_time()
        row[:] = characters.count(characters.in_class(wanted))
    for row, symbol in zip(counts[2 + len(_CLASSES) :], _SYMBOLS, strict=True):
        check_time()
        row[:] = characters.count(codes == ord(symbol))
    first = starts + (codes[starts] == SPACE)
    last = ends - 1 - (codes[ends - 1] == SPACE)
    edges = np.stack([characters.classes[first], characters.classes[last], codes[last]], axis=1).astype(np.int64)
    check_time()
    return counts.T, edges, SpanHasher(lower_codes(codes)).hash_spans(*words)


def read_ascii_texts(texts: list[str]) -> tuple[IntArray, IntArray, UintArray]:
    """Return counts of *texts* as the authors of Web2Text count, their last characters, and their hashes.

    The counts are, over the trimmed text: characters, where a run of whitespace is one; words, which are runs of ASCII
    letters, digits and underscores; characters of words; stopwords; words that begin with a capital; sentences, which
    are 1 + the number of gaps of whitespace between a sentence end and an uppercase letter; punctuation; digits; ``©``;
    ``@``; ``://``; years, which are words of four digits; and words of any script, where each letter is one in scripts
    without spaces. Texts that are equal with whitespace collapsed, but not trimmed, have the same hash.

    :param texts: at least one, each with a character other than whitespace; none contains a NUL.
    :returns: *Shapes:* ``(k, 13)``, ``(k,)``, ``(k,)``
    """
    text = join_texts(texts)
    codes = text.codes
    # Trimmed bounds: collapsed texts have at most one space at either end.
    first = text.starts + (codes[text.starts] == SPACE)
    last = text.ends - 1 - (codes[text.ends - 1] == SPACE)
    check_time()
    starts, ends = find_runs(text.in_class(CharacterClass.WORD))
    bounds = np.searchsorted(starts, text.starts), np.searchsorted(starts, text.ends)
    hasher = SpanHasher(codes)
    check_time()
    is_mark = np.zeros(len(codes), dtype=bool)
    is_mark[2:] = (codes[2:] == ord("/")) & (codes[1:-1] == ord("/")) & (codes[:-2] == ord(":"))
    counts = (
        last + 1 - first,
        bounds[1] - bounds[0],
        _count_spans(ends - starts, *bounds),
        _count_spans(find_stopwords(hasher.hash_spans(starts, ends)), *bounds),
        _count_spans(text.in_class(CharacterClass.CAPITAL)[starts], *bounds),
        1 + text.count(_begins_sentence(text)),
        text.count(text.in_class(CharacterClass.PUNCTUATION)),
        text.count(text.in_class(CharacterClass.DIGIT)),
        text.count(codes == ord("©")),
        text.count(codes == ord("@")),
        text.count(is_mark),
        _count_spans(_is_year(text, starts, ends), *bounds),
        text.count_positions(text.tokens()[0]),
    )
    check_time()
    return np.stack(counts, axis=1), codes[last].astype(np.int64), hasher.hash_spans(text.starts, text.ends)


def _begins_sentence(text: Characters) -> BoolArray:
    """Return which characters are uppercase letters after a sentence end and a space. *Shape:* ``(c,)``"""
    begins = text.in_class(CharacterClass.UPPER)
    begins[:2] = False
    begins[2:] &= (text.codes[1:-1] == SPACE) & text.in_class(CharacterClass.SENTENCE_END)[:-2]
    return begins


def _is_year(text: Characters, starts: IntArray, ends: IntArray) -> BoolArray:
    """Return which words are four digits between word boundaries. *Shapes:* ``(w,)``, ``(w,)`` -> ``(w,)``"""
    is_year: BoolArray = ends - starts == 4
    candidates = np.flatnonzero(is_year)
    begin = starts[candidates]
    digit, foreign = text.in_class(CharacterClass.DIGIT), text.in_class(CharacterClass.FOREIGN_WORD)
    digits = digit[begin] & digit[begin + 1] & digit[begin + 2] & digit[begin + 3]
    is_year[candidates] = digits & ~foreign[begin - 1] & ~foreign[begin + 4]
    return is_year


def count_between_spaces(texts: list[str]) -> tuple[IntArray, IntArray]:
    """Return the number of tokens of each text, and of those that are words.

    A token is a run of characters between whitespace, a word a token with a letter or a digit. In scripts without
    spaces each letter is a word.

    :param texts: at least one; none is empty or contains a NUL.
    :returns: *Shapes:* ``(k,)`` twice
    """
    text = join_texts(texts)
    check_time()
    begin, _ = _token_bounds(text)
    check_time()
    # Each range extends to the start of the next token, which adds only whitespace.
    is_word = np.logical_or.reduceat(text.in_class(CharacterClass.TOKEN | CharacterClass.UNSPACED), begin)
    return text.count_positions(begin), text.count_positions(begin[is_word])


def token_lengths(texts: list[str]) -> IntArray:
    """Return the number of characters of each token of `count_between_spaces`, text after text. *Shape:* ``(t,)``"""
    begin, end = _token_bounds(join_texts(texts))
    lengths: IntArray = end - begin
    return lengths


def _token_bounds(text: Characters) -> tuple[IntArray, IntArray]:
    """Return the start and the end of each token. *Shapes:* ``(t,)`` twice"""
    codes = text.codes
    is_visible = (codes != SPACE) & (codes != _NUL)
    is_visible &= codes != NO_BREAK_SPACE if codes.dtype == np.uint8 else ~np.isin(codes, OTHER_SPACES)
    if codes.dtype == np.uint8:  # no script without spaces
        return find_runs(is_visible)
    is_token = text.in_class(CharacterClass.UNSPACED)
    splits = is_token[1:] | is_token[:-1]  # between each character and the next
    begin = np.flatnonzero(is_visible[1:] & (splits | ~is_visible[:-1])) + 1
    end = np.flatnonzero(is_visible[:-1] & (splits | ~is_visible[1:])) + 1
    return begin, end


def measure_words(
    hashes: UintArray, bounds: IntArray, is_long: BoolArray
) -> tuple[DoubleArray, DoubleArray, DoubleArray, UintArray]:
    """Return the number of stopwords, the commonness, the number of shared words, and the key of each block.

    Words are identified by numbers below `N_WORD_HASHES`, which avoids sorting them; few words of a page share a
    number. `WordMeasures` says what the results are.

    :param hashes: hash of each word. *Shape:* ``(t,)``
    :param bounds: first word of each of the n blocks, and the number of all words. *Shape:* ``(n + 1,)``
    :param is_long: which blocks are long. *Shape:* ``(n,)``
    :returns: *Shape:* ``(n,)`` each
    """
    starts, ends = bounds[:-1], bounds[1:]
    numbers, is_stopword = to_word_numbers(hashes), find_stopwords(hashes)
    frequencies = np.bincount(numbers, minlength=N_WORD_HASHES)[numbers]
    commonness = np.log(frequencies) / np.log(len(hashes) + 2)
    check_time()
    block_of_word = np.repeat(np.arange(len(is_long)), ends - starts)
    in_long = is_long[block_of_word]
    first_long, last_long = np.full((2, N_WORD_HASHES), -1)
    # Where a number occurs several times, numpy keeps the last assignment.
    last_long[numbers[in_long]] = block_of_word[in_long]
    first_long[numbers[in_long][::-1]] = block_of_word[in_long][::-1]
    first, last = first_long[numbers], last_long[numbers]
    is_shared = (last >= 0) & ((first != block_of_word) | (last != block_of_word)) & ~is_stopword
    check_time()
    # The key is the sum of the hashes, each times an odd factor for its position.
    places = (np.arange(len(hashes)) - starts[block_of_word]).astype(np.uint64)
    keys = _sum_spans(hashes * (2 * places + np.uint64(1)), starts, ends)
    n_stopwords, n_shared = (_sum_spans(each.astype(np.float64), starts, ends) for each in (is_stopword, is_shared))
    return n_stopwords, _sum_spans(commonness, starts, ends), n_shared, keys


def count_among(hashes: UintArray, starts: IntArray, ends: IntArray, wanted: UintArray) -> IntArray:
    """Return how many hashes of each span are among those *wanted*.

    :param starts: first hash of each span. *Shape:* ``(n,)``
    :param ends: one past the last hash of each span. *Shape:* ``(n,)``
    :param wanted: hashes in ascending order. *Shape:* ``(w,)``
    :returns: *Shape:* ``(n,)``
    """
    if not len(wanted):
        return np.zeros(len(starts), dtype=np.int64)
    places = np.minimum(np.searchsorted(wanted, hashes), len(wanted) - 1)
    return _count_spans(wanted[places] == hashes, starts, ends)


def _count_spans(counts: AnyArray, starts: IntArray, ends: IntArray) -> IntArray:
    """Return the sum of the whole numbers or truth values of each span. *Shapes:* as for `_sum_spans`"""
    return _sum_spans(counts.astype(np.int64), starts, ends)


def _sum_spans(values: AnyArray, starts: IntArray, ends: IntArray) -> AnyArray:
    """Return the sum of the values of each span. *Shapes:* ``(t,)``, ``(n,)``, ``(n,)`` -> ``(n,)``"""
    sums = np.zeros(len(values) + 1, dtype=values.dtype)
    np.cumsum(values, out=sums[1:])
    totals: AnyArray = sums[ends] - sums[starts]
    return totals
