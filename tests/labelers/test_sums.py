"""The compiled sums against those in Python, bit by bit, and these against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.labelers.sums import IN_PYTHON

MODULES = ["compiled", "python"]


@pytest.fixture(scope="module")
def compiled():
    return pytest.importorskip("scrapy_web2text.labelers._sums", reason="there is no compiled module for sums")


@pytest.fixture(scope="module")
def module(request):
    return request.getfixturevalue("compiled") if request.param == "compiled" else IN_PYTHON


@pytest.mark.parametrize("name", ["pass_max_messages", "pass_sum_messages"])
@given(logs=st.lists(st.tuples(*[st.floats(-100, 100)] * 4), min_size=1, max_size=40))
def test_both_modules_pass_the_same_messages(compiled, name, logs):
    ratios = np.ascontiguousarray(np.exp(np.array(logs).T))
    found = [getattr(module, name)(ratios[0], ratios[1:]) for module in (compiled, IN_PYTHON)]
    assert np.isfinite(found[0]).all()
    assert found[0].tolist() == found[1].tolist()


@pytest.mark.parametrize("module", MODULES, indirect=True)
@given(numbers=st.lists(st.integers(0, 4), max_size=40))
def test_the_rows_of_each_group_are_added_up_in_order(module, numbers):
    rows = np.random.default_rng(1).normal(size=(len(numbers), 3)).astype(np.float32)
    expected = np.zeros((5, 3))
    for number, row in zip(numbers, rows, strict=True):
        expected[number] += row
    sums = module.sum_groups(rows, np.array(numbers, dtype=np.int64), 5)
    assert sums.dtype == np.float32
    assert sums.tolist() == expected.astype(np.float32).tolist()


SIZES = st.tuples(st.integers(1, 9), st.integers(1, 20), st.integers(0, 2**32 - 1))


def make_rows(sizes):
    """Return random rows, and three vectors of the same width."""
    n, width, seed = sizes
    rows = np.random.default_rng(seed).normal(size=(n + 3, width), scale=3).astype(np.float32)
    return rows[3:].copy(), *rows[:3].copy()


@pytest.mark.parametrize("module", MODULES, indirect=True)
@given(sizes=SIZES)
def test_precisions_are_those_of_plain_numpy(module, sizes):
    rows = make_rows(sizes)[0]
    variances = rows.astype(np.float64).var(axis=1) + 1e-5
    assert 1 / module.find_precisions(rows) ** 2 == pytest.approx(variances, rel=1e-4, abs=1e-3)


@given(sizes=SIZES)
def test_both_modules_find_the_same_precisions(compiled, sizes):
    rows = make_rows(sizes)[0]
    rows[0] = 0.1  # of equal values, the variance is 0 but for rounding
    assert compiled.find_precisions(rows).tolist() == IN_PYTHON.find_precisions(rows).tolist()


@pytest.mark.parametrize("module", MODULES, indirect=True)
@given(sizes=SIZES, steps=st.integers(1, 9), n_parts=st.integers(1, 3))
def test_each_part_of_a_row_is_between_its_neighbors_or_zeros(module, sizes, steps, n_parts):
    rows = np.tile(make_rows(sizes)[0], n_parts)
    n, width = rows.shape
    steps = min(steps, n)
    factors = np.arange(1, n * n_parts + 1, dtype=np.float32)
    zeros = np.zeros(width)
    of_values = np.repeat(factors.reshape(n, n_parts), width // n_parts, axis=1)
    scaled = [*(row * own for row, own in zip(rows, of_values, strict=True))]
    expected = [
        [*(scaled[i - steps] if i >= steps else zeros), *scaled[i], *(scaled[i + steps] if i + steps < n else zeros)]
        for i in range(n)
    ]
    found = np.full((n, 3 * width), 7, dtype=np.float32)
    module.join_neighbors(rows, factors, steps, found)
    by_part = np.array(expected).reshape(n, 3, n_parts, -1).swapaxes(1, 2)
    assert found.tolist() == by_part.reshape(n, -1).tolist()


@pytest.mark.parametrize("module", MODULES, indirect=True)
@given(sizes=SIZES, steps=st.integers(1, 9))
def test_rows_are_rectified_after_all_is_added(module, sizes, steps):
    rows, bias, of_first, of_last = make_rows(sizes)
    n = len(rows)
    steps = min(steps, n)
    expected = []
    for i, row in enumerate(rows):
        total = row + bias
        if i < steps:
            total = total - of_first
        if i >= n - steps:
            total = total - of_last
        expected.append([max(value, 0.0) for value in total.tolist()])
    assert module.rectify_sums(rows, bias, of_first, of_last, steps).tolist() == expected
    assert rows.tolist() == expected


@pytest.mark.parametrize("module", MODULES, indirect=True)
@given(sizes=SIZES)
def test_columns_are_standardized_within_the_limit(module, sizes):
    rows, means, deviations, _ = make_rows(sizes)
    deviations = np.abs(deviations) + np.float32(0.1)
    expected = [[min(max(value, -2.0), 2.0) for value in ((row - means) / deviations).tolist()] for row in rows]
    assert module.standardize(rows, means, deviations, 2.0).tolist() == expected


@pytest.mark.parametrize("module", MODULES, indirect=True)
def test_values_that_are_not_numbers_are_kept(module):
    rows, vector = np.full((1, 2), np.nan, dtype=np.float32), np.ones(2, dtype=np.float32)
    assert np.isnan(module.standardize(rows, vector, vector, 5.0)).all()
    assert np.isnan(module.find_precisions(rows)).all()
    assert np.isnan(module.rectify_sums(rows, vector, vector, vector, 1)).all()
