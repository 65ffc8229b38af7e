"""Columns of the heading above a block, and of its distance from the headings around it."""

from __future__ import annotations

from typing import Final

import numpy as np

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
    """Measure the level of the last heading at or before the block, 0 without one, and the distances from headings.

    Without a heading before, the distance is that from the first block; without one after, that to the end.
    """
    last, position, words = context.headings, context.position, context.words_before
    levels = _LEVELS[context.container_tags]
    level = np.where(last < 0, 0, levels[last])
    since = np.maximum(last, 0)
    backwards = np.maximum.accumulate(np.where(levels[::-1] > 0, position, -1))
    rows["no_heading"] = level == 0
    rows["level"] = level
    for number, name in enumerate(("under_h1", "under_h2", "under_h3"), 1):
        rows[name] = level == number
    rows["blocks_since"] = position - since
    rows["words_since"] = words[:-1] - words[since]
    rows["blocks_to_next"] = context.n_blocks - 1 - backwards[::-1] - position


HEADINGS: Final = Table("headings", _measure, _COLUMNS)
