"""CETR computed value by value and point by point, following its paper and the program of Dragnet's authors."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["absolute_derivative", "clusters_from", "smooth", "squared_error"]

Point = tuple[float, float]


def smooth(values: Sequence[float]) -> list[float]:
    """Return the mean of the values up to four blocks away, weighted by a Gaussian of width 1."""
    smoothed = []
    for i in range(len(values)):
        near = [(math.exp(-((i - j) ** 2) / 2), value) for j, value in enumerate(values) if abs(i - j) <= 4]
        smoothed.append(sum(weight * value for weight, value in near) / sum(weight for weight, _ in near))
    return smoothed


def absolute_derivative(values: Sequence[float]) -> list[float]:
    """Return the distance of each value from the mean of the next three, or of as many as follow."""
    changes = []
    for i, value in enumerate(values):
        ahead = values[i + 1 : i + 4]
        changes.append(abs(sum(ahead) / len(ahead) - value) if ahead else 0.0)
    return changes


def clusters_from(points: Sequence[Point], centers: Sequence[Point]) -> list[int]:
    """Return the cluster of each point after at most 50 rounds of k-means from *centers*; the first center is fixed."""
    centers = list(centers)
    clusters: list[int] = []
    for _ in range(50):
        closest = [
            min(range(len(centers)), key=lambda k, p=point: _squared_distance(p, centers[k])) for point in points
        ]
        if closest == clusters:
            break
        clusters = closest
        for k in range(1, len(centers)):
            members = [point for point, cluster in zip(points, clusters, strict=True) if cluster == k]
            if members:
                centers[k] = (sum(x for x, _ in members) / len(members), sum(y for _, y in members) / len(members))
    return clusters


def squared_error(points: Sequence[Point], clusters: Sequence[int], n_clusters: int) -> float:
    """Return the sum of squared distances of points from the means of their clusters; the first mean is the origin."""
    total = 0.0
    for k in range(n_clusters):
        members = [point for point, cluster in zip(points, clusters, strict=True) if cluster == k]
        if members:
            x, y = (sum(axis) / len(members) for axis in zip(*members, strict=True))
            total += sum(_squared_distance(point, (x, y) if k else (0.0, 0.0)) for point in members)
    return total


def _squared_distance(a: Point, b: Point) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
