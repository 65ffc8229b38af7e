"""Columns of a block's own text."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.features.character_classes import CharacterClass
from scrapy_web2text.features.modern.context import Context, share
from scrapy_web2text.features.modern.counts import BlockCounts
from scrapy_web2text.features.modern.table import Rows, Table, log, log1p, ratio, value

__all__ = ["TEXT"]


_COLUMNS: Final = (
    log1p("log_chars", "chars"),
    log1p("log_words", "words"),
    value("word_length", scale=10, why="10 characters a word give 1; the limit keeps URLs at 2"),
    ratio("link_density", "linked_words", "words"),
    ratio("bold_share", "bold_words", "words"),
    ratio("upper_share", "upper", "chars"),
    ratio("digit_share", "digits", "chars"),
    ratio("mark_share", "marks", "chars"),
    ratio("letter_share", "letters", "chars"),
    log1p("log_commas", "commas"),
    log1p("log_full_stops", "full_stops"),
    value("has_currency"),
    value("words_5"),
    value("words_15"),
    value("words_40"),
    value("is_one_word"),
    value("is_numeric"),
    value("has_no_word"),
    value("is_upper"),
    value("begins_upper"),
    value("begins_digit"),
    value("begins_letter"),
    value("ends_full_stop"),
    value("ends_comma"),
    value("ends_question"),
    value("ends_ellipsis"),
    value("ends_letter"),
    value("has_copyright"),
    value("has_bar"),
    value("has_at"),
    ratio("stopword_share", "n_stopwords", "words"),
    ratio("common_share", "commonness", "words"),
    value("long_overlap"),
    value("words_of_longest"),
    log("log_copies", "n_copies"),
    value("is_repeat"),
)
_BEGINNINGS: Final = {
    "begins_upper": CharacterClass.UPPER,
    "begins_digit": CharacterClass.DIGIT,
    "begins_letter": CharacterClass.LETTER,
}
_ENDS: Final = {
    "ends_full_stop": CharacterClass.FULL_STOP,
    "ends_comma": CharacterClass.COMMA,
    "ends_letter": CharacterClass.LETTER,
}


def _measure(context: Context, rows: Rows) -> None:
    _measure_characters(context, rows)
    _measure_counts(context.counts, rows)
    words = context.word_measures
    rows["n_stopwords"] = words.n_stopwords
    rows["commonness"] = words.commonness
    rows["long_overlap"] = share(words.n_shared, context.words.n_words - words.n_stopwords)
    rows["n_copies"] = context.n_copies
    rows["is_repeat"] = context.is_repeat


def _measure_counts(counts: BlockCounts, rows: Rows) -> None:
    words, letters, upper = counts.words, counts.letters, counts.upper
    rows["word_length"] = np.minimum(share(counts.chars, words) * (words > 0), 20)
    rows["words_5"] = words >= 5
    rows["words_15"] = words >= 15
    rows["words_40"] = words >= 40
    rows["is_one_word"] = words <= 1
    rows["has_no_word"] = words == 0
    rows["words_of_longest"] = words / max(words.max(), 1)
    rows["is_numeric"] = (letters == 0) & (counts.digits > 0)
    rows["is_upper"] = (upper > 1) & (upper >= 0.8 * letters)
    rows["has_currency"] = counts.currency > 0
    rows["has_copyright"] = counts.copyrights > 0
    rows["has_bar"] = counts.bars > 0
    rows["has_at"] = counts.ats > 0


def _measure_characters(context: Context, rows: Rows) -> None:
    """Measure the first and the last character that are not whitespace."""
    first = context.edges[context.blocks.starts, 0]
    last, last_code = context.edges[context.blocks.ends - 1, 1:].T
    for name, wanted in _BEGINNINGS.items():
        rows[name] = first & int(wanted) != 0
    for name, wanted in _ENDS.items():
        rows[name] = last & int(wanted) != 0
    rows["ends_question"] = (last_code == ord("?")) | (last_code == ord("？"))
    rows["ends_ellipsis"] = last_code == ord("…")


TEXT: Final = Table("text", _measure, _COLUMNS)
