"""Columns of a block's similarity to the page's title and first ``h1``, and of its distance from them."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.features.modern.context import Context, share
from scrapy_web2text.features.modern.table import Rows, Table, value
from scrapy_web2text.page.arrays import TAG_NAMES

__all__ = ["TITLE"]

_H1: Final = TAG_NAMES.index("h1")
_LEAST_LIKENESS: Final = 0.3  # of the block that is taken as the title of the page


_COLUMNS: Final = (
    value("title_overlap"),
    value("title_covered"),
    value("title_likeness"),
    value("h1_overlap"),
    value("behind_title"),
    value("from_title", scale=4, why="54 blocks give 1"),
    value("from_h1", scale=4, why="54 blocks give 1"),
    value("has_h1"),
)


def _measure(context: Context, rows: Rows) -> None:
    """Measure the words that blocks share with the title and the first ``h1``, and the distances from both.

    The likeness is the share of the block's words that the title contains, times the share of the title's words that
    the block contains. Without an ``h1``, the first block counts as one. Distances are negative before.
    """
    words, n_words = context.words, context.counts.words
    title_words = np.unique(context.title_words)
    shared = words.count_among(title_words)
    covered = np.minimum(share(shared, len(title_words)), 1)
    overlap = share(shared, n_words)
    likeness = covered * overlap
    is_h1 = context.container_tags == _H1
    h1 = int(is_h1.argmax())  # the first block if none is an h1
    title = int(likeness.argmax())
    if likeness[title] <= _LEAST_LIKENESS:
        title = h1
    h1_words = words.hashes[words.starts[h1] : words.ends[h1]]
    rows["title_overlap"] = overlap
    rows["title_covered"] = covered
    rows["title_likeness"] = likeness
    rows["h1_overlap"] = share(words.count_among(h1_words), n_words)
    rows["behind_title"] = context.position >= title
    rows["from_title"] = _signed_log(context.position - title)
    rows["from_h1"] = _signed_log(context.position - h1)
    rows["has_h1"] = is_h1[h1]


def _signed_log(distances: IntArray) -> DoubleArray:
    logs: DoubleArray = np.sign(distances) * np.log1p(np.abs(distances))
    return logs


TITLE: Final = Table("title", _measure, _COLUMNS)
