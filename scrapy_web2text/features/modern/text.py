"""Columns of the text of a block, of its likeness to the title, and of the whole page."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import FloatArray
from scrapy_web2text.features.modern.columns import Table, WideTable, log, log1p, ratio, value
from scrapy_web2text.features.modern.context import COUNT_NAMES, Context
from scrapy_web2text.features.modern.measures import Rows, measure_text
from scrapy_web2text.features.texts import count_among
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


_H1: Final = TAG_NAMES.index("h1")
_LEAST_LIKENESS: Final = 0.3  # of the block that is taken as the title of the page


def _measure_title(context: Context, rows: Rows) -> None:
    """Measure the words that blocks share with the title and the first ``h1``, and the distances from both.

    The likeness is the share of the block's words that the title contains, times the share of the title's words that
    the block contains. Without an ``h1``, the first block counts as one. Distances are negative before.
    """
    hashes, bounds, n_words = context.hashes, context.bounds, np.maximum(context.counts["words"], 1)
    shared = count_among(hashes, bounds, context.title_words)
    covered = np.minimum(shared / max(len({*context.title_words.tolist()}), 1), 1)
    overlap = shared / n_words
    likeness = covered * overlap
    is_h1 = context.container_tags == _H1
    h1 = int(is_h1.argmax())  # the first block if none is an h1
    title = int(likeness.argmax())
    if likeness[title] <= _LEAST_LIKENESS:
        title = h1
    rows["title_overlap"] = overlap
    rows["title_covered"] = covered
    rows["title_likeness"] = likeness
    rows["h1_overlap"] = count_among(hashes, bounds, hashes[bounds[h1] : bounds[h1 + 1]]) / n_words
    rows["behind_title"] = context.position >= title
    distances = context.position - np.array([[title], [h1]])
    rows["from_title"], rows["from_h1"] = np.sign(distances) * np.log1p(np.abs(distances))
    rows["has_h1"] = is_h1[h1]


TITLE: Final = Table(
    "title",
    _measure_title,
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
