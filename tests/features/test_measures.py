"""The compiled measures of blocks against those in Python, bit by bit; test_modern.py has pages for the latter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from lxml import etree
from strategies import html_trees
from trees import every_tree

from scrapy_web2text.features.modern.columns import ColumnPlan, Table
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.measures import IN_PYTHON
from scrapy_web2text.features.modern.tables import CANDIDATES, GROUPS, TEXT, TITLE
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree


@pytest.fixture(scope="module")
def compiled():
    return pytest.importorskip(
        "scrapy_web2text.features.modern._measures", reason="there is no compiled module for measures"
    )


TABLES: dict[Table, str] = {
    TEXT: "measure_text",
    TITLE: "measure_title",
    GROUPS: "measure_groups",
    CANDIDATES: "measure_candidates",
}


def measure_with(module: Any, table: Table, context: Context) -> bytes:
    """Return the bytes of the columns of *table* by the functions of *module*."""
    plan = ColumnPlan([replace(table, measure=getattr(module, TABLES[table]))])
    columns = np.full((context.n_blocks, len(plan.names)), np.nan, dtype=np.float32)
    plan.fill(context, columns)
    assert np.isfinite(columns).all()
    return columns.tobytes()


def check_page(compiled: Any, root: etree._Element) -> None:
    page = tree_to_page(root)
    blocks = segment(page, MODERN_BLOCKS)
    if not blocks.n_blocks:
        return
    context = Context(page, blocks)
    for table in TABLES:
        assert measure_with(compiled, table, context) == measure_with(IN_PYTHON, table, context), table.name


@pytest.mark.parametrize("name", ["compiled", "python"])
def test_columns_are_quotients_by_a_factor_or_by_a_whole(request, name):
    module = request.getfixturevalue("compiled") if name == "compiled" else IN_PYTHON
    matrix, out = np.array([[6.0, 3.0], [0.0, 2.0]]), np.full((2, 3), 7, dtype=np.float32)
    module.write_columns(matrix, np.array([2, 0]), np.array([0, 0]), np.array([-1, 1]), np.array([4.0, 10.0]), out)
    assert out.tolist() == [[0, 7, 1.5], [15, 7, 0.75]]


@given(html=html_trees())
def test_both_modules_agree_on_generated_pages(compiled, html):
    check_page(compiled, to_tree(html))


@every_tree
def test_both_modules_agree_on_handwritten_and_hostile_pages(compiled, make_tree):
    check_page(compiled, make_tree())
