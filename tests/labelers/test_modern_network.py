"""The parts of the modern network in numpy; tests/training compares the whole with the network in torch."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.labelers.modern.layers import Residual, summarize, word_shares
from scrapy_web2text.labelers.modern.network import tensor_shapes
from scrapy_web2text.labelers.modern.roles import N_NAME_COLUMNS, role_shapes
from scrapy_web2text.labelers.weights import find_model, load_model


def test_the_shipped_model_has_exactly_the_tensors_of_the_network():
    model = load_model(find_model("web2text-2026"))
    n_members, _, width = model.tensors["out.0.weight"].shape
    shapes = tensor_shapes(
        n_dense=len(model.manifest["features"]),
        n_members=n_members,
        width=width,
        bag_size=model.tensors["names"].shape[1] // n_members,
        n_layers=len(model.manifest["dilations"]),
        n_pooled=len(model.manifest["pooled"]),
        n_grouped=len(model.manifest["grouped"]),
        n_types=len(model.manifest["page_types"]),
    )
    n_inputs = model.tensors["roles.0.weight"].shape[0] - N_NAME_COLUMNS
    shapes |= role_shapes(n_inputs, model.tensors["roles.0.weight"].shape[1])
    assert n_inputs == len(model.manifest["features"]) + 4 * model.tensors["names"].shape[1] + n_members * width
    assert {name: tensor.shape for name, tensor in model.tensors.items()} == shapes


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
    single = {name: tensor.astype(np.float32)[None] for name, tensor in tensors.items()}
    memory = np.full((n, 12), np.nan, dtype=np.float32)
    found = Residual(single, 1, dilation)(rows.astype(np.float32), memory)
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_a_page_is_summarized_by_two_means_and_the_maximum():
    shares = word_shares(np.array([0, 9]))
    np.testing.assert_allclose(shares, [[0.5, 0.5], [0, 1]])
    assert summarize(np.array([[4, 0], [2, 1]], dtype=np.float32), shares).tolist() == [[3, 0.5, 2, 1, 4, 1]]


def test_a_page_without_words_has_no_weighted_mean():
    assert word_shares(np.array([0, 0])).tolist() == [[0.5, 0.5], [0, 0]]
