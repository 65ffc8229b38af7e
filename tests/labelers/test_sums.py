"""The compiled sums against those in Python, bit by bit, and these against plain Python."""

from __future__ import annotations

from itertools import chain

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


def halves(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    """Return numbers of half precision, large and small ones, as those of an embedding table."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=shape) * 10.0 ** random.integers(-5, 2, size=shape)
    return rows.astype(np.float16).astype(np.float32)


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


@pytest.mark.parametrize("module", MODULES, indirect=True)
@given(bags=st.lists(st.lists(st.integers(0, 9), max_size=30), min_size=1))
def test_bags_are_summed_one_by_one(module, bags):
    table = halves((10, 3))
    numbers, counts = np.array(list(chain.from_iterable(bags)), dtype=np.int64), np.array([len(bag) for bag in bags])
    expected = [table[bag].sum(axis=0, dtype=np.float64) for bag in bags]
    sums = module.sum_bags(table, numbers, counts)
    assert sums.dtype == np.float32
    assert sums.tolist() == np.array(expected, dtype=np.float32).tolist()


@st.composite
def trees(draw):
    """Generate the parents of elements in preorder."""
    parents = [-1]
    for i in range(1, draw(st.integers(1, 30))):
        ancestors = [parents[-1]] if i > 1 else []
        while ancestors and ancestors[-1] > 0:
            ancestors.append(parents[ancestors[-1]])
        parents.append(draw(st.sampled_from([i - 1, *(ancestor for ancestor in ancestors if ancestor >= 0)])))
    return parents


@pytest.mark.parametrize("module", MODULES, indirect=True)
@given(parents=trees())
def test_the_rows_of_all_elements_around_a_text_are_added_up(module, parents):
    n = len(parents)
    opens, closes, stack, slot = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), [], 0
    for element in [*range(n), None]:
        while stack and (element is None or stack[-1] != parents[element]):
            closes[stack.pop()], slot = slot, slot + 1
        if element is not None:
            opens[element], slot = slot, slot + 1
            stack.append(element)
    rows = halves((n, 2))
    expected = []
    for element in range(n):
        around = [element]
        while parents[around[-1]] >= 0:
            around.append(parents[around[-1]])
        expected.append(rows[around].sum(axis=0, dtype=np.float64))
    owners = np.arange(n)[::-1].copy()
    paths = module.sum_paths(rows, opens, closes, owners)
    assert paths.tolist() == np.array(expected, dtype=np.float32)[owners].tolist()
