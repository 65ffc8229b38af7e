"""Scores of labels and of extracted texts, and their confidence intervals."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray

__all__ = [
    "COUNT_NAMES",
    "BlockScores",
    "WordScores",
    "block_scores",
    "bootstrap_block_scores",
    "bootstrap_means",
    "confusion_counts",
    "interval",
    "word_scores",
    "word_tokens",
]


COUNT_NAMES: Final = ("true_positives", "false_positives", "false_negatives", "true_negatives")
_TOKEN: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class BlockScores:
    """Scores of labels, with CONTENT as the positive class; each in [0, 1], 0 if the divisor is 0."""

    accuracy: float
    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, counts: IntArray) -> BlockScores:
        """Return the scores of one system.

        :param counts: numbers in the order of `COUNT_NAMES`. *Shape:* ``(4,)``
        """
        return cls(*block_scores(counts).tolist())

    def to_dict(self) -> dict[str, float]:
        """Return the scores by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class WordScores:
    """Scores of a text as a bag of words; each in [0, 1]."""

    precision: float
    recall: float
    f1: float

    def to_dict(self) -> dict[str, float]:
        """Return the scores by name."""
        return asdict(self)


def confusion_counts(predicted: IntArray, expected: IntArray) -> IntArray:
    """Return the numbers of true and false positives, false and true negatives. *Shapes:* ``(n,)`` -> ``(4,)``"""
    counts: IntArray = np.bincount(2 * (1 - predicted) + (1 - expected), minlength=4).astype(np.int64)
    true_positives, false_positives, false_negatives, true_negatives = counts
    return np.array([true_positives, false_positives, false_negatives, true_negatives])


def block_scores(counts: IntArray) -> DoubleArray:
    """Return accuracy, precision, recall and F1. *Shapes:* ``(…, 4)`` -> ``(…, 4)``

    :param counts: numbers in the order of `COUNT_NAMES`, summed over all pages.
    """
    positives, false_positives, false_negatives, negatives = np.moveaxis(counts, -1, 0)
    return np.stack(
        [
            _divide(positives + negatives, counts.sum(axis=-1)),
            _divide(positives, positives + false_positives),
            _divide(positives, positives + false_negatives),
            _divide(2 * positives, 2 * positives + false_positives + false_negatives),
        ],
        axis=-1,
    )


def _divide(part: IntArray, whole: IntArray) -> DoubleArray:
    return np.where(whole > 0, part / np.maximum(whole, 1), 0.0)


def word_tokens(text: str) -> list[str]:
    """Return the words of *text* as WCXB defines them."""
    return _TOKEN.findall(text.lower())


def word_scores(text: str, reference: str) -> WordScores:
    """Return the scores of *text* against *reference*, both as bags of lower-case words (the definition of WCXB).

    With an empty reference, all scores are 1 for an empty text and 0 for any other.
    """
    found, expected = (Counter(word_tokens(side)) for side in (text, reference))
    n_found, n_expected = found.total(), expected.total()
    if not n_expected:
        score = float(not n_found)
        return WordScores(score, score, score)
    n_common = (found & expected).total()
    if not n_common:
        return WordScores(0.0, 0.0, 0.0)
    return WordScores(n_common / n_found, n_common / n_expected, 2 * n_common / (n_found + n_expected))


def bootstrap_block_scores(counts: IntArray, *, n_samples: int, seed: int) -> DoubleArray:
    """Return the block scores of bootstrap samples of the pages.

    *Shapes:* ``(n_pages, 4)`` -> ``(n_samples, 4)``
    """
    return block_scores(_sample_pages(len(counts), n_samples, seed) @ counts)


def bootstrap_means(values: DoubleArray, *, n_samples: int, seed: int) -> DoubleArray:
    """Return the means of bootstrap samples of the pages.

    *Shapes:* ``(n_pages, k)`` -> ``(n_samples, k)``
    """
    means: DoubleArray = _sample_pages(len(values), n_samples, seed) @ values / len(values)
    return means


def _sample_pages(n_pages: int, n_samples: int, seed: int) -> IntArray:
    """Return the number of occurrences of each page in each sample. *Shape:* ``(n_samples, n_pages)``"""
    generator = np.random.default_rng(seed)
    return generator.multinomial(n_pages, np.full(n_pages, 1 / n_pages), size=n_samples)


def interval(samples: DoubleArray, *, level: float = 0.95) -> DoubleArray:
    """Return the ends of the central interval that holds the share *level* of the samples.

    *Shapes:* ``(n_samples, k)`` -> ``(2, k)``
    """
    tail = (1 - level) / 2
    ends: DoubleArray = np.quantile(samples, [tail, 1 - tail], axis=0)
    return ends
