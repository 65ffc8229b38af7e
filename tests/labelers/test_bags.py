"""The embeddings of bags: the compiled module against the one in Python, and that one against plain sums."""

from __future__ import annotations

from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import PAGES
from strategies import html_trees

from scrapy_web2text.features.modern import N_NAME_HASHES, N_WORD_HASHES, modern_features, read_hints
from scrapy_web2text.labelers import sums
from scrapy_web2text.labelers.modern import layers as bags_module
from scrapy_web2text.labelers.modern.layers import N_BAGS, embed_bags
from scrapy_web2text.labelers.sums import IN_PYTHON
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

NAMES = np.array([[1, 0], [3, 4], [0, 8]], dtype=np.float32)
WORDS = np.array([[2, 2], [4, 0]], dtype=np.float32)
# Tables of a model: half precision.
RANDOM = np.random.default_rng(0)
NAME_TABLE, WORD_TABLE = (
    RANDOM.normal(0, 0.5, (n, 24)).astype(np.float16).astype(np.float32) for n in (N_NAME_HASHES, N_WORD_HASHES)
)


@pytest.fixture(scope="module")
def compiled():
    return pytest.importorskip("scrapy_web2text.labelers._sums", reason="there is no compiled module for sums")


def check_embeddings(compiled, html: str | bytes) -> None:
    page = tree_to_page(to_tree(html))
    blocks = segment(page, MODERN_BLOCKS)
    if not blocks.n_blocks:
        return
    features = modern_features(page, blocks, read_hints(page.document_landmarks))
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


@pytest.mark.parametrize("module", ["compiled", "python"])
def test_a_block_sees_the_bags_of_its_elements_its_texts_and_the_page(module, request, monkeypatch):
    kernel = IN_PYTHON if module == "python" else request.getfixturevalue("compiled")
    monkeypatch.setattr(bags_module, "sums", kernel)
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
    rows, of_page = embed_bags(features, NAMES, WORDS)
    assert rows.shape[1] + len(of_page) == 2 * N_BAGS
    first, second = rows.reshape(2, 4, 2)
    near, paths, words, headings = range(4)
    assert first[near].tolist() == [3, 4]  # the names of element 1
    assert second[near].tolist() == [2, pytest.approx(16 / 3)]  # those of elements 2 and 1
    assert first[paths].tolist() == second[paths].tolist() == [1, 0]  # those of element 0
    assert (first[words].tolist(), second[words].tolist()) == ([2, 2], [4, 0])
    assert (first[headings].tolist(), second[headings].tolist()) == ([0, 0], [2, 2])
    assert of_page.tolist() == [3, 1, 0, 0]  # the words of the title; no names of the page


@pytest.mark.parametrize("module", ["compiled", "python"])
@pytest.mark.parametrize(("n_far", "factor"), [(1, 1), (16, 4), (64, 8), (65, 8), (4096, 8)])
def test_the_far_bag_grows_with_the_root_of_its_size_up_to_a_limit(module, request, n_far, factor):
    kernel = IN_PYTHON if module == "python" else request.getfixturevalue("compiled")
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
    far = kernel.embed_blocks(features, NAMES, WORDS)[0, 2:4]
    assert far.tolist() == pytest.approx([3 * factor, 4 * factor])
