"""Confidence: the word F1 that an answer probably has, from its own probabilities and from similar answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.characters import UNSPACED_SCRIPTS, count_tokens
from scrapy_web2text.page.blocks import Label

__all__ = [
    "CONFIDENCE_STATISTICS",
    "EMPTY_PAGE_WORDS",
    "TEXTLESS_PAGE_F1",
    "confidence_statistics",
    "drop_unlikely_content",
    "expected_content_words",
    "expected_f1",
    "predict_f1",
    "share_of_read_words",
]


# An empty answer is not credible for a page with more expected words of content than this. If the whole page has fewer
# words, their number is the limit.
EMPTY_PAGE_WORDS: Final = 50.0
# Expected word F1 of the empty answer for a page without text. Of nine such pages of WCXB, five have no main content;
# the other four load it by script.
TEXTLESS_PAGE_F1: Final = 0.5
# The columns from which the F1 of an answer is predicted, see `confidence_statistics`.
CONFIDENCE_STATISTICS: Final = ("constant", "log_odds_of_expected_f1", "log_runs", "has_content", "log_words")
_MIN_F1: Final = 1e-3
# A character that could not be decoded, with the rest of its word; letters of scripts without spaces are words.
_UNREAD_WORD: Final = re.compile(
    "\ufffd(?:\ufffd|[^\\W{}])*+".format("".join(f"{chr(low)}-{chr(high)}" for low, high in UNSPACED_SCRIPTS))
)


def expected_content_words(probabilities: DoubleArray, n_tokens: IntArray) -> float:
    """Return the expected number of words of content on the page. *Shapes:* ``(n,)``, ``(n,)``"""
    return float(np.einsum("i,i->", probabilities, n_tokens))  # `multiply` says why not with @


def expected_f1(labels: IntArray, probabilities: DoubleArray, n_tokens: IntArray) -> float:
    """Return the approximate expected word F1 of the answer, in [0, 1].

    Counted in words: 2 · (expected content among the selected) / (all selected + all expected content). If nothing is
    selected, the result falls from 1 to 0 as the expected content grows to `EMPTY_PAGE_WORDS`.

    *Shapes:* ``(n,)`` each.
    """
    if not len(labels):
        return TEXTLESS_PAGE_F1
    expected = expected_content_words(probabilities, n_tokens)
    (selected,) = labels.nonzero()  # BOILERPLATE is 0
    if len(selected):
        n_tokens_selected = n_tokens[selected]
        hit = expected_content_words(probabilities[selected], n_tokens_selected)
        total = float(n_tokens_selected.sum()) + expected
        return 2 * hit / total if total else 0.0
    # Not always `EMPTY_PAGE_WORDS`: the main content of a page may be a note of ten words.
    return 1 - min(1.0, expected / max(1.0, min(EMPTY_PAGE_WORDS, float(n_tokens.sum()))))


def drop_unlikely_content(labels: IntArray, probabilities: DoubleArray, n_tokens: IntArray) -> IntArray:
    """Return *labels*, or only BOILERPLATE if the empty answer has the higher expected word F1.

    Walls, error pages and shells that a script would fill have no main content.

    *Shapes:* ``(n,)`` each.
    """
    empty = np.full_like(labels, Label.BOILERPLATE)
    is_better = expected_f1(empty, probabilities, n_tokens) > expected_f1(labels, probabilities, n_tokens)
    return empty if is_better else labels


def confidence_statistics(labels: IntArray, probabilities: DoubleArray, n_tokens: IntArray) -> DoubleArray:
    """Return the statistics of an answer that predict its word F1, see `CONFIDENCE_STATISTICS`. *Shape:* ``(5,)``

    One of them is the number of runs of content: the errors of neighboring blocks are correlated, so an answer in many
    pieces is worse than its probabilities say.

    *Shapes:* ``(n,)`` each.
    """
    expected = np.clip(expected_f1(labels, probabilities, n_tokens), _MIN_F1, 1 - _MIN_F1)
    n_runs = np.count_nonzero(np.diff(labels, prepend=Label.BOILERPLATE) > 0)  # a run begins where labels rise
    return np.array(
        [1.0, np.log(expected / (1 - expected)), np.log1p(n_runs), float(n_runs > 0), np.log1p(n_tokens.sum())]
    )


def predict_f1(statistics: DoubleArray, weights: Mapping[str, float]) -> float:
    """Return the average word F1 of answers with these *statistics*, in (0, 1), by logistic regression.

    :param statistics: the result of `confidence_statistics`. *Shape:* ``(5,)``
    :param weights: a weight for each name in `CONFIDENCE_STATISTICS`.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # a `Labeling` is finite
        score = np.einsum("i,i->", statistics, [weights[name] for name in CONFIDENCE_STATISTICS])
        return float(1 / (1 + np.exp(-score)))


def share_of_read_words(text: str) -> float:
    """Return the share of the words of *text* without U+FFFD, in [0, 1].

    A word with a character that could not be decoded is not a right word, and the right one is missing. So precision
    and recall, and with them the expected word F1, fall by the share of these words.
    """
    if "\ufffd" not in text:
        return 1.0
    check_time()
    n_unread = sum(1 for _ in _UNREAD_WORD.finditer(text))
    check_time()
    n_words = int(count_tokens([text.replace("\ufffd", "x")])[0])  # so that it does not cut a word in two
    return max(0.0, 1 - n_unread / n_words)
