"""Feature tables: named columns in order, each a function of all rows at once with a mean and a scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from scrapy_web2text.arrays import AnyArray, FloatArray
from scrapy_web2text.budget import check_time

__all__ = ["Feature", "FeatureGroup", "column_names", "fill_columns"]

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

    def values(self, rows: Rows_contra) -> AnyArray | float:
        """Return the column. *Shape:* that of ``compute(rows)``"""
        values = self.compute(rows)
        if self.mean:
            values = values - self.mean
        return values if self.scale == 1 else values / self.scale


@dataclass(frozen=True, slots=True)
class FeatureGroup(Generic[Rows_contra]):
    """Columns that one function computes together: ``compute(rows) / scale``.

    :param compute: returns one row of values for each name. *Shape:* ``(..., len(names), n_rows)``
    :param why: the reason for the scale.
    """

    names: tuple[str, ...]
    compute: Callable[[Rows_contra], AnyArray]
    scale: float = 1.0
    why: str = ""

    def values(self, rows: Rows_contra) -> AnyArray:
        """Return the columns. *Shape:* that of ``compute(rows)``"""
        values = self.compute(rows)
        return values if self.scale == 1 else values / self.scale


def column_names(features: Sequence[Feature[Rows_contra] | FeatureGroup[Rows_contra]]) -> tuple[str, ...]:
    """Return the names of all columns, in order."""
    return tuple(
        name for feature in features for name in ((feature.name,) if isinstance(feature, Feature) else feature.names)
    )


def fill_columns(
    features: Sequence[Feature[Rows_contra] | FeatureGroup[Rows_contra]], rows: Rows_contra, out: FloatArray
) -> None:
    """Write the columns *features* of *rows* into *out*. *Shape:* ``(..., n_columns, n_rows)``"""
    start = 0
    for feature in features:
        check_time()
        if isinstance(feature, Feature):
            out[..., start, :] = feature.values(rows)
            start += 1
        else:
            stop = start + len(feature.names)
            out[..., start:stop, :] = feature.values(rows)
            start = stop
