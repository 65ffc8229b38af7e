"""How dense columns are computed: a table measures the blocks of a page, and its columns are functions of the measures.

Most counts enter as logarithms. Their scales bring the values of ordinary pages near the range of shares, 0 to 1. The
reason for each scale says which count gives 1. The scales are mere units: the network standardizes every column by its
mean and deviation over the training pages.

The tables of a plan write their measures into the rows of one matrix. Then all logarithms are computed at once, into
further rows, and all columns are written. For the few hundred blocks of a page, numpy takes more time to start an
operation than to carry it out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from scrapy_web2text.common.arrays import FloatArray, IntArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.features.modern.context import COUNT_NAMES, Context
from scrapy_web2text.features.modern.measures import Rows, write_columns

Operation: TypeAlias = Literal["value", "log", "log1p", "ratio"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: ``operation(measure) / scale`` or, for a ratio, ``measure / whole``, 0 where *whole* is 0.

    :param measure: one of `COUNT_NAMES`, or the name of a measure of the table.
    :param whole: the measure to divide by; the same as *measure* if the column is not a ratio.
    :param why: the reason for the scale.
    """

    name: str
    operation: Operation
    measure: str
    whole: str
    scale: float = 1.0
    why: str = ""


def value(name: str, measure: str = "", *, scale: float = 1.0, why: str = "") -> Column:
    """Return the column of a measure. Without *measure*, the measure has the name of the column."""
    return Column(name, "value", measure or name, measure or name, scale, why)


def log(name: str, measure: str, *, scale: float = 1.0, why: str = "") -> Column:
    """Return the column of the logarithm of a measure that is at least 1."""
    return Column(name, "log", measure, measure, scale, why)


def log1p(name: str, measure: str, *, scale: float = 1.0, why: str = "") -> Column:
    """Return the column of the logarithm of one more than a measure that is at least 0."""
    return Column(name, "log1p", measure, measure, scale, why)


def ratio(name: str, part: str, whole: str) -> Column:
    """Return the column of a measure divided by another measure; 0 where *whole* is 0."""
    return Column(name, "ratio", part, whole)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns that are functions of measures.

    :param name: name of the family of columns.
    :param measure: sets all measures of a page.
    :param columns: the columns, in order.
    :param variants: names for ``{}`` in the names of columns; the columns are repeated for each variant.
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
    """Columns that are written directly, many at once, without measures.

    :param name: name of the family of columns.
    :param names: the names of all columns, in order.
    :param fill: writes the columns of a page. *Shape:* ``(n, len(names))``
    """

    name: str
    names: tuple[str, ...]
    fill: Callable[[Context, FloatArray], None]


_LOGARITHMS: Final = {"log": np.log, "log1p": np.log1p}


class ColumnPlan:
    """Computes the columns of *tables*, in order."""

    def __init__(self, tables: Sequence[Table | WideTable]) -> None:
        self.names = tuple(name for table in tables for name in table.names)
        self._wide: list[tuple[WideTable, slice]] = []
        self._measured: list[tuple[Table, dict[str, int | slice]]] = []
        self._n_rows = len(COUNT_NAMES)
        found: list[tuple[int, str, int, int, float]] = []
        start = 0
        for table in tables:
            if isinstance(table, WideTable):
                self._wide.append((table, slice(start, start + len(table.names))))
            else:
                self._add(table, start, found)
            start += len(table.names)
        all_of = np.array(found, dtype="i8, U8, i8, i8, f8")
        columns, operations, parts, wholes, scales = (np.ascontiguousarray(all_of[f"f{i}"]) for i in range(5))
        wholes[operations != "ratio"] = -1
        self._logs: list[tuple[np.ufunc, IntArray, slice]] = []
        for name, logarithm in _LOGARITHMS.items():
            chosen = np.flatnonzero(operations == name)
            rows = slice(self._n_rows, self._n_rows + len(chosen))
            self._logs.append((logarithm, parts[chosen], rows))
            parts[chosen] = range(rows.start, rows.stop)
            self._n_rows = rows.stop
        self._columns = columns, parts, wholes, scales

    def _add(self, table: Table, start: int, found: list[tuple[int, str, int, int, float]]) -> None:
        """Add the columns of *table* to *found*: number (from *start* on), operation, rows of part and whole, scale."""
        n_variants = len(table.variants)
        places: dict[str, int | slice] = {}
        # The counts of blocks are the same for all variants.
        rows = [dict(zip(COUNT_NAMES, range(len(COUNT_NAMES)), strict=True)) for _ in table.variants]
        for name in (name for column in table.columns for name in (column.measure, column.whole)):
            if name not in rows[0]:
                places[name] = self._n_rows if n_variants == 1 else slice(self._n_rows, self._n_rows + n_variants)
                for row_of in rows:
                    row_of[name] = self._n_rows
                    self._n_rows += 1
        self._measured.append((table, places))
        for row_of in rows:
            for column in table.columns:
                found.append((start, column.operation, row_of[column.measure], row_of[column.whole], column.scale))
                start += 1

    def fill(self, context: Context, out: FloatArray) -> None:
        """Write the columns of a page. *Shape:* ``(n, len(names))``"""
        matrix = np.empty((self._n_rows, len(out)))
        matrix[: len(COUNT_NAMES)] = context.count_table
        for table, places in self._measured:
            check_time()
            table.measure(context, Rows(matrix, places))
        for logarithm, parts, rows in self._logs:
            logarithm(matrix.take(parts, axis=0), out=matrix[rows])
        check_time()
        write_columns(matrix, *self._columns, out)
        for wide, place in self._wide:
            check_time()
            wide.fill(context, out[:, place])
