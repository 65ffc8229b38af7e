"""Columns of the whole page, the same for all its blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray
from scrapy_web2text.features.columns import Feature, FeatureGroup
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.table import Table
from scrapy_web2text.page.arrays import TAG_NAMES, tag_ids

__all__ = ["WHOLE_PAGE"]

_TAGS: Final = (
    *("article", "main", "p", "li", "table", "pre", "h1", "h2", "h3", "form", "img", "button", "a", "input", "select"),
    *("iframe", "video", "nav", "time", "dt"),
)
_TAG_NUMBERS: Final = tag_ids(_TAGS)


@dataclass(frozen=True, slots=True, eq=False)
class PageMeasures:
    """Sums over the blocks of a page.

    :param n_currency: number of blocks with a currency sign.
    :param n_long: number of long blocks.
    :param log_tags: log1p of the number of elements of each of the tags. *Shape:* ``(20, 1)``
    """

    n_blocks: int
    chars: float
    words: float
    linked_words: float
    long_words: float
    full_stops: float
    digits: float
    letters: float
    n_currency: int
    n_long: int
    log_tags: DoubleArray

    def per_word(self, count: float) -> float:
        """Return *count* divided by the number of words, at least 1."""
        return count / max(self.words, 1)

    def per_character(self, count: float) -> float:
        """Return *count* divided by the number of characters, at least 1."""
        return count / max(self.chars, 1)


_FEATURES: Final[tuple[Feature[PageMeasures] | FeatureGroup[PageMeasures], ...]] = (
    Feature("page.log_blocks", lambda m: math.log(m.n_blocks), scale=4, why="55 blocks give 1"),
    Feature("page.log_words", lambda m: math.log1p(m.words), scale=5, why="147 words give 1"),
    Feature("page.link_density", lambda m: m.per_word(m.linked_words)),
    Feature("page.words_per_block", lambda m: math.log1p(m.words / m.n_blocks), scale=2, why="6.4 words give 1"),
    Feature("page.long_share", lambda m: m.per_word(m.long_words)),
    Feature("page.full_stops", lambda m: 10 * m.per_word(m.full_stops)),  # in ten words
    Feature("page.digits", lambda m: 5 * m.per_character(m.digits)),  # in five characters
    Feature("page.letters", lambda m: m.per_character(m.letters)),
    Feature(
        "page.word_length", lambda m: min(m.per_word(m.chars), 20), scale=10, why="as for the `word_length` of a block"
    ),
    Feature("page.currency_per_block", lambda m: m.n_currency / m.n_blocks),
    Feature("page.blocks_with_long", lambda m: m.n_long / m.n_blocks),
    FeatureGroup(
        tuple(f"page.log_{tag}" for tag in _TAGS), lambda m: m.log_tags, scale=3, why="19 elements of the tag give 1"
    ),
)


def _measure(context: Context) -> PageMeasures:
    counts = context.counts
    totals = dict(zip(counts.__slots__, counts.stack().sum(axis=1).tolist(), strict=True))
    names = ("chars", "words", "linked_words", "long_words", "full_stops", "digits", "letters")
    tag_counts = np.bincount(context.page.tags, minlength=len(TAG_NAMES))[_TAG_NUMBERS].tolist()
    return PageMeasures(
        n_blocks=context.n_blocks,
        **{name: totals[name] for name in names},
        n_currency=int(np.count_nonzero(counts.currency)),
        n_long=int(np.count_nonzero(counts.long_words)),
        log_tags=np.array([math.log1p(count) for count in tag_counts])[:, None],
    )


WHOLE_PAGE: Final = Table(_measure, _FEATURES)
