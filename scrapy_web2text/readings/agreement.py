"""How far two readings of the same pages agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_web2text.page.blocks import Label
from scrapy_web2text.readings.fit import UNKNOWN, fit_hashes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_web2text.arrays import IntArray
    from scrapy_web2text.readings.reading import Reading

__all__ = ["Agreement", "compare_readings", "kappa"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two readings of a page, compared.

    :param counts: number of blocks by the label of the first reader and that of the second. *Shape:* ``(2, 2)``
    :param f1: F1 of the content by words; None if neither reading has the numbers of words of its blocks, or
        no block is in both.
    :param n_unmatched: blocks that only one of the readers saw, since the page changed.
    """

    counts: IntArray
    f1: float | None
    n_unmatched: int

    @property
    def n_different(self) -> int:
        """Number of blocks with different labels."""
        return int(self.counts[0, 1] + self.counts[1, 0])


def compare_readings(first: Reading, second: Reading) -> Agreement:
    """Return how far two readings of a page agree on the blocks that both readers saw."""
    fit = fit_hashes(second, first.hashes, first.paths)
    is_known = fit.labels != UNKNOWN
    a, b = first.labels[is_known], fit.labels[is_known]
    counts = np.bincount(2 * a + b, minlength=4).reshape(2, 2)
    f1 = _f1(a, b, np.array(first.words, dtype=np.int64)[is_known]) if first.words and len(a) else None
    if f1 is None and second.words and len(a):
        f1 = compare_readings(second, first).f1
    return Agreement(counts, f1, fit.n_unknown + len(fit.lost))


def kappa(counts: Iterable[IntArray]) -> float | None:
    """Return Cohen's kappa of two readers over all blocks; None if both gave all the same label, or there are none.

    J. Cohen, A Coefficient of Agreement for Nominal Scales, Educational and Psychological Measurement 20, 1960.

    :param counts: `Agreement.counts` of each page.
    """
    total = sum(counts, np.zeros((2, 2), dtype=np.int64))
    n = int(total.sum())
    by_chance = float((total.sum(axis=0) * total.sum(axis=1)).sum()) / n**2 if n else 1.0
    return None if by_chance == 1 else float(np.trace(total) / n - by_chance) / (1 - by_chance)


def _f1(first: IntArray, second: IntArray, words: IntArray) -> float:
    """Return the F1 of the content by words; 1 if both readers found none."""
    both = int(words[(first & second) == Label.CONTENT].sum())
    total = int(words[first == Label.CONTENT].sum() + words[second == Label.CONTENT].sum())
    return 2 * both / total if total else 1.0
