"""How sure an answer is: the word F1 that its own probabilities let expect."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["EMPTY_PAGE_WORDS", "expected_content_words", "expected_f1"]

IntArray = NDArray[np.int64]
DoubleArray = NDArray[np.float64]

# A page that is expected to hold more words of content than this is not believed to have none.
EMPTY_PAGE_WORDS: Final = 50.0


def expected_content_words(probabilities: DoubleArray, n_tokens: IntArray) -> float:
    """Return how many words of content the page is expected to have. *Shapes:* ``(n,)``, ``(n,)``"""
    return float(probabilities @ n_tokens)


def expected_f1(labels: IntArray, probabilities: DoubleArray, n_tokens: IntArray) -> float:
    """Return the approximate expectation of the answer's word F1, in [0, 1].

    With words as weights, 2 · (expected content among the selected) / (all selected + all expected content). With
    nothing selected, how unlikely it is that there was something. A page without text is answered surely.

    *Shapes:* ``(n,)`` each.
    """
    expected = expected_content_words(probabilities, n_tokens)
    selected = labels == 1
    if selected.any():
        n_selected = float(n_tokens[selected].sum())
        hit = float(probabilities[selected] @ n_tokens[selected])
        total = n_selected + expected
        return 2 * hit / total if total else 0.0
    return 1 - min(1.0, expected / EMPTY_PAGE_WORDS)
