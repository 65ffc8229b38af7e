"""The weight of the pairwise term and the temperature of the probabilities, which are chosen after the fitting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np

from scrapy_web2text.common.arrays import DoubleArray, IntArray
from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.chain import marginals

# Temperatures from 1/20 to 20 are searched until the logarithm is known to within the tolerance.
_LARGEST_TEMPERATURE: Final = 20.0
_TOLERANCE: Final = 0.005


# The log-potentials of many pages, page by page. *Shapes:* ``(n, 2)`` and ``(n - 1, 2, 2)`` per page of n blocks
Potentials: TypeAlias = "Sequence[tuple[DoubleArray, DoubleArray]]"


def scale(potentials: Potentials, *, lam: float = 1.0, temperature: float = 1.0) -> Potentials:
    """Return the potentials divided by *temperature*, with the weight *lam* of the pairwise term."""
    return [(unary / temperature, pairwise * (lam / temperature)) for unary, pairwise in potentials]


def log_loss(potentials: Potentials, labels: IntArray, weights: DoubleArray | None = None) -> float:
    """Return the mean negative log-probability of the true labels, in nats per block or unit of weight.

    :param labels: the labels of all pages. *Shape:* ``(n_blocks,)``
    :param weights: weight of each block; None for equal weights. *Shape:* ``(n_blocks,)``
    """
    content = np.concatenate([marginals(*page) for page in potentials])
    true = np.where(labels == Label.CONTENT, content, 1 - content)
    return float(np.average(-np.log(np.maximum(true, 1e-12)), weights=weights))


def best_temperature(potentials: Potentials, labels: IntArray, weights: DoubleArray | None = None) -> float:
    """Return the temperature with the least log loss of the probabilities, found by ternary search."""

    def loss(log_temperature: float) -> float:
        return log_loss(scale(potentials, temperature=math.exp(log_temperature)), labels, weights)

    low, high = -math.log(_LARGEST_TEMPERATURE), math.log(_LARGEST_TEMPERATURE)
    while high - low > _TOLERANCE:
        third = (high - low) / 3
        if loss(low + third) < loss(high - third):
            high -= third
        else:
            low += third
    return math.exp((low + high) / 2)
