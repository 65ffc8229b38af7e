"""The tables of dense columns.

Most counts enter as logarithms. Their scales bring the values of ordinary pages near the range of shares, 0 to 1; each
reason says which count gives 1. They are nothing more than units: the network standardizes every column by its mean and
deviation over the training pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from scrapy_web2text.arrays import FloatArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.columns import Feature, FeatureGroup, column_names, fill_columns
from scrapy_web2text.features.modern.context import Context

__all__ = ["Table"]

Measures = TypeVar("Measures")


@dataclass(frozen=True, slots=True)
class Table(Generic[Measures]):
    """Columns that are functions of the same measures of a page.

    :param measure: computes the measures, once for each page.
    :param features: the columns, in order.
    :param variants: the columns are repeated for each variant, with its name in place of ``{}``. The arrays of the
        measures then have one more axis, the first, of this length or 1.
    """

    measure: Callable[[Context], Measures]
    features: Sequence[Feature[Measures] | FeatureGroup[Measures]]
    variants: tuple[str, ...] = ("",)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return tuple(name.format(variant) for variant in self.variants for name in column_names(self.features))

    def fill(self, context: Context, out: FloatArray) -> None:
        """Write the columns of a page into *out*. *Shape:* ``(len(names), n)``"""
        by_variant = out.reshape(len(self.variants), -1, out.shape[1])
        check_time()
        fill_columns(self.features, self.measure(context), by_variant)
