"""A feature table: named columns, each a function of all rows at once, standardised with the paper's constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from scrapy_web2text.arrays import AnyArray, BoolArray, FloatArray

__all__ = ["Feature", "feature_table", "sign"]

Rows_contra = TypeVar("Rows_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Feature(Generic[Rows_contra]):
    """One column: ``(compute(rows) - mean) / deviation``.

    A function that has no value for a row returns the mean there, which becomes 0.
    """

    name: str
    compute: Callable[[Rows_contra], AnyArray]
    mean: float = 0.0
    deviation: float = 1.0


def sign(name: str, compute: Callable[[Rows_contra], BoolArray]) -> Feature[Rows_contra]:
    """Return a yes-no column with the values 1 and -1."""
    return Feature(name, compute, mean=0.5, deviation=0.5)


def feature_table(features: Sequence[Feature[Rows_contra]], rows: Rows_contra, n_rows: int) -> FloatArray:
    """Return the standardised columns *features* of *rows*. *Shape:* ``(n_rows, len(features))``"""
    columns = np.empty((len(features), n_rows))
    for column, feature in zip(columns, features, strict=True):
        column[:] = feature.compute(rows)
    columns -= np.array([[feature.mean] for feature in features])
    columns /= np.array([[feature.deviation] for feature in features])
    table: FloatArray = columns.T.astype(np.float32)
    return table
