"""Choices made on val after the fitting."""

from __future__ import annotations

import numpy as np
import pytest

from research.web2text.calibration import calibrate
from research.web2text.recipe import DecodingChoice
from scrapy_web2text.labelers.chain import marginals
from scrapy_web2text.training.calibration import log_loss, scale


def make_chain(n_blocks, confidence, seed=0):
    """Return blocks with labels drawn from their unary potentials, and the potentials multiplied by *confidence*."""
    random = np.random.default_rng(seed)
    logits = random.normal(scale=2, size=n_blocks)
    labels = (random.random(n_blocks) < 1 / (1 + np.exp(-logits))).astype(np.int64)
    unary = confidence * np.stack([-logits / 2, logits / 2], axis=1)
    return [(unary[:5], np.zeros((4, 2, 2))), (unary[5:], np.zeros((n_blocks - 6, 2, 2)))], labels


def overruled_chain():
    """Return a chain whose middle block is boilerplate by itself, and content by its neighbors."""
    unary = np.log([[0.1, 0.9], [0.6, 0.4], [0.1, 0.9]])
    pairwise = np.log([[[0.3, 0.1], [0.1, 0.5]]] * 2)
    return [(unary, pairwise)], np.array([1, 1, 1])


def test_the_best_weight_of_the_pairwise_term_comes_first_or_the_first_of_the_recipe():
    best, other = calibrate(*overruled_chain(), DecodingChoice("viterbi", 0.5, (0.0, 1.0)))
    assert (best.lam, other.lam) == (1.0, 0.0)
    assert best.scores.f1 == 1.0
    assert other.scores.f1 == pytest.approx(0.8)
    assert other.scores.recall == pytest.approx(2 / 3)
    for order in ((1.0, 2.0), (2.0, 1.0)):  # equally good
        found = calibrate(*overruled_chain(), DecodingChoice("viterbi", 0.5, order))
        assert tuple(calibration.lam for calibration in found) == order


@pytest.mark.parametrize(("decoder", "threshold"), [("viterbi", 0.9), ("marginal", 0.5), ("marginal", 0.9)])
def test_labels_are_decoded_as_in_the_recipe(decoder, threshold):
    potentials, labels = make_chain(400, confidence=2.0)
    (found,) = calibrate(potentials, labels, DecodingChoice(decoder, threshold, (0.0,)))
    calibrated = scale(potentials, lam=0.0, temperature=found.temperature)
    accuracy = np.mean((np.concatenate([marginals(*page) for page in calibrated]) > threshold) == labels)
    assert found.scores.accuracy == pytest.approx(accuracy)
    assert found.temperature == pytest.approx(2.0, rel=0.3)
    assert found.log_loss == log_loss(calibrated, labels)
