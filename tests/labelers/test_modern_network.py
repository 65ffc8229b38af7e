"""The parts of the modern network in numpy; tests/training compares the whole with the network in torch."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from scrapy_web2text.features.modern import MODERN_FEATURE_NAMES
from scrapy_web2text.labelers.modern.bags import N_BAGS, embed_bags
from scrapy_web2text.labelers.modern.layers import Groups, Residual, normalize, summarize, word_shares
from scrapy_web2text.labelers.modern.network import tensor_shapes
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


def test_the_means_of_groups_are_spread_to_their_rows():
    rows = np.array([[1, 0], [2, 6], [3, 2]], dtype=np.float32)
    groups = Groups(np.array([0, 1, 0]))
    means = groups.means(rows)
    assert means.tolist() == [[2, 1], [2, 6]]
    assert groups.spread(means).tolist() == [[2, 1], [2, 6], [2, 1]]


def standardize(rows):
    return (rows - rows.mean(axis=1, keepdims=True)) / np.sqrt(rows.var(axis=1, keepdims=True) + 1e-5)


@pytest.mark.parametrize("n", [1, 2, 3, 9])
@pytest.mark.parametrize("dilation", [1, 2, 8, 16])
def test_a_residual_layer_normalizes_the_rows_and_sees_two_neighbors(n, dilation):
    random = np.random.default_rng(0)
    shapes = {"norm.1": [(4,), (4,)], "conv.1": [(12, 4), (4,)], "out.1": [(4, 4), (4,)]}
    tensors = {
        f"{name}.{part}": random.normal(size=shape)
        for name, pair in shapes.items()
        for part, shape in zip(("weight", "bias"), pair, strict=True)
    }
    rows = random.normal(size=(n, 4)) + 3
    normalized = standardize(rows) * tensors["norm.1.weight"] + tensors["norm.1.bias"]
    outside = np.zeros((dilation, 4))
    padded = np.concatenate([outside, normalized, outside])
    joined = np.concatenate([padded[start : start + n] for start in (0, dilation, 2 * dilation)], axis=1)
    inner = np.maximum(joined @ tensors["conv.1.weight"] + tensors["conv.1.bias"], 0)
    expected = inner @ tensors["out.1.weight"] + tensors["out.1.bias"]
    single = {name: tensor.astype(np.float32) for name, tensor in tensors.items()}
    memory = np.full((n, 12), np.nan, dtype=np.float32)
    found = Residual(single, 1, dilation)(rows.astype(np.float32), memory)
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_rows_are_normalized_then_scaled_and_shifted():
    rows = np.array([[1, 2, 3, 6], [5, 5, 5, 5]], dtype=np.float32)
    scale, shift = np.array([1, 2, 1, 0], dtype=np.float32), np.array([0, 0, 9, 1], dtype=np.float32)
    np.testing.assert_allclose(normalize(rows, scale, shift), standardize(rows) * scale + shift, atol=1e-6)


def test_a_page_is_summarized_by_two_means_and_the_maximum():
    shares = word_shares(np.array([0, 9]))
    np.testing.assert_allclose(shares, [[0.5, 0.5], [0, 1]])
    assert summarize(np.array([[4, 0], [2, 1]], dtype=np.float32), shares).tolist() == [[3, 0.5, 2, 1, 4, 1]]


def test_a_page_without_words_has_no_weighted_mean():
    assert word_shares(np.array([0, 0])).tolist() == [[0.5, 0.5], [0, 0]]
