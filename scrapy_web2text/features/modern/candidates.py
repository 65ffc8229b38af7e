"""Columns of a block's place relative to the likeliest main content, and to long blocks."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.features.measures import MEASURES
from scrapy_web2text.features.modern.context import Context, append, share
from scrapy_web2text.features.modern.table import Rows, Table, log1p, ratio, value

__all__ = ["CANDIDATES", "LONG_BLOCKS"]

# A candidate is the node with the largest ``gain * (gain / cost) ** power``. The gain of a node is its number of words
# in long blocks; its cost is the sum of its words, its linked words and its blocks.
_POWERS: Final = {"candidate": 1.0, "tight_candidate": 3.0}


_CANDIDATE_COLUMNS: Final = (
    value("in_{}", "is_inside"),
    value("behind_{}", "is_after"),
    log1p("from_{}", "distance", scale=4, why="54 blocks give 1"),
    value("progress_{}", "progress"),
    value("{}_share", "word_share"),
)


def _measure_candidates(context: Context, rows: Rows) -> None:
    cdom, n, words = context.cdom, context.n_blocks, context.words_before
    long, linked = context.long_before, context.linked_before
    # A page of a single block has no node; the last entry is the whole page.
    first, stop = append(cdom.first_leaves, 0), append(cdom.last_leaves + 1, n)
    depths = append(cdom.node_depths, 0)
    gain = long[stop] - long[first]
    cost = words[stop] - words[first] + (linked[stop] - linked[first]) + (stop - first)
    density = share(gain, cost)
    bonus = 1e-3 * depths * (gain > 0)  # of nodes of almost equal value, prefers the deepest
    best = [int(np.argmax(gain * density**power + bonus)) for power in _POWERS.values()]
    MEASURES.measure_ranges(context, first[best], stop[best], rows)


_LONG_BLOCK_COLUMNS: Final = (
    ratio("long_words_before", "before", "all_long"),
    ratio("long_words_after", "after", "all_long"),
    value("no_long_before"),
    value("no_long_after"),
    log1p("from_last_long", "since_last", scale=4, why="54 blocks give 1"),
    log1p("to_next_long", "to_next", scale=4, why="54 blocks give 1"),
)


def _measure_long_blocks(context: Context, rows: Rows) -> None:
    MEASURES.measure_long_blocks(context, context.long_before, rows)


CANDIDATES: Final = Table("candidates", _measure_candidates, _CANDIDATE_COLUMNS, variants=tuple(_POWERS))
LONG_BLOCKS: Final = Table("long_blocks", _measure_long_blocks, _LONG_BLOCK_COLUMNS)
