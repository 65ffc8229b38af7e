"""The characters and words of texts, by operations of numpy on the characters of all texts at once.

`_texts.pyx` does the same in one pass, in a fifth of the time. It is optional, and judged by this module.
"""

from __future__ import annotations

import numpy as np

from scrapy_web2text.arrays import AnyArray, BoolArray, IntArray, UintArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.characters import (
    CharacterClass,
    Characters,
    SpanHasher,
    find_runs,
    join_texts,
    lower_codes,
)

__all__ = ["count_among", "count_between_spaces", "read_texts", "relate_words", "token_lengths"]

_CLASSES = (
    *(CharacterClass.LETTER, CharacterClass.UPPER, CharacterClass.DIGIT, CharacterClass.MARK, CharacterClass.COMMA),
    *(CharacterClass.FULL_STOP, CharacterClass.CURRENCY),
)
_SYMBOLS = "©|@"
_NUL, _SPACE, _NO_BREAK_SPACE = 0, 0x20, 0xA0
# Spaces that HTML does not collapse; only one of them is below 256.
_OTHER_SPACES = np.array([_NO_BREAK_SPACE, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000])


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
    first = starts + (codes[starts] == ord(" "))
    last = ends - 1 - (codes[ends - 1] == ord(" "))
    edges = np.stack([characters.classes[first], characters.classes[last], codes[last]], axis=1).astype(np.int64)
    check_time()
    return counts.T, edges, SpanHasher(lower_codes(codes)).hash_spans(*words)


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
    is_visible = (codes != _SPACE) & (codes != _NUL)
    is_visible &= codes != _NO_BREAK_SPACE if codes.dtype == np.uint8 else ~np.isin(codes, _OTHER_SPACES)
    if codes.dtype == np.uint8:  # no script without spaces
        return find_runs(is_visible)
    is_token = text.in_class(CharacterClass.UNSPACED)
    splits = is_token[1:] | is_token[:-1]  # between each character and the next
    begin = np.flatnonzero(is_visible[1:] & (splits | ~is_visible[:-1])) + 1
    end = np.flatnonzero(is_visible[:-1] & (splits | ~is_visible[1:])) + 1
    return begin, end


def relate_words(
    numbers: IntArray, bounds: IntArray, is_long: BoolArray, is_counted: BoolArray, n_numbers: int
) -> tuple[IntArray, IntArray]:
    """Return the frequency of each word, and how many words of each block another long block has.

    :param numbers: number of each word, below *n_numbers*. *Shape:* ``(t,)``
    :param bounds: first word of each of the n blocks, and the number of all words. *Shape:* ``(n + 1,)``
    :param is_long: which blocks are long. *Shape:* ``(n,)``
    :param is_counted: the words that may count as shared. *Shape:* ``(t,)``
    :returns: *Shapes:* ``(t,)``, ``(n,)``
    """
    block_of_word = np.repeat(np.arange(len(is_long)), np.diff(bounds))
    in_long = is_long[block_of_word]
    first_long, last_long = np.full((2, n_numbers), -1)
    # Where a number occurs several times, numpy keeps the last assignment.
    last_long[numbers[in_long]] = block_of_word[in_long]
    first_long[numbers[in_long][::-1]] = block_of_word[in_long][::-1]
    first, last = first_long[numbers], last_long[numbers]
    is_shared = (last >= 0) & ((first != block_of_word) | (last != block_of_word)) & is_counted
    frequencies = np.bincount(numbers, minlength=n_numbers)[numbers]
    return frequencies, _count_spans(is_shared, bounds[:-1], bounds[1:])


def count_among(hashes: UintArray, starts: IntArray, ends: IntArray, wanted: UintArray) -> IntArray:
    """Return how many hashes of each span are among those *wanted*.

    :param starts: first hash of each span. *Shape:* ``(n,)``
    :param ends: one past the last hash of each span. *Shape:* ``(n,)``
    :param wanted: different hashes in ascending order. *Shape:* ``(w,)``
    :returns: *Shape:* ``(n,)``
    """
    if not len(wanted):
        return np.zeros(len(starts), dtype=np.int64)
    places = np.minimum(np.searchsorted(wanted, hashes), len(wanted) - 1)
    return _count_spans(wanted[places] == hashes, starts, ends)


def _count_spans(is_chosen: AnyArray, starts: IntArray, ends: IntArray) -> IntArray:
    n_before = np.zeros(len(is_chosen) + 1, dtype=np.int64)
    np.cumsum(is_chosen, out=n_before[1:])
    counts: IntArray = n_before[ends] - n_before[starts]
    return counts
