"""Columns of the heading above a block, and of its distance from the headings around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.features.columns import Feature
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.table import Table
from scrapy_web2text.page.arrays import HEADING_TAGS, TAG_NAMES, tag_ids

__all__ = ["HEADINGS"]

# Level of a heading by the number of its tag, 0 for other tags.
_LEVELS: Final = np.zeros(len(TAG_NAMES), dtype=np.int64)
_LEVELS[tag_ids(HEADING_TAGS)] = np.arange(1, 7)


@dataclass(frozen=True, slots=True, eq=False)
class HeadingMeasures:
    """Measures of n blocks; each of *Shape:* ``(n,)``.

    :param level: level of the last heading at or before the block, 0 without one.
    :param blocks_since: number of blocks since that heading, or since the first block.
    :param words_since: number of words from there to the block.
    :param blocks_to_next: number of blocks to the next heading at or after the block, or to the end of the page.
    """

    level: IntArray
    blocks_since: IntArray
    words_since: DoubleArray
    blocks_to_next: IntArray


_FEATURES: Final[tuple[Feature[HeadingMeasures], ...]] = (
    Feature("no_heading", lambda m: m.level == 0),
    Feature("heading_level", lambda m: m.level, scale=6, why="h6 gives 1"),
    Feature("under_h1", lambda m: m.level == 1),
    Feature("under_h2", lambda m: m.level == 2),
    Feature("under_h3", lambda m: m.level == 3),
    Feature("blocks_since_heading", lambda m: np.log1p(m.blocks_since), scale=4, why="54 blocks give 1"),
    Feature("words_since_heading", lambda m: np.log1p(m.words_since), scale=6, why="402 words give 1"),
    Feature("to_next_heading", lambda m: np.log1p(m.blocks_to_next), scale=4, why="54 blocks give 1"),
)


def _measure(context: Context) -> HeadingMeasures:
    last = context.headings
    levels = _LEVELS[context.container_tags]
    position = np.arange(context.n_blocks)
    since = np.maximum(last, 0)
    backwards = np.maximum.accumulate(np.where(levels[::-1] > 0, position, -1))
    return HeadingMeasures(
        level=np.where(last < 0, 0, levels[last]),
        blocks_since=position - since,
        words_since=context.words_before[:-1] - context.words_before[since],
        blocks_to_next=context.n_blocks - 1 - backwards[::-1] - position,
    )


HEADINGS: Final = Table(_measure, _FEATURES)
