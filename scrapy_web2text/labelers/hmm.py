"""Decoding of a chain of blocks with two labels: max-marginals and marginals of the HMM of Web2Text, section 3.5.

With two labels a message along the chain is a single number: the ratio of its value for CONTENT (1) to its value for
BOILERPLATE (0). Max-product and sum-product then differ in one operation. `labelers.sums` passes the messages: in a
compiled loop or in Python, since a call of numpy costs more than the arithmetic of one step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, DoubleArray, IntArray, RealArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.labelers.sums import SUMS
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.blocks import mask_to_labels

__all__ = ["decode", "marginals", "max_marginal_log_odds", "odds_to_potentials", "viterbi"]


# Differences of log-potentials are clipped so that no message overflows or underflows.
_MAX_LOG: Final = 100.0
Messages = Callable[[DoubleArray, DoubleArray], DoubleArray]


def odds_to_potentials(odds: RealArray, pairs: RealArray) -> tuple[DoubleArray, DoubleArray]:
    """Return the output of a network as log-potentials of blocks and pairs.

    *Shapes:* ``(n,)``, ``(n - 1, 4)`` -> ``(n, 2)``, ``(n - 1, 2, 2)``

    :param odds: log-odds of CONTENT.
    :param pairs: log-potentials of the label pairs 00, 01, 10, 11.
    """
    unary = np.stack([np.zeros(len(odds)), odds], axis=1, dtype=np.float64)
    return unary, pairs.astype(np.float64).reshape(-1, 2, 2)


def decode(
    unary: RealArray, pairwise: RealArray, *, decoder: Decoder, threshold: float
) -> tuple[BoolArray, DoubleArray]:
    """Return which blocks are content, and the probability of each.

    *Shapes:* unary ``(n, 2)``, pairwise ``(n - 1, 2, 2)``, results ``(n,)``.

    :param threshold: minimum probability of content (``marginal``), or its log-odds as the minimum max-marginal
        (``viterbi``).
    :raises ValueError: if the shapes do not agree.
    """
    ratios = _ratios(unary, pairwise)
    probabilities = _to_probabilities(_log_odds(*ratios, SUMS.pass_sum_messages))
    if decoder == "marginal":
        return probabilities >= threshold, probabilities
    return _log_odds(*ratios, SUMS.pass_max_messages) > np.log(threshold / (1 - threshold)), probabilities


def viterbi(unary: RealArray, pairwise: RealArray) -> IntArray:
    """Return the labels of maximum total log-potential.

    If several labelings share the maximum, a block is CONTENT only if all of them agree on it.

    *Shapes:* unary ``(n, 2)``, pairwise ``(n - 1, 2, 2)``, result ``(n,)``.

    :raises ValueError: if the shapes do not agree.
    """
    return mask_to_labels(max_marginal_log_odds(unary, pairwise) > 0)


def max_marginal_log_odds(unary: RealArray, pairwise: RealArray) -> DoubleArray:
    """Return, for each block, the best total with label 1 minus the best total with label 0.

    They are positive exactly for the blocks that have label 1 in every best labeling. A threshold of 0 therefore gives
    the Viterbi labeling, and every higher threshold selects a subset of it.

    *Shapes:* unary ``(n, 2)``, pairwise ``(n - 1, 2, 2)``, result ``(n,)``.

    :raises ValueError: if the shapes do not agree.
    """
    return _log_odds(*_ratios(unary, pairwise), SUMS.pass_max_messages)


def marginals(unary: RealArray, pairwise: RealArray) -> DoubleArray:
    """Return the posterior probability of label 1 for each block, by the forward-backward algorithm.

    *Shapes:* unary ``(n, 2)``, pairwise ``(n - 1, 2, 2)``, result ``(n,)``.

    :raises ValueError: if the shapes do not agree.
    """
    return _to_probabilities(_log_odds(*_ratios(unary, pairwise), SUMS.pass_sum_messages))


def _to_probabilities(log_odds: DoubleArray) -> DoubleArray:
    probabilities: DoubleArray = 1 / (1 + np.exp(-log_odds))
    return probabilities


def _ratios(unary: RealArray, pairwise: RealArray) -> tuple[DoubleArray, DoubleArray]:
    """Return the potentials as ratios: of blocks (1 to 0), and of pairs (01, 10 and 11, each to 00).

    *Shapes:* ``(n,)``, ``(3, n)``; the last pair does not exist, and is 1.

    :raises ValueError: if the shapes do not agree.
    """
    n = len(unary)
    if unary.shape != (n, 2) or pairwise.shape != (max(n - 1, 0), 2, 2):
        raise ValueError(f"expected shapes (n, 2) and (n - 1, 2, 2), got {unary.shape} and {pairwise.shape}")
    # All at once: on most pages, a call of numpy costs more than its arithmetic.
    logs = np.zeros((4, n))
    np.subtract(unary[:, 1], unary[:, 0], out=logs[0], dtype=np.float64)
    if n > 1:
        flat = pairwise.reshape(-1, 4)
        np.subtract(flat[:, 1:].T, flat[:, 0], out=logs[1:, :-1], dtype=np.float64)
    np.minimum(np.maximum(logs, -_MAX_LOG, out=logs), _MAX_LOG, out=logs)  # `clip` takes three times as long
    np.exp(logs, out=logs)
    return logs[0], logs[1:]


def _log_odds(odds: DoubleArray, pairs: DoubleArray, pass_messages: Messages) -> DoubleArray:
    """Return the log-odds of each block, given the function that passes messages. *Shape:* ``(n,)``"""
    if not len(odds):
        return np.zeros(0)
    check_time()
    forward, backward = pass_messages(odds, pairs)
    check_time()
    log_odds: DoubleArray = np.log(odds) + np.log(forward) + np.log(backward)
    return log_odds
