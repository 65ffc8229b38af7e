"""Choices made on val after the fitting: the weight of the pairwise term, and the temperature of the probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from scrapy_web2text.evaluation.scores import BlockScores, confusion_counts
from scrapy_web2text.labelers.chain import decode, marginals
from scrapy_web2text.page.blocks import Label, mask_to_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray
    from scrapy_web2text.options import Decoder
    from scrapy_web2text.training.recipe import DecodingChoice


# Temperatures from 1/20 to 20 are searched, until the logarithm is known to within the tolerance.
_LARGEST_TEMPERATURE: Final = 20.0
_TOLERANCE: Final = 0.005
_GOLDEN: Final = (5**0.5 - 1) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Potentials:
    """The log-potentials of many pages, page by page.

    *Shapes:* per page of n blocks: unary ``(n, 2)``, pairwise ``(n - 1, 2, 2)``.
    """

    unary: Sequence[DoubleArray]
    pairwise: Sequence[DoubleArray]

    @classmethod
    def join(cls, parts: Iterable[Potentials]) -> Potentials:
        """Return the potentials of the pages of all *parts*."""
        every = list(parts)
        return cls(
            [unary for part in every for unary in part.unary], [pair for part in every for pair in part.pairwise]
        )

    def scale(self, *, lam: float = 1.0, temperature: float = 1.0) -> Potentials:
        """Return the potentials divided by *temperature*, with the weight *lam* of the pairwise term."""
        return Potentials(
            [unary / temperature for unary in self.unary], [pair * (lam / temperature) for pair in self.pairwise]
        )

    def probabilities(self) -> list[DoubleArray]:
        """Return the probabilities of CONTENT of each page. *Shapes:* ``(n,)``"""
        return [marginals(unary, pairwise) for unary, pairwise in zip(self.unary, self.pairwise, strict=True)]

    def decode(self, decoder: Decoder, threshold: float) -> Iterator[tuple[BoolArray, DoubleArray]]:
        """Yield for each page which blocks are content, and their probabilities. *Shapes:* ``(n,)``"""
        for unary, pairwise in zip(self.unary, self.pairwise, strict=True):
            yield decode(unary, pairwise, decoder=decoder, threshold=threshold)


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


def calibrate(potentials: Potentials, labels: Sequence[IntArray], choice: DecodingChoice) -> list[Calibration]:
    """Return a calibration for each weight of the pairwise term in *choice*, the one with the best F1 first.

    :param labels: the true labels, page by page.
    """
    true = np.concatenate(labels)
    found = []
    for lam in choice.lam:
        weighted = potentials.scale(lam=lam)
        temperature = best_temperature(weighted, true)
        calibrated = potentials.scale(lam=lam, temperature=temperature)
        answers = [is_content for is_content, _ in calibrated.decode(choice.decoder, choice.threshold)]
        scores = BlockScores.of(confusion_counts(mask_to_labels(np.concatenate(answers)), true))
        found.append(Calibration(lam, temperature, scores, log_loss(calibrated, true)))
    return sorted(found, key=lambda calibration: -calibration.scores.f1)


def log_loss(potentials: Potentials, labels: IntArray, weights: DoubleArray | None = None) -> float:
    """Return the mean negative log-probability of the true labels, in nats per block or unit of weight.

    :param labels: the labels of all pages. *Shape:* ``(n_blocks,)``
    :param weights: weight of each block; None for equal weights. *Shape:* ``(n_blocks,)``
    """
    content = np.concatenate(potentials.probabilities())
    true = np.where(labels == Label.CONTENT, content, 1 - content)
    return float(np.average(-np.log(np.maximum(true, 1e-12)), weights=weights))


def best_temperature(potentials: Potentials, labels: IntArray, weights: DoubleArray | None = None) -> float:
    """Return the temperature that gives the probabilities the least log loss, see `log_loss`."""
    return _find_temperature(lambda temperature: log_loss(potentials.scale(temperature=temperature), labels, weights))


def _find_temperature(loss_at: Callable[[float], float]) -> float:
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
