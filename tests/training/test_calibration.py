"""The temperature that is chosen on val after the fitting."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.training.calibration import best_temperature, log_loss, scale


def make_chain(n_blocks, confidence, seed=0):
    """Return blocks with labels drawn from their unary potentials, and the potentials multiplied by *confidence*."""
    random = np.random.default_rng(seed)
    logits = random.normal(scale=2, size=n_blocks)
    labels = (random.random(n_blocks) < 1 / (1 + np.exp(-logits))).astype(np.int64)
    unary = confidence * np.stack([-logits / 2, logits / 2], axis=1)
    return [(unary[:5], np.zeros((4, 2, 2))), (unary[5:], np.zeros((n_blocks - 6, 2, 2)))], labels


@pytest.mark.parametrize("confidence", [0.3, 1.0, 4.0])
def test_the_temperature_undoes_overconfidence(confidence):
    assert best_temperature(*make_chain(20_000, confidence)) == pytest.approx(confidence, rel=0.05)


def test_no_other_temperature_has_a_smaller_log_loss():
    random = np.random.default_rng(3)
    potentials = scale([(random.normal(size=(60, 2)), random.normal(size=(59, 2, 2)))], lam=0.5)
    labels, weights = np.arange(60) // 7 % 2, random.random(60)

    def loss(temperature):
        return log_loss(scale(potentials, temperature=temperature), labels, weights)

    losses = [loss(temperature) for temperature in np.geomspace(0.06, 19, 50)]
    assert loss(best_temperature(potentials, labels, weights)) <= min(losses) + 1e-4


def test_log_loss_is_the_mean_over_blocks():
    potentials = [(np.log([[0.2, 0.8], [0.5, 0.5]]), np.zeros((1, 2, 2)))]
    labels = np.array([1, 0])
    assert log_loss(potentials, labels) == pytest.approx(-(np.log(0.8) + np.log(0.5)) / 2)
    assert log_loss(potentials, labels, np.array([3.0, 1.0])) == pytest.approx(-(3 * np.log(0.8) + np.log(0.5)) / 4)
