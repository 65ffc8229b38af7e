"""Choices made on val after the fitting: the weight of the pairwise term, and the temperature of the probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from scrapy_web2text.evaluation.scores import BlockScores, block_scores, confusion_counts
from scrapy_web2text.labelers.hmm import marginals, max_marginal_log_odds
from scrapy_web2text.page.blocks import Label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_web2text.arrays import AnyArray, DoubleArray, IntArray
    from scrapy_web2text.training.recipe import DecodingChoice

__all__ = ["Calibration", "Potentials", "best_temperature", "calibrate", "find_temperature", "log_loss"]

# Temperatures from 1/20 to 20 are searched, until the logarithm is known to within the tolerance.
_LARGEST_TEMPERATURE: Final = 20.0
_TOLERANCE: Final = 0.005
_GOLDEN: Final = (5**0.5 - 1) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Potentials:
    """The log-potentials of many pages, page by page, with their labels.

    *Shapes:* per page of n blocks: unary ``(n, 2)``, pairwise ``(n - 1, 2, 2)``; labels ``(n_blocks,)`` of all pages.
    """

    unary: Sequence[DoubleArray]
    pairwise: Sequence[DoubleArray]
    labels: IntArray

    def decode(self, decoder: Callable[..., AnyArray], lam: float, temperature: float = 1.0) -> AnyArray:
        """Return the results of *decoder*, a function of `labelers.hmm`, for all blocks. *Shape:* ``(n_blocks,)``"""
        chains = zip(self.unary, self.pairwise, strict=True)
        return np.concatenate([decoder(unary / temperature, pair * (lam / temperature)) for unary, pair in chains])


@dataclass(frozen=True, slots=True)
class Calibration:
    """How potentials become labels and probabilities, and the scores on the pages on which this was chosen.

    :param lam: weight of the pairwise term.
    :param temperature: divisor of the log-potentials.
    :param scores: scores of the labels.
    :param log_loss: log loss of the probabilities, in nats per block.
    """

    lam: float
    temperature: float
    scores: BlockScores
    log_loss: float


def calibrate(potentials: Potentials, choice: DecodingChoice) -> list[Calibration]:
    """Return a calibration for each weight of the pairwise term in *choice*, the one with the best F1 first."""
    found = []
    for lam in choice.lam:
        temperature = best_temperature(potentials, lam)
        counts = confusion_counts(_label(potentials, choice, lam, temperature), potentials.labels)
        scores = BlockScores(*block_scores(counts).tolist())
        found.append(Calibration(lam, temperature, scores, log_loss(potentials, lam, temperature)))
    return sorted(found, key=lambda calibration: -calibration.scores.f1)


def log_loss(potentials: Potentials, lam: float, temperature: float) -> float:
    """Return the mean negative log-probability of the true labels, in nats per block."""
    content = potentials.decode(marginals, lam, temperature)
    true = np.where(potentials.labels == Label.CONTENT, content, 1 - content)
    return float(-np.log(np.maximum(true, 1e-12)).mean())


def best_temperature(potentials: Potentials, lam: float) -> float:
    """Return the temperature at which the marginals have the least log loss."""
    return find_temperature(lambda temperature: log_loss(potentials, lam, temperature))


def find_temperature(loss_at: Callable[[float], float]) -> float:
    """Return the temperature with the least loss, by golden-section search."""
    high = float(np.log(_LARGEST_TEMPERATURE))
    low = -high

    def loss(log_temperature: float) -> float:
        return loss_at(float(np.exp(log_temperature)))

    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    loss_left, loss_right = loss(left), loss(right)
    while high - low > _TOLERANCE:
        if loss_left < loss_right:
            high, right, loss_right = right, left, loss_left
            left = high - _GOLDEN * (high - low)
            loss_left = loss(left)
        else:
            low, left, loss_left = left, right, loss_right
            right = low + _GOLDEN * (high - low)
            loss_right = loss(right)
    return float(np.exp((low + high) / 2))


def _label(potentials: Potentials, choice: DecodingChoice, lam: float, temperature: float) -> IntArray:
    if choice.decoder == "marginal":
        is_content = potentials.decode(marginals, lam, temperature) >= choice.threshold
    else:
        log_odds = potentials.decode(max_marginal_log_odds, lam, temperature)
        is_content = log_odds > np.log(choice.threshold / (1 - choice.threshold))
    labels: IntArray = is_content.astype(np.int64)
    return labels
