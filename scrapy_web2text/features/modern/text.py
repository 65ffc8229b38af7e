"""Columns of a block's own text."""

from __future__ import annotations

from typing import Final

from scrapy_web2text.features.measures import MEASURES
from scrapy_web2text.features.modern.table import Table, log, log1p, ratio, value

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
TEXT: Final = Table("text", MEASURES.measure_text, _COLUMNS)
