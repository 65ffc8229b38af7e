"""How sure an answer is: the word F1 that its own probabilities let expect, and what experience makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray

__all__ = [
    "CONFIDENCE_STATISTICS",
    "EMPTY_PAGE_WORDS",
    "TEXTLESS_PAGE_F1",
    "confidence_statistics",
    "expected_content_words",
    "expected_f1",
    "or_nothing",
    "predict_f1",
]


# A page that is expected to hold more words of content than this, or nothing else, is not believed to have none.
EMPTY_PAGE_WORDS: Final = 50.0
# What is believed of the empty answer for a page without any text: of nine such pages of WCXB, five have no main
# content indeed; that of the others comes from scripts.
TEXTLESS_PAGE_F1: Final = 0.5
# What a page's F1 is predicted from, behind a constant; see `confidence_statistics`.
CONFIDENCE_STATISTICS: Final = ("constant", "log_odds_of_expected_f1", "log_runs", "has_content", "log_words")
_LEAST_F1: Final = 1e-3


def expected_content_words(probabilities: DoubleArray, n_tokens: IntArray) -> float:
    """Return how many words of content the page is expected to have. *Shapes:* ``(n,)``, ``(n,)``"""
    return float(probabilities @ n_tokens)


def expected_f1(labels: IntArray, probabilities: DoubleArray, n_tokens: IntArray) -> float:
    """Return the approximate expectation of the answer's word F1, in [0, 1].

    With words as weights, 2 · (expected content among the selected) / (all selected + all expected content). With
    nothing selected, how unlikely it is that there was something.

    *Shapes:* ``(n,)`` each.
    """
    if not len(labels):
        return TEXTLESS_PAGE_F1
    expected = expected_content_words(probabilities, n_tokens)
    selected = labels == 1
    if selected.any():
        n_selected = float(n_tokens[selected].sum())
        hit = float(probabilities[selected] @ n_tokens[selected])
        total = n_selected + expected
        return 2 * hit / total if total else 0.0
    # A note of ten words may be all that a page has to say.
    return 1 - min(1.0, expected / max(1.0, min(EMPTY_PAGE_WORDS, float(n_tokens.sum()))))


def or_nothing(labels: IntArray, probabilities: DoubleArray, n_tokens: IntArray) -> IntArray:
    """Return *labels*, or only BOILERPLATE where an empty answer has the better expected word F1.

    Shells that a script would fill, walls and error pages have no main content.

    *Shapes:* ``(n,)`` each.
    """
    nothing = np.zeros_like(labels)
    is_better = expected_f1(nothing, probabilities, n_tokens) > expected_f1(labels, probabilities, n_tokens)
    return nothing if is_better else labels


def confidence_statistics(labels: IntArray, probabilities: DoubleArray, n_tokens: IntArray) -> DoubleArray:
    """Return what a page's word F1 is predicted from, in the order of `CONFIDENCE_STATISTICS`. *Shape:* ``(5,)``

    An answer in many pieces is worse than its probabilities say, as the errors of neighbours hang together.

    *Shapes:* ``(n,)`` each.
    """
    expected = np.clip(expected_f1(labels, probabilities, n_tokens), _LEAST_F1, 1 - _LEAST_F1)
    n_runs = np.count_nonzero(np.diff(labels, prepend=0) == 1)
    return np.array(
        [1.0, np.log(expected / (1 - expected)), np.log1p(n_runs), float(n_runs > 0), np.log1p(n_tokens.sum())]
    )


def predict_f1(statistics: DoubleArray, weights: Mapping[str, float]) -> float:
    """Return the word F1 that pages with these *statistics* had on average, in (0, 1): a logistic regression.

    :param statistics: as `confidence_statistics` gives them. *Shape:* ``(5,)``
    :param weights: by the names of `CONFIDENCE_STATISTICS`.
    """
    score = float(statistics @ np.array([weights[name] for name in CONFIDENCE_STATISTICS]))
    return float(1 / (1 + np.exp(-score)))
