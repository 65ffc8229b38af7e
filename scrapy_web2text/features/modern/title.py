"""Columns of a block's similarity to the page's title and first ``h1``, and of its distance from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.features.columns import Feature
from scrapy_web2text.features.modern.context import Context, share
from scrapy_web2text.features.modern.table import Table
from scrapy_web2text.page.arrays import TAG_NAMES

__all__ = ["TITLE"]

_H1: Final = TAG_NAMES.index("h1")
_LEAST_LIKENESS: Final = 0.3  # of the block that is taken as the title of the page


@dataclass(frozen=True, slots=True, eq=False)
class TitleMeasures:
    """Measures of n blocks; each array of *Shape:* ``(n,)``.

    :param overlap: share of the block's words that the title contains.
    :param covered: share of the title's words that the block contains, at most 1.
    :param likeness: ``overlap * covered``.
    :param h1_overlap: share of the block's words that the first ``h1`` contains, or the first block without an ``h1``.
    :param from_title: number of blocks from the block that is most like the title; negative before it.
    :param from_h1: number of blocks from the first ``h1``; negative before it.
    """

    overlap: DoubleArray
    covered: DoubleArray
    likeness: DoubleArray
    h1_overlap: DoubleArray
    from_title: IntArray
    from_h1: IntArray
    has_h1: bool


def _signed_log(distances: IntArray) -> DoubleArray:
    logs: DoubleArray = np.sign(distances) * np.log1p(np.abs(distances))
    return logs


_FEATURES: Final[tuple[Feature[TitleMeasures], ...]] = (
    Feature("title_overlap", lambda m: m.overlap),
    Feature("title_covered", lambda m: m.covered),
    Feature("title_likeness", lambda m: m.likeness),
    Feature("h1_overlap", lambda m: m.h1_overlap),
    Feature("behind_title", lambda m: m.from_title >= 0),
    Feature("from_title", lambda m: _signed_log(m.from_title), scale=4, why="54 blocks give 1"),
    Feature("from_h1", lambda m: _signed_log(m.from_h1), scale=4, why="54 blocks give 1"),
    Feature("has_h1", lambda m: m.has_h1),
)


def _measure(context: Context) -> TitleMeasures:
    words, n_words = context.words, context.counts.words
    title_words = np.unique(context.hint_words.title)
    shared = words.count_among(title_words)
    covered = np.minimum(share(shared, len(title_words)), 1)
    overlap = share(shared, n_words)
    likeness = covered * overlap
    is_h1 = context.container_tags == _H1
    h1 = int(np.argmax(is_h1))  # the first block if none is an h1
    title = int(np.argmax(likeness)) if likeness.max() > _LEAST_LIKENESS else h1
    h1_words = words.hashes[words.starts[h1] : words.ends[h1]]
    position = np.arange(context.n_blocks)
    return TitleMeasures(
        overlap=overlap,
        covered=covered,
        likeness=likeness,
        h1_overlap=share(words.count_among(h1_words), n_words),
        from_title=position - title,
        from_h1=position - h1,
        has_h1=bool(is_h1[h1]),
    )


TITLE: Final = Table(_measure, _FEATURES)
