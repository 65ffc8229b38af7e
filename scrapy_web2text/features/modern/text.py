"""Columns of a block's own text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, DoubleArray, IntArray
from scrapy_web2text.features.characters import CharacterClass
from scrapy_web2text.features.columns import Feature
from scrapy_web2text.features.modern.context import Context, share
from scrapy_web2text.features.modern.counts import BlockCounts
from scrapy_web2text.features.modern.table import Table
from scrapy_web2text.features.modern.words import N_WORD_HASHES, to_word_numbers
from scrapy_web2text.features.stopwords import find_stopwords
from scrapy_web2text.features.texts import relate_words

__all__ = ["TEXT"]


@dataclass(frozen=True, slots=True, eq=False)
class TextMeasures:
    """Measures of the texts of n blocks; each of *Shape:* ``(n,)``.

    :param first: `CharacterClass` of the first character that is not a space.
    :param last: `CharacterClass` of the last character that is not a space; `last_code` is its code point.
    :param commonness: sum of the commonness of the words, see `_word_statistics`.
    :param long_overlap: share of the words, stopwords aside, that another long block contains.
    :param n_copies: number of blocks with the same words, the block included.
    :param is_repeat: whether an earlier block has the same words.
    """

    counts: BlockCounts
    first: IntArray
    last: IntArray
    last_code: IntArray
    n_stopwords: DoubleArray
    commonness: DoubleArray
    long_overlap: DoubleArray
    n_copies: DoubleArray
    is_repeat: BoolArray


def _begins(wanted: CharacterClass) -> Callable[[TextMeasures], BoolArray]:
    return lambda m: m.first & int(wanted) != 0


def _ends(wanted: CharacterClass) -> Callable[[TextMeasures], BoolArray]:
    return lambda m: m.last & int(wanted) != 0


_FEATURES: Final[tuple[Feature[TextMeasures], ...]] = (
    Feature("log_chars", lambda m: np.log1p(m.counts.chars)),
    Feature("log_words", lambda m: np.log1p(m.counts.words)),
    Feature(
        "word_length",
        lambda m: np.minimum(share(m.counts.chars, m.counts.words), 20),
        scale=10,
        why="10 characters a word give 1; the limit keeps URLs at 2",
    ),
    Feature("link_density", lambda m: share(m.counts.linked_words, m.counts.words)),
    Feature("bold_share", lambda m: share(m.counts.bold_words, m.counts.words)),
    Feature("upper_share", lambda m: share(m.counts.upper, m.counts.chars)),
    Feature("digit_share", lambda m: share(m.counts.digits, m.counts.chars)),
    Feature("mark_share", lambda m: share(m.counts.marks, m.counts.chars)),
    Feature("letter_share", lambda m: share(m.counts.letters, m.counts.chars)),
    Feature("log_commas", lambda m: np.log1p(m.counts.commas)),
    Feature("log_full_stops", lambda m: np.log1p(m.counts.full_stops)),
    Feature("has_currency", lambda m: m.counts.currency > 0),
    Feature("words_5", lambda m: m.counts.words >= 5),
    Feature("words_15", lambda m: m.counts.words >= 15),
    Feature("words_40", lambda m: m.counts.words >= 40),
    Feature("is_one_word", lambda m: m.counts.words <= 1),
    Feature("is_numeric", lambda m: (m.counts.letters == 0) & (m.counts.digits > 0)),
    Feature("has_no_word", lambda m: m.counts.words == 0),
    Feature("is_upper", lambda m: (m.counts.upper > 1) & (m.counts.upper >= 0.8 * m.counts.letters)),
    Feature("begins_upper", _begins(CharacterClass.UPPER)),
    Feature("begins_digit", _begins(CharacterClass.DIGIT)),
    Feature("begins_letter", _begins(CharacterClass.LETTER)),
    Feature("ends_full_stop", _ends(CharacterClass.FULL_STOP)),
    Feature("ends_comma", _ends(CharacterClass.COMMA)),
    Feature("ends_question", lambda m: (m.last_code == ord("?")) | (m.last_code == ord("？"))),
    Feature("ends_ellipsis", lambda m: m.last_code == ord("…")),
    Feature("ends_letter", _ends(CharacterClass.LETTER)),
    Feature("has_copyright", lambda m: m.counts.copyrights > 0),
    Feature("has_bar", lambda m: m.counts.bars > 0),
    Feature("has_at", lambda m: m.counts.ats > 0),
    Feature("stopword_share", lambda m: share(m.n_stopwords, m.counts.words)),
    Feature("common_share", lambda m: share(m.commonness, m.counts.words)),
    Feature("long_overlap", lambda m: m.long_overlap),
    Feature("words_of_longest", lambda m: m.counts.words / max(m.counts.words.max(), 1)),
    Feature("log_copies", lambda m: np.log(m.n_copies)),
    Feature("is_repeat", lambda m: m.is_repeat),
)


def _measure(context: Context) -> TextMeasures:
    first = context.edges[context.blocks.starts]
    last = context.edges[context.blocks.ends - 1]
    is_stopword = find_stopwords(context.words.hashes)
    n_stopwords = context.words.sum(is_stopword)
    commonness, long_overlap = _word_statistics(context, is_stopword, n_stopwords)
    n_copies, is_repeat = _find_copies(context)
    return TextMeasures(
        counts=context.counts,
        first=first[:, 0],
        last=last[:, 1],
        last_code=last[:, 2],
        n_stopwords=n_stopwords,
        commonness=context.words.sum(commonness),
        long_overlap=long_overlap,
        n_copies=n_copies,
        is_repeat=is_repeat,
    )


def _word_statistics(
    context: Context, is_stopword: BoolArray, n_stopwords: DoubleArray
) -> tuple[DoubleArray, DoubleArray]:
    """Return the commonness of each word on the page, and the overlap of each block with other long blocks.

    Commonness is the logarithm of the word's frequency, between 0 and 1; it is high for the function words of any
    language. Overlap is the share of the block's words, stopwords aside, that some other long block contains: the
    blocks of a story share its vocabulary. Words are identified by numbers below `N_WORD_HASHES`, which avoids sorting
    them; few words of a page share a number.

    *Shapes:* ``(t,)``, ``(n,)``
    """
    words, is_long = context.words, context.counts.long_words > 0
    numbers = to_word_numbers(words.hashes)
    frequencies, n_shared = relate_words(numbers, words.bounds, is_long, ~is_stopword, N_WORD_HASHES)
    commonness: DoubleArray = np.log(frequencies) / np.log(len(numbers) + 2)
    return commonness, share(n_shared, words.n_words - n_stopwords)


def _find_copies(context: Context) -> tuple[DoubleArray, BoolArray]:
    """Return how many blocks have each block's words, and whether an earlier one has them. *Shapes:* ``(n,)`` twice"""
    words = context.words
    # The words of a block become one number: the sum of their hashes, each times an odd factor for its position.
    places = np.arange(len(words.hashes)) - np.repeat(words.starts, words.ends - words.starts)
    weighted = words.hashes * (2 * places.astype(np.uint64) + np.uint64(1))
    sums = np.zeros(len(weighted) + 1, dtype=np.uint64)
    np.cumsum(weighted, out=sums[1:])
    _, first, numbers, counts = np.unique(
        sums[words.ends] - sums[words.starts], return_index=True, return_inverse=True, return_counts=True
    )
    return counts[numbers].astype(np.float64), first[numbers] < np.arange(context.n_blocks)


TEXT: Final = Table(_measure, _FEATURES)
