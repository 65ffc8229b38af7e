"""The parts of the modern network in numpy; tests/training compares the whole with the network in torch."""

from __future__ import annotations

from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.features.modern import MODERN_FEATURE_NAMES
from scrapy_web2text.labelers.modern.bags import N_BAGS, _sum_bags, embed_bags
from scrapy_web2text.labelers.modern.network import _group_means, tensor_shapes
from scrapy_web2text.labelers.weights import find_model, load_model

NAMES = np.array([[1, 0], [3, 4], [0, 8]], dtype=np.float32)
WORDS = np.array([[2, 2], [4, 0]], dtype=np.float32)


def test_the_shipped_model_has_exactly_the_tensors_of_the_network():
    model = load_model(find_model("web2text-2026"))
    shapes = tensor_shapes(
        n_dense=len(MODERN_FEATURE_NAMES),
        width=model.tensors["conv.0.weight"].shape[1],
        bag_size=model.tensors["names"].shape[1],
        n_layers=len(model.manifest["dilations"]),
        n_pooled=len(model.manifest["pooled"]),
        n_grouped=len(model.manifest["grouped"]),
        n_types=len(model.manifest["page_types"]),
    )
    assert {name: tensor.shape for name, tensor in model.tensors.items()} == shapes


@given(bags=st.lists(st.lists(st.integers(0, 2)), min_size=1))
def test_bags_are_summed_one_by_one(bags):
    numbers, counts = np.array(list(chain.from_iterable(bags)), dtype=np.int64), np.array([len(bag) for bag in bags])
    expected = [[*NAMES[bag].sum(axis=0), len(bag)] for bag in bags]
    assert _sum_bags(NAMES, numbers, counts).tolist() == expected


def test_a_block_sees_the_bags_of_its_elements_its_texts_and_the_page():
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
    rows = embed_bags(features, NAMES, WORDS)
    assert rows.shape == (2, 2 * N_BAGS)
    first, second = rows.reshape(2, N_BAGS, 2)
    near, paths, words, headings, title, page_names = range(N_BAGS)
    assert first[near].tolist() == [3, 4]  # the names of element 1
    assert second[near].tolist() == [2, pytest.approx(16 / 3)]  # those of elements 2 and 1
    assert first[paths].tolist() == second[paths].tolist() == [1, 0]  # those of element 0
    assert (first[words].tolist(), second[words].tolist()) == ([2, 2], [4, 0])
    assert (first[headings].tolist(), second[headings].tolist()) == ([0, 0], [2, 2])
    assert first[title].tolist() == second[title].tolist() == [3, 1]
    assert first[page_names].tolist() == [0, 0]


def test_group_means_are_shared_by_the_rows_of_a_group():
    rows = np.array([[1, 0], [2, 6], [3, 2]], dtype=np.float32)
    assert _group_means(rows, np.array([0, 1, 0])).tolist() == [[2, 1], [2, 6], [2, 1]]
