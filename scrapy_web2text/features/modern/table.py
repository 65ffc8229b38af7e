"""The tables of dense columns: what each measures, and how its columns follow from the measures.

Most counts enter as logarithms. Their scales bring the values of ordinary pages near the range of shares, 0 to 1; each
reason says which count gives 1. They are nothing more than units: the network standardizes every column by its mean and
deviation over the training pages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from scrapy_web2text.arrays import AnyArray, DoubleArray, FloatArray
from scrapy_web2text.features.modern.context import Context

__all__ = ["Column", "Operation", "Rows", "Table", "WideTable", "log", "log1p", "ratio", "value"]

Operation: TypeAlias = Literal["value", "log", "log1p", "ratio"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: ``operation(measure) / factor`` or, for a ratio, ``measure / whole * factor``, 0 where *whole* is 0.

    :param measure: name of a count of `BlockCounts`, or of a measure of the table; the same for *whole*.
    :param why: the reason for the scale.
    """

    name: str
    operation: Operation
    measure: str
    whole: str
    factor: float = 1.0
    why: str = ""


def value(name: str, measure: str = "", *, scale: float = 1.0, why: str = "") -> Column:
    """Return the column of a measure; without *measure*, it has the name of the column."""
    return Column(name, "value", measure or name, measure or name, scale, why)


def log(name: str, measure: str, *, scale: float = 1.0, why: str = "") -> Column:
    """Return the column of the logarithm of a measure, at least 1."""
    return Column(name, "log", measure, measure, scale, why)


def log1p(name: str, measure: str, *, scale: float = 1.0, why: str = "") -> Column:
    """Return the column of the logarithm of one more than a measure, at least 0."""
    return Column(name, "log1p", measure, measure, scale, why)


def ratio(name: str, part: str, whole: str, *, times: float = 1.0, why: str = "") -> Column:
    """Return the column of a measure divided by another, 0 where *whole* is 0."""
    return Column(name, "ratio", part, whole, times, why)


class Rows:
    """The measures of one table, as rows of the matrix of all measures.

    :param places: rows of each measure; the first are those of `BlockCounts`.
    """

    __slots__ = ("matrix", "places")

    def __init__(self, matrix: DoubleArray, places: Mapping[str, int | slice]) -> None:
        self.matrix = matrix
        self.places = places

    def __setitem__(self, name: str, values: AnyArray | float) -> None:
        """Set a measure. *Shape:* ``(n,)`` or, in a table with variants, ``(len(variants), n)``; any that broadcasts"""
        self.matrix[self.places[name]] = values


@dataclass(frozen=True, slots=True)
class Table:
    """Columns that are functions of measures.

    :param name: name of the family of columns.
    :param measure: sets all measures of a page.
    :param columns: the columns, in order.
    :param variants: the columns are repeated for each variant, with its name in place of ``{}``.
    """

    name: str
    measure: Callable[[Context, Rows], None]
    columns: Sequence[Column]
    variants: tuple[str, ...] = ("",)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return tuple(column.name.format(variant) for variant in self.variants for column in self.columns)


@dataclass(frozen=True, slots=True)
class WideTable:
    """Columns that are written as they are, many at once.

    :param name: name of the family of columns.
    :param names: the names of all columns, in order.
    :param fill: writes the columns of a page. *Shape:* ``(n, len(names))``
    """

    name: str
    names: tuple[str, ...]
    fill: Callable[[Context, FloatArray], None]
