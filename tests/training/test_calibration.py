"""What is chosen on val after the fitting."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from labeled_pages import make_pages, small_recipe

from scrapy_web2text.labelers.hmm import marginals
from scrapy_web2text.training.calibration import (
    Potentials,
    best_temperature,
    calibrate,
    fit_logistic,
    log_loss,
    make_potentials,
)
from scrapy_web2text.training.cnn_hmm.networks import SequenceNetwork
from scrapy_web2text.training.recipe import DecodingChoice


def make_chain(n_blocks, confidence, seed=0):
    """Blocks whose labels are drawn from their unary potentials, which are then made *confidence* times as sure."""
    random = np.random.default_rng(seed)
    logits = random.normal(scale=2, size=n_blocks)
    labels = (random.random(n_blocks) < 1 / (1 + np.exp(-logits))).astype(np.int64)
    unary = confidence * np.stack([-logits / 2, logits / 2], axis=1)
    return Potentials([unary[:5], unary[5:]], [np.zeros((4, 2, 2)), np.zeros((n_blocks - 6, 2, 2))], labels)


@pytest.mark.parametrize("confidence", [0.3, 1.0, 4.0])
def test_the_temperature_takes_back_what_makes_potentials_too_sure(confidence):
    assert best_temperature(make_chain(20_000, confidence), lam=0.0) == pytest.approx(confidence, rel=0.05)


def test_no_other_temperature_has_a_smaller_log_loss():
    random = np.random.default_rng(3)
    potentials = Potentials([random.normal(size=(60, 2))], [random.normal(size=(59, 2, 2))], np.arange(60) // 7 % 2)
    best = best_temperature(potentials, lam=0.5)
    losses = [log_loss(potentials, 0.5, temperature) for temperature in np.geomspace(0.06, 19, 50)]
    assert log_loss(potentials, 0.5, best) <= min(losses) + 1e-4


def test_log_loss_is_the_mean_over_blocks():
    potentials = Potentials([np.log([[0.2, 0.8], [0.5, 0.5]])], [np.zeros((1, 2, 2))], np.array([1, 0]))
    assert log_loss(potentials, 1.0, 1.0) == pytest.approx(-(np.log(0.8) + np.log(0.5)) / 2)


def overruled_chain():
    """The block in the middle is boilerplate by itself, and content by its neighbours."""
    unary = np.log([[0.1, 0.9], [0.6, 0.4], [0.1, 0.9]])
    pairwise = np.log([[[0.3, 0.1], [0.1, 0.5]]] * 2)
    return Potentials([unary], [pairwise], np.array([1, 1, 1]))


def test_the_best_weight_of_the_pairwise_term_comes_first():
    found = calibrate(overruled_chain(), DecodingChoice("viterbi", 0.5, (0.0, 1.0)))
    assert [calibration.lam for calibration in found] == [1.0, 0.0]
    assert found[0].scores.f1 == 1.0
    assert found[1].scores.f1 == pytest.approx(0.8)
    assert found[1].scores.recall == pytest.approx(2 / 3)


def test_of_weights_as_good_as_each_other_the_one_named_first_comes_first():
    for order in ((1.0, 2.0), (2.0, 1.0)):
        found = calibrate(overruled_chain(), DecodingChoice("viterbi", 0.5, order))
        assert tuple(calibration.lam for calibration in found) == order


@pytest.mark.parametrize(("decoder", "threshold"), [("viterbi", 0.9), ("marginal", 0.5), ("marginal", 0.9)])
def test_labels_are_made_as_the_recipe_decodes(decoder, threshold):
    potentials = make_chain(400, confidence=2.0)
    (found,) = calibrate(potentials, DecodingChoice(decoder, threshold, (0.0,)))
    probabilities = potentials.decode(marginals, 0.0, found.temperature)
    accuracy = np.mean((probabilities > threshold) == potentials.labels)
    assert found.scores.accuracy == pytest.approx(accuracy)
    assert found.temperature == pytest.approx(2.0, rel=0.3)
    assert found.log_loss == log_loss(potentials, 0.0, found.temperature)


def test_potentials_are_those_of_each_page_alone():
    generator = torch.Generator().manual_seed(0)
    choice = small_recipe().networks
    networks = SequenceNetwork(128, 2, choice, generator), SequenceNetwork(25, 4, choice, generator)
    potentials = make_potentials(*networks, make_pages(12, 1, 5))
    assert [page.shape for page in potentials.unary] == [(12, 2), (1, 2), (5, 2)]
    assert [page.shape for page in potentials.pairwise] == [(11, 2, 2), (0, 2, 2), (4, 2, 2)]
    np.testing.assert_allclose(np.exp(potentials.unary[0]).sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(potentials.pairwise[2]).sum(axis=(1, 2)), 1)
    alone = make_potentials(*networks, make_pages(12))
    np.testing.assert_allclose(potentials.unary[0], alone.unary[0], atol=1e-6)
    assert len(potentials.decode(marginals, 1.0)) == 18


def test_a_logistic_regression_finds_the_weights_that_made_the_targets():
    random = np.random.default_rng(5)
    columns = np.stack([np.ones(500), random.normal(size=500), random.normal(size=500)], axis=1)
    weights = np.array([0.5, -1.5, 2.0])
    targets = 1 / (1 + np.exp(-(columns @ weights)))
    assert fit_logistic(columns, targets, penalty=1e-6) == pytest.approx(weights, abs=1e-3)


def test_a_penalty_shrinks_all_weights_but_the_constant():
    columns = np.stack([np.ones(4), [-1.0, -1.0, 1.0, 1.0]], axis=1)
    targets = np.array([0.6, 0.6, 1.0, 1.0])
    constant, slope = fit_logistic(columns, targets, penalty=100.0)
    assert constant == pytest.approx(np.log(0.8 / 0.2), abs=0.02)
    assert 0 < slope < 0.05
    assert fit_logistic(columns, targets, penalty=1e-3)[1] > 1
