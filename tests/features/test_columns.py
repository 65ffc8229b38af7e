"""Feature tables: columns in order, standardized, alone or computed together."""

from __future__ import annotations

import numpy as np

from scrapy_web2text.features.columns import Feature, FeatureGroup, column_names, fill_columns
from scrapy_web2text.features.modern.table import Table

ROWS = np.array([1.0, 2.0, 4.0])
SINGLE = (
    Feature("plain", lambda rows: rows),
    Feature("scaled", lambda rows: rows, mean=1.0, scale=3.0),
    Feature("whole", lambda rows: rows.astype(np.int64), scale=2),
    Feature("is_large", lambda rows: rows > 1, mean=0.5, scale=0.5),
    Feature("one_for_all", len, scale=2),
)
EXPECTED = np.array([[1, 2, 4], [0, 1 / 3, 1], [0.5, 1, 2], [-1, 1, 1], [1.5, 1.5, 1.5]], dtype=np.float32)


def filled(features, rows, shape):
    out = np.full(shape, np.nan, dtype=np.float32)
    fill_columns(features, rows, out)
    return out


def test_columns_are_standardized():
    assert filled(SINGLE, ROWS, (5, 3)).tolist() == EXPECTED.tolist()


def test_a_scale_divides_before_the_value_is_rounded_to_32_bits():
    values = np.log1p(np.arange(1000.0))
    out = filled([Feature("a", np.log1p, scale=5)], np.arange(1000.0), (1, 1000))
    assert out[0].tolist() == (values / 5).astype(np.float32).tolist()


def test_groups_take_as_many_columns_as_they_have_names():
    features = (
        Feature("first", lambda rows: rows),
        FeatureGroup(("double", "triple"), lambda rows: np.stack([2 * rows, 3 * rows]), scale=2, why="half"),
        FeatureGroup(("constant",), lambda _rows: np.array([[7.0]])),
        Feature("last", lambda rows: -rows),
    )
    assert column_names(features) == ("first", "double", "triple", "constant", "last")
    out = filled(features, ROWS, (5, 3))
    assert out.tolist() == [[1, 2, 4], [1, 2, 4], [1.5, 3, 6], [7, 7, 7], [-1, -2, -4]]


def test_a_table_repeats_its_columns_for_each_variant():
    measures = np.array([[1.0], [10.0]])
    table = Table(
        lambda context: context,
        (
            Feature("factor_{}", lambda factors: factors),
            FeatureGroup(("{}.once", "{}.twice"), lambda factors: factors[:, None] * np.stack([ROWS, 2 * ROWS])),
        ),
        variants=("a", "b"),
    )
    assert table.names == ("factor_a", "a.once", "a.twice", "factor_b", "b.once", "b.twice")
    out = np.empty((6, 3), dtype=np.float32)
    table.fill(measures, out)
    assert out.tolist() == [[1, 1, 1], [1, 2, 4], [2, 4, 8], [10, 10, 10], [10, 20, 40], [20, 40, 80]]
