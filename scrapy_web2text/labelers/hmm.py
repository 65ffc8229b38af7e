"""Decoding of a chain of blocks with two labels: max-marginals and marginals of the HMM of Web2Text, section 3.5.

With two labels a message along the chain is one number, the ratio of what it says of CONTENT to what it says of
BOILERPLATE. Max-product and sum-product then differ in one operation. Loops over Python floats are faster here than
numpy, whose calls cost more than the arithmetic of one step.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray, RealArray

__all__ = ["marginals", "max_marginal_log_odds", "viterbi"]


# Differences of log-potentials are kept in a range in which no message leaves that of a double.
_LARGEST_LOG: Final = 100.0


def viterbi(unary: RealArray, pairwise: RealArray) -> IntArray:
    """Return the labelling of maximum total log-potential; a block that is as good with either label gets 0.

    *Shapes:* unary ``(n, 2)``, pairwise ``(n - 1, 2, 2)``, result ``(n,)``.

    :raises ValueError: if the shapes do not agree.
    """
    return (max_marginal_log_odds(unary, pairwise) > 0).astype(np.int64)


def max_marginal_log_odds(unary: RealArray, pairwise: RealArray) -> DoubleArray:
    """Return, for each block, the best total with label 1 minus the best total with label 0.

    A block's log-odds are above 0 exactly where the best labelling says 1, so a threshold of 0 on them is Viterbi's
    answer, and each higher threshold selects a subset.

    *Shapes:* unary ``(n, 2)``, pairwise ``(n - 1, 2, 2)``, result ``(n,)``.

    :raises ValueError: if the shapes do not agree.
    """
    odds, pairs = _ratios(unary, pairwise)
    return _combine(odds, _max_messages(*pairs, odds), _max_messages(*_reverse(pairs), odds[::-1]))


def marginals(unary: RealArray, pairwise: RealArray) -> DoubleArray:
    """Return the posterior probability of label 1 for each block, by the forward-backward algorithm.

    *Shapes:* unary ``(n, 2)``, pairwise ``(n - 1, 2, 2)``, result ``(n,)``.

    :raises ValueError: if the shapes do not agree.
    """
    odds, pairs = _ratios(unary, pairwise)
    log_odds = _combine(odds, _sum_messages(*pairs, odds), _sum_messages(*_reverse(pairs), odds[::-1]))
    probabilities: DoubleArray = 1 / (1 + np.exp(-log_odds))
    return probabilities


Pairs = tuple[list[float], list[float], list[float]]


def _ratios(unary: RealArray, pairwise: RealArray) -> tuple[list[float], Pairs]:
    """Return each block's potential of 1 relative to 0, and each pair's of 01, 10 and 11 relative to 00."""
    n = len(unary)
    if unary.shape != (n, 2) or pairwise.shape != (max(n - 1, 0), 2, 2):
        raise ValueError(f"expected shapes (n, 2) and (n - 1, 2, 2), got {unary.shape} and {pairwise.shape}")
    unary, pairwise = unary.astype(np.float64), pairwise.reshape(-1, 4).astype(np.float64)
    odds = np.exp(np.clip(unary[:, 1] - unary[:, 0], -_LARGEST_LOG, _LARGEST_LOG))
    pairs = np.exp(np.clip(pairwise[:, 1:] - pairwise[:, :1], -_LARGEST_LOG, _LARGEST_LOG))
    return odds.tolist(), (pairs[:, 0].tolist(), pairs[:, 1].tolist(), pairs[:, 2].tolist())


def _reverse(pairs: Pairs) -> Pairs:
    """Return the pairs of the chain read backwards."""
    p01, p10, p11 = pairs
    return p10[::-1], p01[::-1], p11[::-1]


def _max_messages(p01: list[float], p10: list[float], p11: list[float], odds: list[float]) -> list[float]:
    """Return what the blocks before each block say of it, if each takes its best label. *Length:* that of *odds*."""
    message = 1.0
    messages = [message]
    for own, to_1_from_0, to_0_from_1, to_1_from_1 in zip(odds, p01, p10, p11, strict=False):
        ratio = message * own
        to_0, to_1 = ratio * to_0_from_1, ratio * to_1_from_1
        # Calls of max() would double the time.
        message = (to_1 if to_1 > to_1_from_0 else to_1_from_0) / (to_0 if to_0 > 1.0 else 1.0)  # noqa: FURB136
        messages.append(message)
    return messages


def _sum_messages(p01: list[float], p10: list[float], p11: list[float], odds: list[float]) -> list[float]:
    """Return what the blocks before each block say of it, over all their labellings. *Length:* that of *odds*."""
    message = 1.0
    messages = [message]
    for own, to_1_from_0, to_0_from_1, to_1_from_1 in zip(odds, p01, p10, p11, strict=False):
        ratio = message * own
        message = (to_1_from_0 + ratio * to_1_from_1) / (1.0 + ratio * to_0_from_1)
        messages.append(message)
    return messages


def _combine(odds: list[float], forward: list[float], backward: list[float]) -> DoubleArray:
    """Return the log of each block's odds times the messages from both sides, the second reversed. *Shape:* ``(n,)``"""
    n = len(odds)
    log_odds: DoubleArray = np.log(odds) + np.log(forward[:n]) + np.log(backward[:n][::-1])
    return log_odds
