"""Columns of a block's overlap with the page's descriptions and with the texts in its JSON-LD."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, UintArray
from scrapy_web2text.features.modern.context import Context, share
from scrapy_web2text.features.modern.table import Rows, Table, log1p, value
from scrapy_web2text.features.modern.words import Words

__all__ = ["DESCRIPTIONS"]


_COLUMNS: Final = (
    value("in_page_summary"),
    log1p("page.log_summary", "n_summary", scale=5, why="147 words give 1"),
    value("in_bodies"),
    log1p("page.log_bodies", "n_bodies", scale=5, why="147 words give 1"),
    value("in_descriptions"),
    log1p("page.log_descriptions", "n_descriptions", scale=5, why="147 words give 1"),
)


def _measure(context: Context, rows: Rows) -> None:
    hint_words = context.hint_words
    rows["n_summary"] = len(hint_words.summary)
    rows["n_bodies"] = len(hint_words.bodies)
    rows["n_descriptions"] = len(hint_words.descriptions)
    rows["in_page_summary"] = _repeated_share(context.words, hint_words.summary)
    rows["in_bodies"] = _repeated_share(context.words, hint_words.bodies)
    rows["in_descriptions"] = _repeated_share(context.words, hint_words.descriptions)


def _repeated_share(words: Words, text: UintArray) -> DoubleArray:
    """Return the share of each block's pairs of neighboring words that *text* contains. *Shapes:* ``(w,)`` -> ``(n,)``

    :param words: the words of n blocks.
    :param text: hashes of the words of a text.
    """
    if len(text) < 2:
        return np.zeros(len(words.starts))
    return share(words.count_pairs_among(text), np.maximum(words.n_words - 1, 0))


DESCRIPTIONS: Final = Table("descriptions", _measure, _COLUMNS)
