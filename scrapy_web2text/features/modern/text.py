"""Columns of the text of a block, of its likeness to the title, and of the whole page."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import FloatArray
from scrapy_web2text.features.modern.columns import Table, WideTable, log, log1p, ratio, value
from scrapy_web2text.features.modern.context import COUNT_NAMES, Context
from scrapy_web2text.features.modern.measures import measure_text, measure_title
from scrapy_web2text.page.arrays import TAG_NAMES, tag_ids

TEXT: Final = Table(
    "text",
    measure_text,
    (
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
    ),
)


TITLE: Final = Table(
    "title",
    measure_title,
    (
        value("title_overlap"),
        value("title_covered"),
        value("title_likeness"),
        value("h1_overlap"),
        value("behind_title"),
        value("from_title", scale=4, why="54 blocks give 1"),
        value("from_h1", scale=4, why="54 blocks give 1"),
        value("has_h1"),
    ),
)


_TAGS: Final = (
    *("article", "main", "p", "li", "table", "pre", "h1", "h2", "h3", "form", "img", "button", "a", "input", "select"),
    *("iframe", "video", "nav", "time", "dt"),
)
_TAG_NUMBERS: Final = tag_ids(_TAGS)


_PAGE_NAMES: Final = (
    *("log_blocks", "log_words", "link_density", "words_per_block", "long_share", "full_stops", "digits", "letters"),
    *("word_length", "currency_per_block", "blocks_with_long"),
)


def _fill_whole_page(context: Context, out: FloatArray) -> None:
    """Write the logarithms of counts and the shares of words, characters and blocks.

    Logarithms are divided by 4, 5 and 2, so that 55 blocks, 147 words, and 6.4 words in a block give 1, and by 3 for
    tags, so that 19 elements give 1. Full stops are counted in ten words, and digits in five characters.
    """
    n, counts = context.n_blocks, context.counts
    totals = dict(zip(COUNT_NAMES, context.count_table.sum(axis=1).tolist(), strict=True))
    words, chars = max(totals["words"], 1), max(totals["chars"], 1)
    tag_counts = np.bincount(context.page.tags, minlength=len(TAG_NAMES))[_TAG_NUMBERS].tolist()
    values = [
        math.log(n) / 4,
        math.log1p(totals["words"]) / 5,
        totals["linked_words"] / words,
        math.log1p(totals["words"] / n) / 2,
        totals["long_words"] / words,
        10 * (totals["full_stops"] / words),
        5 * (totals["digits"] / chars),
        totals["letters"] / chars,
        min(totals["chars"] / words, 20) / 10,
        np.count_nonzero(counts["currency"]) / n,
        np.count_nonzero(counts["long_words"]) / n,
        *(math.log1p(count) / 3 for count in tag_counts),
    ]
    out[:] = values


WHOLE_PAGE: Final = WideTable(
    "whole_page", (*(f"page.{name}" for name in _PAGE_NAMES), *(f"page.log_{tag}" for tag in _TAGS)), _fill_whole_page
)
