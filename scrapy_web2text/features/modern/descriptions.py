"""Columns of a block's overlap with the page's descriptions and with the texts in its JSON-LD."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, UintArray
from scrapy_web2text.features.columns import Feature
from scrapy_web2text.features.modern.context import Context, share
from scrapy_web2text.features.modern.table import Table
from scrapy_web2text.features.modern.words import Words

__all__ = ["DESCRIPTIONS", "repeated_share"]


@dataclass(frozen=True, slots=True, eq=False)
class DescriptionMeasures:
    """Measures of a page of n blocks.

    :param n_summary: number of words of the summary; the same for the bodies and the descriptions.
    :param in_bodies: share of each block's pairs of words that the bodies contain. *Shape:* ``(n,)``
    :param in_descriptions: share of each block's pairs of words that the descriptions contain. *Shape:* ``(n,)``
    """

    n_summary: int
    n_bodies: int
    n_descriptions: int
    in_bodies: DoubleArray
    in_descriptions: DoubleArray


_FEATURES: Final[tuple[Feature[DescriptionMeasures], ...]] = (
    # The share of the summary is `in_summary` in `inside.py`.
    Feature("page.log_summary", lambda m: np.log1p(m.n_summary), scale=5, why="147 words give 1"),
    Feature("in_bodies", lambda m: m.in_bodies),
    Feature("page.log_bodies", lambda m: np.log1p(m.n_bodies), scale=5, why="147 words give 1"),
    Feature("in_descriptions", lambda m: m.in_descriptions),
    Feature("page.log_descriptions", lambda m: np.log1p(m.n_descriptions), scale=5, why="147 words give 1"),
)


def _measure(context: Context) -> DescriptionMeasures:
    hint_words = context.hint_words
    return DescriptionMeasures(
        n_summary=len(hint_words.summary),
        n_bodies=len(hint_words.bodies),
        n_descriptions=len(hint_words.descriptions),
        in_bodies=repeated_share(context.words, hint_words.bodies),
        in_descriptions=repeated_share(context.words, hint_words.descriptions),
    )


def repeated_share(words: Words, text: UintArray) -> DoubleArray:
    """Return the share of each block's pairs of neighboring words that *text* contains. *Shapes:* ``(w,)`` -> ``(n,)``

    :param words: the words of n blocks.
    :param text: hashes of the words of a text.
    """
    return share(words.count_pairs_among(text), np.maximum(words.n_words - 1, 0))


DESCRIPTIONS: Final = Table(_measure, _FEATURES)
