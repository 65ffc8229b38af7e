"""The compiled sums against those in Python, bit by bit, and these against plain Python."""

from __future__ import annotations

from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import PAGES
from strategies import html_trees

from scrapy_web2text.features.hashing import N_WORD_HASHES
from scrapy_web2text.features.modern.page import modern_features
from scrapy_web2text.labelers import sums
from scrapy_web2text.labelers.modern import layers
from scrapy_web2text.labelers.sums import IN_PYTHON
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.reader import N_NAME_HASHES

MODULES = ["compiled", "python"]


@pytest.fixture(scope="module")
def compiled():
    return pytest.importorskip("scrapy_web2text.labelers._sums", reason="there is no compiled module for sums")


@pytest.fixture(scope="module")
def module(request):
    return request.getfixturevalue("compiled") if request.param == "compiled" else IN_PYTHON


@given(logs=st.lists(st.tuples(*[st.floats(-100, 100)] * 4), min_size=1, max_size=40))
def test_both_modules_pass_the_same_messages(compiled, logs):
    ratios = np.ascontiguousarray(np.exp(np.array(logs).T))
    found = [module.pass_sum_messages(ratios[0], ratios[1:]) for module in (compiled, IN_PYTHON)]
    assert np.isfinite(found[0]).all()
    assert found[0].tolist() == found[1].tolist()


@pytest.mark.parametrize("module", MODULES, indirect=True)
@given(numbers=st.lists(st.integers(0, 4), min_size=1, max_size=40))
def test_the_rows_of_each_group_are_averaged_in_order(module, numbers):
    numbers = [sorted({*numbers}).index(number) for number in numbers]  # none is missing
    partitions = np.array([numbers, np.zeros_like(numbers)])
    rows = np.random.default_rng(1).normal(size=(len(numbers), 3)).astype(np.float32)
    means = module.average_groups(rows, partitions)
    expected = []
    for of_rows in partitions.tolist():
        sums = np.zeros((max(of_rows) + 1, 3))
        for number, row in zip(of_rows, rows, strict=True):
            sums[number] += row
        sizes = np.array([*map(of_rows.count, range(len(sums)))], dtype=np.float32)
        expected.append(sums.astype(np.float32) / sizes[:, None])
    assert [mean.tolist() for mean in means] == [mean.tolist() for mean in expected]


SIZES = st.tuples(st.integers(1, 9), st.integers(1, 20), st.integers(0, 2**32 - 1))


def make_rows(sizes):
    """Return random rows, and three vectors of the same width."""
    n, width, seed = sizes
    rows = np.random.default_rng(seed).normal(size=(n + 3, width), scale=3).astype(np.float32)
    return rows[3:].copy(), *rows[:3].copy()


def assert_near(found, expected, rows):
    """Nearly equal values have a variance that their own rounding, of 2**-24 of their squares, is a large part of."""
    squares = (rows.astype(np.float64) ** 2).mean(axis=1)
    off = 1e-2 + (1e-3 + 4e-6 * squares / (rows.astype(np.float64).var(axis=1) + 1e-5))[:, None] * np.abs(expected)
    assert (np.abs(found - expected) <= off).all()


@pytest.mark.parametrize("module", MODULES, indirect=True)
@given(sizes=SIZES, n_parts=st.integers(1, 3))
def test_rows_are_normalized_as_by_plain_numpy(module, sizes, n_parts):
    rows, scale, shift, _ = make_rows(sizes)
    rows[0] = 0.1  # of equal values, the variance is 0 but for rounding
    wide = rows.astype(np.float64)
    deviations = np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)
    expected = (wide - wide.mean(axis=1, keepdims=True)) / deviations * scale + shift
    each = (np.tile(vector, (n_parts, 1)) for vector in (scale, shift))
    found = np.tile(rows, n_parts)
    module.normalize(found, *each)
    assert_near(found, np.tile(expected, n_parts), rows)


@given(sizes=SIZES, steps=st.integers(1, 9))
def test_both_modules_normalize_and_join_rows_alike(compiled, sizes, steps):
    rows, scale, shift, _ = make_rows(sizes)
    outs = np.full((2, len(rows), 3 * rows.shape[1]), 7, dtype=np.float32)
    normalized = [rows.copy(), rows.copy()]
    for module, out, own in zip((compiled, IN_PYTHON), outs, normalized, strict=True):
        module.join_neighbors(rows, 1, min(steps, len(rows)), out)
        module.normalize(own, scale[None], shift[None])
    assert outs[0].tolist() == outs[1].tolist()
    assert normalized[0].tolist() == normalized[1].tolist()


@pytest.mark.parametrize("module", MODULES, indirect=True)
@given(sizes=SIZES, steps=st.integers(1, 9), n_parts=st.integers(1, 3))
def test_each_part_of_a_row_is_between_its_neighbors_or_zeros(module, sizes, steps, n_parts):
    rows = np.tile(make_rows(sizes)[0], n_parts)
    n, width = rows.shape
    steps = min(steps, n)
    parts = rows.reshape(n, n_parts, -1)
    scaled = parts / np.sqrt(parts.astype(np.float64).var(axis=2, keepdims=True) + 1e-5)
    zeros = np.zeros_like(scaled[0])
    expected = [
        [scaled[i - steps] if i >= steps else zeros, scaled[i], scaled[i + steps] if i + steps < n else zeros]
        for i in range(n)
    ]
    found = np.full((n, 3 * width), 7, dtype=np.float32)
    module.join_neighbors(rows, n_parts, steps, found)
    by_part = np.array(expected).swapaxes(1, 2).reshape(n, -1)
    assert ((found == 0) == (by_part == 0)).all()
    assert_near(found, by_part, make_rows(sizes)[0])


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
    module.normalize(rows, vector[None], vector[None])
    assert np.isnan(rows).all()
    assert np.isnan(module.rectify_sums(rows, vector, vector, vector, 1)).all()


# The embeddings of bags

NAMES = np.array([[1, 0], [3, 4], [0, 8]], dtype=np.float32)
WORDS = np.array([[2, 2], [4, 0]], dtype=np.float32)
# Tables of a model: half precision.
RANDOM = np.random.default_rng(0)
NAME_TABLE, WORD_TABLE = (
    RANDOM.normal(0, 0.5, (n, 24)).astype(np.float16).astype(np.float32) for n in (N_NAME_HASHES, N_WORD_HASHES)
)


def check_embeddings(compiled, html: str | bytes) -> None:
    page = tree_to_page(to_tree(html))
    blocks = segment(page, MODERN_BLOCKS)
    if not blocks.n_blocks:
        return
    features = modern_features(page, blocks)
    slow, fast = (module.embed_blocks(features, NAME_TABLE, WORD_TABLE) for module in (IN_PYTHON, compiled))
    assert (slow.dtype, slow.shape) == (fast.dtype, fast.shape) == (np.float32, (blocks.n_blocks, 4 * 24))
    assert np.array_equal(slow, fast)


@given(html=html_trees())
def test_the_modules_agree_on_generated_pages(compiled, html):
    check_embeddings(compiled, html)


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_the_modules_agree_on_pages(compiled, path):
    check_embeddings(compiled, path.read_bytes())


@given(bags=st.lists(st.lists(st.integers(0, 2)), min_size=1))
def test_bags_are_summed_one_by_one(bags):
    numbers, counts = np.array(list(chain.from_iterable(bags)), dtype=np.int64), np.array([len(bag) for bag in bags])
    expected = [NAMES[bag].sum(axis=0).tolist() for bag in bags]
    assert sums._sum_bags(NAMES, numbers, counts).tolist() == expected


@pytest.mark.parametrize("module", MODULES, indirect=True)
def test_a_block_sees_the_bags_of_its_elements_its_texts_and_the_page(module, monkeypatch):
    monkeypatch.setattr(layers, "sums", module)
    features = SimpleNamespace(
        # Elements 0 > 1 > 2 with the names 0; 1 and 1; 2. Block 0 is in element 1, block 1 in element 2.
        names=np.array([0, 1, 1, 2]),
        n_names=np.array([1, 2, 1]),
        open_slots=np.array([0, 1, 2]),
        close_slots=np.array([5, 4, 3]),
        owners=np.array([1, 2]),
        containers=np.array([1, 1]),
        words=np.array([0, 0, 1]),
        n_words=np.array([2, 1]),
        headings=np.array([-1, 0]),
        title_words=np.array([0, 1]),
        page_names=np.array([], dtype=np.int64),
    )
    rows, of_page = layers.embed_bags(features, NAMES, WORDS)
    assert rows.shape[1] + len(of_page) == 2 * layers.N_BAGS
    first, second = rows.reshape(2, 4, 2)
    near, paths, words, headings = range(4)
    assert first[near].tolist() == [3, 4]  # the names of element 1
    assert second[near].tolist() == [2, pytest.approx(16 / 3)]  # those of elements 2 and 1
    assert first[paths].tolist() == second[paths].tolist() == [1, 0]  # those of element 0
    assert (first[words].tolist(), second[words].tolist()) == ([2, 2], [4, 0])
    assert (first[headings].tolist(), second[headings].tolist()) == ([0, 0], [2, 2])
    assert of_page.tolist() == [3, 1, 0, 0]  # the words of the title; no names of the page


@pytest.mark.parametrize("module", MODULES, indirect=True)
@pytest.mark.parametrize(("n_far", "factor"), [(1, 1), (16, 4), (64, 8), (65, 8), (4096, 8)])
def test_the_far_bag_grows_with_the_root_of_its_size_up_to_a_limit(module, n_far, factor):
    features = SimpleNamespace(
        # Element 0, with many names, is around element 1, with none, which holds the block.
        names=np.ones(n_far, dtype=np.int64),
        n_names=np.array([n_far, 0]),
        open_slots=np.array([0, 1]),
        close_slots=np.array([3, 2]),
        owners=np.array([1]),
        containers=np.array([1]),
        words=np.array([0]),
        n_words=np.array([1]),
        headings=np.array([-1]),
    )
    far = module.embed_blocks(features, NAMES, WORDS)[0, 2:4]
    assert far.tolist() == pytest.approx([3 * factor, 4 * factor])
