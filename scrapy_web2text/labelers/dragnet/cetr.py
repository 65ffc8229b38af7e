"""CETR: blocks are content where much text comes with few tags, or where that changes: two numbers, three clusters.

Weninger, Hsu, Han: CETR: Content Extraction via Tag Ratios, WWW 2010, over Dragnet's blocks instead of lines. What the
Dragnet paper does not say follows the program of its authors: a Gaussian of width 1, the derivative as the mean of the
next three ratios less the own one, made absolute before it is smoothed, and three clusters, one of them fixed at the
origin. Where that program draws the first centres at random, they are drawn with a seed here, a few times over.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray

__all__ = ["absolute_derivative", "cetr_prediction", "cluster", "smooth"]


WIDTH: Final = 1.0  # standard deviation of the Gaussian, in blocks
_REACH: Final = 4  # blocks; beyond, the Gaussian is below 0.0001
_KERNEL: Final = np.exp(-0.5 * (np.arange(-_REACH, _REACH + 1) / WIDTH) ** 2)
AHEAD: Final = 3  # blocks that the derivative looks ahead
N_CLUSTERS: Final = 3
_N_STARTS: Final = 5
_MAX_ROUNDS: Final = 50
_SEED: Final = 2013


def smooth(values: DoubleArray) -> DoubleArray:
    """Return *values* smoothed by a Gaussian, of which only the part over the page counts. *Shapes:* ``(n,)``"""
    inside = slice(_REACH, _REACH + len(values))
    sums = np.convolve(values, _KERNEL)[inside]
    smoothed: DoubleArray = sums / np.convolve(np.ones(len(values)), _KERNEL)[inside]
    return smoothed


def absolute_derivative(values: DoubleArray) -> DoubleArray:
    """Return how far the mean of the next three values is from each value; 0 for the last. *Shapes:* ``(n,)``"""
    n = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    first = np.arange(1, n + 1)
    end = np.minimum(first + AHEAD, n)
    means = (sums[end] - sums[first]) / np.maximum(end - first, 1)
    change: DoubleArray = np.abs(means - values)
    change[-1:] = 0
    return change


def cetr_prediction(points: DoubleArray) -> IntArray:
    """Return what CETR says: CONTENT (1) unless a block is in the cluster at the origin. *Shapes:* ``(n, 2)``, ``(n,)``

    :param points: smoothed tag ratio and smoothed absolute derivative of each block.
    """
    return (cluster(points) > 0).astype(np.int64)


def cluster(points: DoubleArray) -> IntArray:
    """Return the cluster of each point by k-means, 0 being the one that stays at the origin. *Shapes:* ``(n, 2)``

    Of a few starts the closest clusters are kept. Each is drawn from the points with the same seed, and ends after 50
    rounds at the latest, so the answer is always the same, and the work grows with n alone.
    """
    best, least = np.zeros(len(points), dtype=np.int64), np.inf
    if not len(points):
        return best
    generator = np.random.default_rng(_SEED)
    for _ in range(_N_STARTS):
        drawn = points[generator.integers(len(points), size=N_CLUSTERS - 1)]
        clusters, error = _run(points, np.concatenate([np.zeros((1, 2)), drawn]))
        if error < least:
            best, least = clusters, error
    return best


def _run(points: DoubleArray, centres: DoubleArray) -> tuple[IntArray, float]:
    """Return the clusters that *centres* lead to, and the sum of the squared distances to their means."""
    clusters = np.full(len(points), -1)
    x, y = np.ascontiguousarray(points.T)
    for _ in range(_MAX_ROUNDS):
        distances = (x - centres[:, :1]) ** 2 + (y - centres[:, 1:]) ** 2
        closest = distances.argmin(axis=0)
        if (closest == clusters).all():
            break
        clusters = closest
        sizes = np.bincount(clusters, minlength=N_CLUSTERS)
        for axis, values in enumerate((x, y)):
            sums = np.bincount(clusters, weights=values, minlength=N_CLUSTERS)
            # An empty cluster stays where it is, as the first one does.
            centres[1:, axis] = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres[:, axis])[1:]
    return clusters, float(distances.min(axis=0).sum())
