"""Choices made on val after the fitting: the weight of the pairwise term, and the temperature of the probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from research.leaf_scores import BlockScores, confusion_counts
from research.web2text.recipe import DecodingChoice
from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.labelers.chain import decode
from scrapy_web2text.page.blocks import mask_to_labels
from scrapy_web2text.training.calibration import Potentials, best_temperature, log_loss, scale


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


def calibrate(potentials: Potentials, labels: IntArray, choice: DecodingChoice) -> list[Calibration]:
    """Return a calibration for each weight of the pairwise term in *choice*, the one with the best F1 first.

    :param labels: the true labels of all pages. *Shape:* ``(n_blocks,)``
    """
    found = []
    for lam in choice.lam:
        temperature = best_temperature(scale(potentials, lam=lam), labels)
        calibrated = scale(potentials, lam=lam, temperature=temperature)
        answers = [decode(*page, decoder=choice.decoder, threshold=choice.threshold)[0] for page in calibrated]
        scores = BlockScores.of(confusion_counts(mask_to_labels(np.concatenate(answers)), labels))
        found.append(Calibration(lam, temperature, scores, log_loss(calibrated, labels)))
    return sorted(found, key=lambda calibration: -calibration.scores.f1)
