"""Columns of the whole page, the same for all its blocks."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from scrapy_web2text.arrays import FloatArray
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.counts import COUNT_NAMES
from scrapy_web2text.features.modern.table import WideTable
from scrapy_web2text.page.arrays import TAG_NAMES, tag_ids

__all__ = ["WHOLE_PAGE"]

_TAGS: Final = (
    *("article", "main", "p", "li", "table", "pre", "h1", "h2", "h3", "form", "img", "button", "a", "input", "select"),
    *("iframe", "video", "nav", "time", "dt"),
)
_TAG_NUMBERS: Final = tag_ids(_TAGS)


_NAMES: Final = (
    *("log_blocks", "log_words", "link_density", "words_per_block", "long_share", "full_stops", "digits", "letters"),
    *("word_length", "currency_per_block", "blocks_with_long"),
)


def _fill(context: Context, out: FloatArray) -> None:
    """Write the logarithms of counts and the shares of words, characters and blocks.

    Logarithms are divided by 4, 5 and 2, so that 55 blocks, 147 words, and 6.4 words in a block give 1, and by 3 for
    tags, so that 19 elements give 1. Full stops are counted in ten words, and digits in five characters.
    """
    n, counts = context.n_blocks, context.counts
    totals = dict(zip(COUNT_NAMES, counts.table.sum(axis=1).tolist(), strict=True))
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
        np.count_nonzero(counts.currency) / n,
        np.count_nonzero(counts.long_words) / n,
        *(math.log1p(count) / 3 for count in tag_counts),
    ]
    out[:] = values


WHOLE_PAGE: Final = WideTable(
    "whole_page", (*(f"page.{name}" for name in _NAMES), *(f"page.log_{tag}" for tag in _TAGS)), _fill
)
