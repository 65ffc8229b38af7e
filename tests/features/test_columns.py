"""Feature tables: columns in order, standardized one by one or computed together."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from scrapy_web2text.features.modern.columns import ColumnPlan, Table, WideTable, log, log1p, ratio, value
from scrapy_web2text.features.modern.context import COUNT_NAMES

ROWS = np.array([1.0, 2.0, 4.0])
COUNTS = np.arange(len(COUNT_NAMES) * 3.0).reshape(-1, 3)


def filled(tables, given=None):
    plan = ColumnPlan(tables)
    out = np.full((3, len(plan.names)), np.nan, dtype=np.float32)
    plan.fill(SimpleNamespace(count_table=COUNTS, given=given), out)
    return plan.names, out.T.tolist()


def test_columns_are_functions_of_measures_and_of_counts():
    def measure(_context, rows):
        rows["rows"] = ROWS
        rows["size"] = np.array([0, 2, 4])
        rows["constant"] = 3

    columns = (
        *(value("rows"), value("half", "rows", scale=2), log("log", "rows", scale=3), log1p("log1p", "rows")),
        *(ratio("ratio", "rows", "size"), ratio("of_words", "constant", "words"), value("words")),
    )
    names, out = filled([Table("a", measure, columns)])
    words = COUNTS[COUNT_NAMES.index("words")]
    expected = [ROWS, ROWS / 2, np.log(ROWS) / 3, np.log1p(ROWS), [0, 1, 1], 3 / words, words]
    assert names == ("rows", "half", "log", "log1p", "ratio", "of_words", "words")
    assert out == np.array(expected, dtype=np.float32).tolist()


def test_tables_keep_their_order_and_their_measures_apart():
    def measure_first(_context, rows):
        rows["same"] = ROWS

    def measure_second(context, rows):
        rows["same"] = context.given

    tables = [
        Table("first", measure_first, (value("a", "same"),)),
        WideTable("wide", ("b", "c"), lambda context, out: out.__setitem__(slice(None), [context.given, 0])),
        Table("second", measure_second, (value("d", "same"),)),
    ]
    assert filled(tables, 7) == (("a", "b", "c", "d"), [[1, 2, 4], [7, 7, 7], [0, 0, 0], [7, 7, 7]])


def test_a_table_repeats_its_columns_for_each_variant():
    def measure(context, rows):
        rows["factor"] = context.given
        rows["scaled"] = context.given * ROWS

    columns = (value("factor_{}", "factor"), ratio("{}.share", "scaled", "factor"), value("{}.chars", "chars"))
    names, out = filled([Table("a", measure, columns, variants=("x", "y"))], np.array([[1.0], [10.0]]))
    assert names == ("factor_x", "x.share", "x.chars", "factor_y", "y.share", "y.chars")
    assert out == [[1, 1, 1], [1, 2, 4], [0, 1, 2], [10, 10, 10], [1, 2, 4], [0, 1, 2]]
