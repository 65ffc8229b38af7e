"""CETR: blocks with much text and few tags are content, and so are blocks where this ratio changes.

Weninger, Hsu, Han: CETR: Content Extraction via Tag Ratios, WWW 2010, applied to Dragnet's blocks instead of lines. The
ratio and its derivative are two numbers for each block, which k-means divides into three clusters. Details that the
Dragnet paper leaves open follow the program of its authors: a Gaussian of width 1; the derivative is the mean of the
next three ratios minus the block's own, and its absolute value is smoothed; one of the clusters is fixed at the origin.
That program draws the first centers at random; here they are drawn several times with a fixed seed.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import DoubleArray, IntArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.page.blocks import mask_to_labels

WIDTH: Final = 1.0  # standard deviation of the Gaussian, in blocks
_REACH: Final = 4  # blocks; further away the Gaussian is below 0.0001
_KERNEL: Final = np.exp(-0.5 * (np.arange(-_REACH, _REACH + 1) / WIDTH) ** 2)
AHEAD: Final = 3  # blocks that the derivative looks ahead
N_CLUSTERS: Final = 3
_N_STARTS: Final = 5
_MAX_ROUNDS: Final = 50
_SEED: Final = 2013


def smooth(values: DoubleArray) -> DoubleArray:
    """Return *values* smoothed by a Gaussian that is cut off and renormalized at both ends. *Shapes:* ``(n,)``"""
    inside = slice(_REACH, _REACH + len(values))
    sums = np.convolve(values, _KERNEL)[inside]
    return sums / np.convolve(np.ones(len(values)), _KERNEL)[inside]


def absolute_derivative(values: DoubleArray) -> DoubleArray:
    """Return the distance of each value from the mean of the next three; 0 for the last. *Shapes:* ``(n,)``"""
    n = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    first = np.arange(1, n + 1)
    end = np.minimum(first + AHEAD, n)
    means = (sums[end] - sums[first]) / np.maximum(end - first, 1)
    change: DoubleArray = np.abs(means - values)
    change[-1:] = 0
    return change


def cetr_prediction(points: DoubleArray) -> IntArray:
    """Return the labels by CETR: BOILERPLATE in the cluster at the origin. *Shapes:* ``(n, 2)`` -> ``(n,)``

    :param points: smoothed tag ratio and smoothed absolute derivative of each block.
    """
    return mask_to_labels(cluster(points) > 0)


def cluster(points: DoubleArray) -> IntArray:
    """Return the cluster of each point by k-means; cluster 0 stays at the origin. *Shapes:* ``(n, 2)`` -> ``(n,)``

    The best of five runs counts. Their first centers are drawn from the points with a fixed seed, and a run ends after
    at most 50 rounds. The answer is therefore reproducible, and the work is linear in n.
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


def _run(points: DoubleArray, centers: DoubleArray) -> tuple[IntArray, float]:
    """Return the clusters of k-means with these first *centers*, and the sum of squared distances to their means.

    *Shapes:* ``(n, 2)``, ``(3, 2)`` -> ``(n,)``
    """
    clusters = np.full(len(points), -1)
    x, y = np.ascontiguousarray(points.T)
    for _ in range(_MAX_ROUNDS):
        check_time()
        distances = (x - centers[:, :1]) ** 2 + (y - centers[:, 1:]) ** 2
        closest = distances.argmin(axis=0)
        if (closest == clusters).all():
            break
        clusters = closest
        sizes = np.bincount(clusters, minlength=N_CLUSTERS)
        for axis, values in enumerate((x, y)):
            sums = np.bincount(clusters, weights=values, minlength=N_CLUSTERS)
            # An empty cluster keeps its center, and so does the one at the origin.
            centers[1:, axis] = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers[:, axis])[1:]
    return clusters, float(distances.min(axis=0).sum())
