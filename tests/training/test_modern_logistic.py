"""The logistic regression of the confidence."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.training.modern.logistic import fit_logistic


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
