"""Columns of a block's place relative to the likeliest main content, and to long blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.features.columns import Feature
from scrapy_web2text.features.modern.context import Context, prefix_sums, share
from scrapy_web2text.features.modern.table import Table

__all__ = ["CANDIDATES", "LONG_BLOCKS"]

# A candidate is the node with the largest ``gain * (gain / cost) ** power``. The gain of a node is its number of words
# in long blocks; its cost is the sum of its words, its linked words and its blocks.
_POWERS: Final = {"candidate": 1.0, "tight_candidate": 3.0}


@dataclass(frozen=True, slots=True, eq=False)
class CandidateMeasures:
    """Measures of n blocks and the two candidates.

    :param position: number of blocks before each block. *Shape:* ``(n,)``
    :param start: first block of each candidate; `end` is one past the last. *Shape:* ``(2, 1)``
    :param word_share: share of the page's words in each candidate. *Shape:* ``(2, 1)``
    """

    position: IntArray
    start: IntArray
    end: IntArray
    word_share: DoubleArray


def _distances(m: CandidateMeasures) -> IntArray:
    """Return the number of blocks between each block and the candidates, 0 inside. *Shape:* ``(2, n)``"""
    distances: IntArray = np.maximum(np.maximum(m.start - m.position, m.position - m.end + 1), 0)
    return distances


_CANDIDATE_FEATURES: Final[tuple[Feature[CandidateMeasures], ...]] = (
    Feature("in_{}", lambda m: (m.position >= m.start) & (m.position < m.end)),
    Feature("behind_{}", lambda m: m.position >= m.end),
    Feature("from_{}", lambda m: np.log1p(_distances(m)), scale=4, why="54 blocks give 1"),
    Feature("progress_{}", lambda m: np.clip((m.position - m.start) / np.maximum(m.end - m.start, 1), 0, 1)),
    Feature("{}_share", lambda m: m.word_share),
)


def _measure_candidates(context: Context) -> CandidateMeasures:
    cdom, n, words = context.cdom, context.n_blocks, context.words_before
    long, linked = prefix_sums(context.counts.long_words), prefix_sums(context.counts.linked_words)
    # A page of a single block has no node; the last entry is the whole page.
    first, stop = np.append(cdom.first_leaves, 0), np.append(cdom.last_leaves + 1, n)
    depths = np.append(cdom.node_depths, 0)
    gain = long[stop] - long[first]
    cost = words[stop] - words[first] + (linked[stop] - linked[first]) + (stop - first)
    value = share(gain, cost)
    bonus = 1e-3 * depths * (gain > 0)  # of nodes of almost equal value, prefers the deepest
    best = [int(np.argmax(gain * value**power + bonus)) for power in _POWERS.values()]
    start, end = first[best][:, None], stop[best][:, None]
    return CandidateMeasures(
        position=np.arange(n), start=start, end=end, word_share=share(words[end] - words[start], words[-1])
    )


@dataclass(frozen=True, slots=True, eq=False)
class LongBlockMeasures:
    """Measures of n blocks; each array of *Shape:* ``(n,)``.

    :param n_words: number of words in all long blocks of the page.
    :param words_before: number of words in long blocks before the block; `words_after` those after it.
    :param since_last: number of blocks since the last long block at or before the block, -1 without one.
    :param to_next: number of blocks to the next long block at or after the block, -1 without one.
    """

    n_blocks: int
    n_words: float
    words_before: DoubleArray
    words_after: DoubleArray
    since_last: IntArray
    to_next: IntArray


def _log_distance(distances: IntArray, if_none: int) -> DoubleArray:
    logs: DoubleArray = np.log1p(np.where(distances < 0, if_none, distances))
    return logs


_LONG_BLOCK_FEATURES: Final[tuple[Feature[LongBlockMeasures], ...]] = (
    Feature("long_words_before", lambda m: share(m.words_before, m.n_words)),
    Feature("long_words_after", lambda m: share(m.words_after, m.n_words)),
    Feature("no_long_before", lambda m: m.since_last < 0),
    Feature("no_long_after", lambda m: m.to_next < 0),
    Feature("from_last_long", lambda m: _log_distance(m.since_last, m.n_blocks), scale=4, why="54 blocks give 1"),
    Feature("to_next_long", lambda m: _log_distance(m.to_next, m.n_blocks), scale=4, why="54 blocks give 1"),
)


def _measure_long_blocks(context: Context) -> LongBlockMeasures:
    n, is_long = context.n_blocks, context.counts.long_words > 0
    words = prefix_sums(context.counts.long_words)
    position = np.arange(n)
    last = np.maximum.accumulate(np.where(is_long, position, -1))
    next_from_end = np.maximum.accumulate(np.where(is_long[::-1], position, -1))[::-1]
    return LongBlockMeasures(
        n_blocks=n,
        n_words=float(words[-1]),
        words_before=words[:-1],
        words_after=words[-1] - words[1:],
        since_last=np.where(last < 0, -1, position - last),
        to_next=np.where(next_from_end < 0, -1, n - 1 - next_from_end - position),
    )


CANDIDATES: Final = Table(_measure_candidates, _CANDIDATE_FEATURES, variants=tuple(_POWERS))
LONG_BLOCKS: Final = Table(_measure_long_blocks, _LONG_BLOCK_FEATURES)
