"""The compiled sums against those in Python, bit by bit, and these against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.labelers import python_sums

MODULES = ["compiled", "python"]


@pytest.fixture(scope="module")
def compiled():
    return pytest.importorskip("scrapy_web2text.labelers._sums", reason="there is no compiled module for sums")


@pytest.fixture(scope="module")
def module(request):
    return request.getfixturevalue("compiled") if request.param == "compiled" else python_sums


@pytest.mark.parametrize("name", ["pass_max_messages", "pass_sum_messages"])
@given(logs=st.lists(st.tuples(*[st.floats(-100, 100)] * 4), min_size=1, max_size=40))
def test_both_modules_pass_the_same_messages(compiled, name, logs):
    ratios = np.ascontiguousarray(np.exp(np.array(logs).T))
    found = [getattr(module, name)(ratios[0], ratios[1:]) for module in (compiled, python_sums)]
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
