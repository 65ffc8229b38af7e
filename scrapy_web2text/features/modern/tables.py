"""The tables of dense columns: of a block's text, its likeness to the title, its place, and the whole page."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import FloatArray, IntArray
from scrapy_web2text.features.modern.columns import Table, WideTable, log, log1p, ratio, value
from scrapy_web2text.features.modern.context import COUNT_NAMES, Context, ElementMark
from scrapy_web2text.features.modern.measures import (
    measure_candidates,
    measure_groups,
    measure_headings,
    measure_long_blocks,
    measure_neighbors,
    measure_text,
    measure_title,
)
from scrapy_web2text.page import reader
from scrapy_web2text.page.tags import HEADING_TAGS, TAG_NAMES, tag_ids

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


# Kinds of elements: an `ElementMark`, or a group of tags, which is named after its first tag.
_KINDS: Final[tuple[ElementMark | tuple[str, ...], ...]] = (
    *ElementMark,
    *(("main",), ("search",), ("dialog",), ("article",), ("nav",), ("header",), ("footer",), ("aside",), ("section",)),
    *(("form",), ("fieldset",), ("button",), ("label",), ("menu",), ("details",), ("summary",), ("noscript",)),
    *(("table",), ("td",), ("th",), ("ul", "ol"), ("li",), ("dl",), ("figure",), ("figcaption",)),
    *(HEADING_TAGS, ("p",), ("blockquote",), ("pre",), ("code",), ("address",), ("time",)),
    *(("a",), ("strong", "b"), ("small",), ("center", "font")),
)
_TAGS: Final = tuple(kind for kind in _KINDS if not isinstance(kind, ElementMark))
_CONTAINERS: Final = (
    *("p", "div", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "figcaption", "dt", "dd"),
    *("section", "article", "button", "caption", "summary", "address", "footer", "header", "nav", "aside", "form"),
    *("body", "tr", "main", "center", "#custom"),
)
_CONTAINER_NUMBERS: Final = tag_ids(_CONTAINERS)


def _column_and_bit(kind: ElementMark | tuple[str, ...]) -> tuple[str, int]:
    """Return the name of the column for *kind*, and its bit."""
    if isinstance(kind, ElementMark):
        return f"in_{kind.name}".lower(), kind.bit_length() - 1
    return f"in_{kind[0]}", len(ElementMark) + _TAGS.index(kind)


def _make_tag_bits() -> IntArray:
    """Return, for each tag number, the bit of each group of tags that it is in. *Shape:* ``(len(TAG_NAMES),)``"""
    bits = np.zeros(len(TAG_NAMES), dtype=np.int64)
    for bit, names in enumerate(_TAGS, start=len(ElementMark)):
        bits[tag_ids(names)] |= 1 << bit
    return bits


_TAG_BITS: Final = _make_tag_bits()
_NAMES, _BITS = zip(*map(_column_and_bit, _KINDS), strict=True)
_N_TAGS: Final = len(_CONTAINERS)


def _fill_inside(context: Context, out: FloatArray) -> None:
    """Write whether each block lies in an element of each kind, and the tag of its container."""
    marks = context.marks | _TAG_BITS[context.page.tags]
    around = reader.unite_above(marks, context.page.parents)[context.owners].astype("<i8", copy=False)
    is_around = np.unpackbits(around.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    out[:, :-_N_TAGS] = is_around.take(_BITS, axis=1)
    np.equal(context.container_tags[:, None], _CONTAINER_NUMBERS, out=out[:, -_N_TAGS:])


INSIDE: Final = WideTable("inside", (*_NAMES, *(f"is_{tag}" for tag in _CONTAINERS)), _fill_inside)


HEADINGS: Final = Table(
    "headings",
    measure_headings,
    (
        value("no_heading"),
        value("heading_level", "level", scale=6, why="h6 gives 1"),
        value("under_h1"),
        value("under_h2"),
        value("under_h3"),
        log1p("blocks_since_heading", "blocks_since", scale=4, why="54 blocks give 1"),
        log1p("words_since_heading", "words_since", scale=6, why="402 words give 1"),
        log1p("to_next_heading", "blocks_to_next", scale=4, why="54 blocks give 1"),
    ),
)


# Groups: cards of a list, comments and rows of a table fill the same place of a page's template again and again.
GROUPS: Final = Table(
    "groups",
    measure_groups,
    (
        log("{}.log_size", "size", scale=3, why="20 blocks give 1"),
        log1p("{}.mean_words", "mean_words", scale=3, why="19 words give 1"),
        ratio("{}.word_share", "group_words", "page_words"),
        ratio("{}.link_density", "group_linked", "group_words"),
        ratio("{}.long_share", "group_long", "group_words"),
        value("{}.rank", "rank"),
        value("{}.spread", "spread"),
    ),
    variants=("tags", "classes"),
)


CANDIDATES: Final = Table(
    "candidates",
    measure_candidates,
    (
        value("in_{}", "is_inside"),
        value("behind_{}", "is_after"),
        log1p("from_{}", "distance", scale=4, why="54 blocks give 1"),
        value("progress_{}", "progress"),
        value("{}_share", "word_share"),
    ),
    variants=("candidate", "tight_candidate"),
)
LONG_BLOCKS: Final = Table(
    "long_blocks",
    measure_long_blocks,
    (
        ratio("long_words_before", "before", "all_long"),
        ratio("long_words_after", "after", "all_long"),
        value("no_long_before"),
        value("no_long_after"),
        log1p("from_last_long", "since_last", scale=4, why="54 blocks give 1"),
        log1p("to_next_long", "to_next", scale=4, why="54 blocks give 1"),
    ),
)


NEIGHBORS: Final = Table(
    "neighbors",
    measure_neighbors,
    (
        value("up_{}", "up", scale=4, why="4 levels give 1; more than 5 are rare"),
        value("down_{}", "down", scale=4, why="4 levels give 1; more than 5 are rare"),
        value("siblings_{}", "are_siblings"),
        value("alike_{}", "are_alike"),
    ),
    variants=("before", "behind"),
)


_COUNTED_TAGS: Final = (
    *("article", "main", "p", "li", "table", "pre", "h1", "h2", "h3", "form", "img", "button", "a", "input", "select"),
    *("iframe", "video", "nav", "time", "dt"),
)
_COUNTED_NUMBERS: Final = tag_ids(_COUNTED_TAGS)


_PAGE_NAMES: Final = (
    *("log_blocks", "log_words", "link_density", "words_per_block", "long_share", "full_stops", "digits", "letters"),
    *("word_length", "currency_per_block", "blocks_with_long"),
)


def _fill_whole_page(context: Context, out: FloatArray) -> None:
    """Write the logarithms of counts and the shares of words, characters and blocks.

    The logarithms of blocks, of words, and of words in a block are divided by 4, 5 and 2, so that 55, 147 and 6.4 give
    1. The logarithms of elements with a tag are divided by 3, so that 19 elements give 1. Full stops are counted per
    ten words, and digits per five characters.
    """
    n, counts = context.n_blocks, context.counts
    totals = dict(zip(COUNT_NAMES, context.count_table.sum(axis=1).tolist(), strict=True))
    words, chars = max(totals["words"], 1), max(totals["chars"], 1)
    tag_counts = np.bincount(context.page.tags, minlength=len(TAG_NAMES))[_COUNTED_NUMBERS].tolist()
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
    "whole_page",
    (*(f"page.{name}" for name in _PAGE_NAMES), *(f"page.log_{tag}" for tag in _COUNTED_TAGS)),
    _fill_whole_page,
)


TABLES: Final = (
    TEXT,
    TITLE,
    INSIDE,
    HEADINGS,
    GROUPS,
    CANDIDATES,
    LONG_BLOCKS,
    NEIGHBORS,
    WHOLE_PAGE,
)  # in the order of their columns
