"""The compiled measures of blocks against those in Python, bit by bit; test_modern.py has pages for the latter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from strategies import html_trees
from trees import every_tree

from scrapy_web2text.features.modern.columns import ColumnPlan, Table
from scrapy_web2text.features.modern.context import Context, make_context
from scrapy_web2text.features.modern.measures import IN_PYTHON, Rows
from scrapy_web2text.features.modern.place import CANDIDATES, GROUPS, HEADINGS, LONG_BLOCKS, NEIGHBORS
from scrapy_web2text.features.modern.text import TEXT
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree


@pytest.fixture(scope="module")
def compiled():
    return pytest.importorskip(
        "scrapy_web2text.features.modern._measures", reason="there is no compiled module for measures"
    )


def measure_long_blocks(module: Any, context: Context, rows: Rows) -> None:
    module.measure_long_blocks(context, context.long_before, rows)


def measure_headings(module: Any, context: Context, rows: Rows) -> None:
    module.measure_headings(context, context.container_tags % 4, rows)


def measure_ranges(module: Any, context: Context, rows: Rows) -> None:
    """Measure an empty range, and the blocks but for the first and the last."""
    n = context.n_blocks
    module.measure_ranges(context, np.array([n // 2, min(1, n - 1)]), np.array([n // 2, max(n - 1, 1)]), rows)


TABLES: dict[Table, Callable[[Any, Context, Rows], None]] = {
    TEXT: lambda module, context, rows: module.measure_text(context, rows),
    GROUPS: lambda module, context, rows: module.measure_groups(context, rows),
    NEIGHBORS: lambda module, context, rows: module.measure_neighbors(context, rows),
    LONG_BLOCKS: measure_long_blocks,
    HEADINGS: measure_headings,
    CANDIDATES: measure_ranges,
}


def measure_with(module: Any, table: Table, context: Context) -> bytes:
    """Return the bytes of the columns of *table* by the functions of *module*."""
    plan = ColumnPlan([replace(table, measure=partial(TABLES[table], module))])
    columns = np.full((context.n_blocks, len(plan.names)), np.nan, dtype=np.float32)
    plan.fill(context, columns)
    assert np.isfinite(columns).all()
    return columns.tobytes()


def check_page(compiled: Any, root: etree._Element) -> None:
    page = tree_to_page(root)
    blocks = segment(page, MODERN_BLOCKS)
    if not blocks.n_blocks:
        return
    context = make_context(page, blocks, "a title")
    for table in TABLES:
        assert measure_with(compiled, table, context) == measure_with(IN_PYTHON, table, context), table.name


@given(html=html_trees())
def test_both_modules_agree_on_generated_pages(compiled, html):
    check_page(compiled, to_tree(html))


@every_tree
def test_both_modules_agree_on_handwritten_and_hostile_pages(compiled, make_tree):
    check_page(compiled, make_tree())


VALUES = st.integers(0, 3) | st.floats(0, 1e9)


@given(
    values=st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=5),
    columns=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.floats(0.1, 20)), min_size=1, max_size=4),
)
def test_both_modules_write_the_same_columns(compiled, values, columns):
    matrix = np.array(values, dtype=np.float64).T.copy()
    parts, wholes, factors = map(np.array, zip(*columns, strict=True))
    places = np.arange(len(columns))[::-1] + 1
    found = []
    for module in (compiled, IN_PYTHON):
        out = np.full((len(values), len(columns) + 2), 7, dtype=np.float32)
        module.write_values(matrix, parts, factors, places, out[:, :-1])
        found.append(out.tobytes())
        module.write_ratios(matrix, parts, wholes, factors, places, out[:, :-1])
        found.append(out.tobytes())
    assert found[:2] == found[2:]


def test_columns_are_parts_divided_by_factors_or_by_wholes():
    matrix, parts, factors = np.array([[6.0, 1.0], [3.0, 0.0]]), np.array([0, 1]), np.array([2.0, 3.0])
    out = np.zeros((2, 3), dtype=np.float32)
    IN_PYTHON.write_values(matrix, parts, factors, np.array([2, 0]), out)
    assert out.tolist() == [[1, 0, 3], [0, 0, 0.5]]
    IN_PYTHON.write_ratios(matrix, parts, np.array([1, 1]), factors, np.array([2, 0]), out)
    assert out.tolist() == [[3, 0, 4], [0, 0, 0]]
