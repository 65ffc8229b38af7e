"""Logistic regression to targets in [0, 1]: the model of the confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from scrapy_web2text.arrays import DoubleArray

__all__ = ["fit_logistic"]

_NEWTON_STEPS: Final = 25


def fit_logistic(columns: DoubleArray, targets: DoubleArray, *, penalty: float = 1.0) -> DoubleArray:
    """Return the weights of a logistic regression to targets in [0, 1], by Newton's method. *Shape:* ``(k,)``

    :param columns: one row per sample; the first column is constant and not penalized. *Shape:* ``(n, k)``
    :param targets: *Shape:* ``(n,)``
    :param penalty: factor of half the sum of the squared weights.
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
