"""What is chosen on val after the fitting: the weight of the pairwise term, and a temperature for the probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from scrapy_web2text.evaluation.scores import BlockScores, block_scores, confusion_counts
from scrapy_web2text.labelers.hmm import marginals, max_marginal_log_odds
from scrapy_web2text.training.cnn_hmm.train import page_logits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_web2text.arrays import AnyArray, DoubleArray, IntArray
    from scrapy_web2text.training.cnn_hmm.data import LabeledRows, Sequences
    from scrapy_web2text.training.cnn_hmm.networks import SequenceNetwork
    from scrapy_web2text.training.recipe import DecodingChoice


__all__ = [
    "Calibration",
    "Potentials",
    "best_temperature",
    "calibrate",
    "find_temperature",
    "fit_logistic",
    "log_loss",
    "make_potentials",
]

# A temperature is looked for between 1/20 and 20, until its logarithm is known to this much.
_LARGEST_TEMPERATURE: Final = 20.0
_TOLERANCE: Final = 0.005
_NEWTON_STEPS: Final = 25
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
        """Return what *decoder*, a function of `hmm`, says of all blocks. *Shape:* ``(n_blocks,)``"""
        chains = zip(self.unary, self.pairwise, strict=True)
        return np.concatenate([decoder(unary / temperature, pair * (lam / temperature)) for unary, pair in chains])


@dataclass(frozen=True, slots=True)
class Calibration:
    """How potentials become labels and probabilities, and how good they are on the pages that decided it.

    :param lam: weight of the pairwise term.
    :param temperature: what the log-potentials are divided by.
    :param scores: of the labels.
    :param log_loss: of the probabilities, in nats per block.
    """

    lam: float
    temperature: float
    scores: BlockScores
    log_loss: float


def calibrate(potentials: Potentials, choice: DecodingChoice) -> list[Calibration]:
    """Return what each weight of the pairwise term that *choice* allows leads to, the one with the best F1 first."""
    found = []
    for lam in choice.lam:
        temperature = best_temperature(potentials, lam)
        counts = confusion_counts(_label(potentials, choice, lam, temperature), potentials.labels)
        scores = BlockScores(*block_scores(counts).tolist())
        found.append(Calibration(lam, temperature, scores, log_loss(potentials, lam, temperature)))
    return sorted(found, key=lambda calibration: -calibration.scores.f1)


def make_potentials(unary: SequenceNetwork, pairwise: SequenceNetwork, pages: LabeledRows) -> Potentials:
    """Return what two trained networks say of *pages*."""
    return Potentials(
        _log_potentials(unary, pages.blocks),
        [pair.reshape(-1, 2, 2) for pair in _log_potentials(pairwise, pages.edges)],
        pages.blocks.targets,
    )


def log_loss(potentials: Potentials, lam: float, temperature: float) -> float:
    """Return the mean negative log-probability of the true labels, in nats per block."""
    content = potentials.decode(marginals, lam, temperature)
    true = np.where(potentials.labels == 1, content, 1 - content)
    return float(-np.log(np.maximum(true, 1e-12)).mean())


def best_temperature(potentials: Potentials, lam: float) -> float:
    """Return the temperature under which the marginals have the least log loss."""
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


def _log_potentials(network: SequenceNetwork, sequences: Sequences) -> list[DoubleArray]:
    """Return the log-softmax of the logits of each page."""
    values = torch.log_softmax(page_logits(network, sequences).double(), dim=1).numpy()
    return np.split(values, sequences.starts[1:])


def fit_logistic(columns: DoubleArray, targets: DoubleArray, *, penalty: float = 1.0) -> DoubleArray:
    """Return the weights of a logistic regression to targets in [0, 1], by Newton's method. *Shape:* ``(k,)``

    :param columns: one row per sample; the first column, a constant, is free of the penalty. *Shape:* ``(n, k)``
    :param targets: *Shape:* ``(n,)``
    :param penalty: weight of half the sum of the squared weights.
    """
    weights = np.zeros(columns.shape[1])
    penalties = np.full(len(weights), penalty)
    penalties[0] = 1e-6
    for _ in range(_NEWTON_STEPS):
        fitted = 1 / (1 + np.exp(-(columns @ weights)))
        gradient = columns.T @ (fitted - targets) + penalties * weights
        curvature = (columns * (fitted * (1 - fitted))[:, None]).T @ columns + np.diag(penalties)
        weights -= np.linalg.solve(curvature, gradient)
    return weights
