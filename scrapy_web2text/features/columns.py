"""Feature tables: named columns in order, each a function of all rows at once with a mean and a scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from scrapy_web2text.arrays import AnyArray, BoolArray, FloatArray
from scrapy_web2text.budget import check_time

__all__ = ["Feature", "feature_table", "sign"]

Rows_contra = TypeVar("Rows_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Feature(Generic[Rows_contra]):
    """One column: ``(compute(rows) - mean) / scale``.

    Where a row lacks a value, the function returns the mean, which becomes 0.

    :param compute: returns one value for each row, or one for all rows.
    :param why: the reason for the scale, unless the paper gives it.
    """

    name: str
    compute: Callable[[Rows_contra], AnyArray | float]
    mean: float = 0.0
    scale: float = 1.0
    why: str = ""


def sign(name: str, compute: Callable[[Rows_contra], BoolArray]) -> Feature[Rows_contra]:
    """Return a yes-no column with the values 1 and -1."""
    return Feature(name, compute, mean=0.5, scale=0.5)


def feature_table(features: Sequence[Feature[Rows_contra]], rows: Rows_contra, n_rows: int) -> FloatArray:
    """Return the columns *features* of *rows*. *Shape:* ``(n_rows, len(features))``

    All columns are standardized at once, which takes fewer operations.
    """
    columns = np.empty((len(features), n_rows))
    for column, feature in zip(columns, features, strict=True):
        check_time()
        column[:] = feature.compute(rows)
    columns -= np.array([[feature.mean] for feature in features])
    columns /= np.array([[feature.scale] for feature in features])
    table: FloatArray = columns.T.astype(np.float32)
    return table
