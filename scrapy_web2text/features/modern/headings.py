"""Columns of the heading above a block, and of its distance from the headings around it."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.features.measures import MEASURES
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.table import Rows, Table, log1p, value
from scrapy_web2text.page.arrays import HEADING_TAGS, TAG_NAMES, tag_ids

__all__ = ["HEADINGS"]

# Level of a heading by the number of its tag, 0 for other tags.
_LEVELS: Final = np.zeros(len(TAG_NAMES), dtype=np.int64)
_LEVELS[tag_ids(HEADING_TAGS)] = np.arange(1, 7)


_COLUMNS: Final = (
    value("no_heading"),
    value("heading_level", "level", scale=6, why="h6 gives 1"),
    value("under_h1"),
    value("under_h2"),
    value("under_h3"),
    log1p("blocks_since_heading", "blocks_since", scale=4, why="54 blocks give 1"),
    log1p("words_since_heading", "words_since", scale=6, why="402 words give 1"),
    log1p("to_next_heading", "blocks_to_next", scale=4, why="54 blocks give 1"),
)


def _measure(context: Context, rows: Rows) -> None:
    MEASURES.measure_headings(context, _LEVELS[context.container_tags], rows)


HEADINGS: Final = Table("headings", _measure, _COLUMNS)
