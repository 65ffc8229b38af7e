"""Several texts as one sequence of symbols, which is how a page and its clean text are aligned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray

__all__ = ["JoinedTexts"]


@dataclass(frozen=True, slots=True, eq=False)
class JoinedTexts:
    """Texts, one after the other, as n symbols.

    :param starts: where each text starts, and one past the end of the last. *Shape:* ``(number of texts + 1,)``
    """

    starts: IntArray

    def count(self, chosen: BoolArray) -> IntArray:
        """Return how many of the *chosen* symbols each text has. *Shapes:* ``(n,)`` -> ``(number of texts,)``"""
        before = np.concatenate([[0], np.cumsum(chosen)])
        counts: IntArray = np.diff(before[self.starts])
        return counts
