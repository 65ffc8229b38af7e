from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from random_models import change_manifest, make_tensors, write_model
from strategies import html_trees
from torch.nn import functional

from scrapy_web2text.common.budget import Budget
from scrapy_web2text.exceptions import ModelError, PageError, PageTimeout
from scrapy_web2text.features.cnn_hmm.page import page_features
from scrapy_web2text.labelers.chain import decode, marginals
from scrapy_web2text.labelers.cnn_hmm import CnnHmmLabeler, Convolutions
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.parse import to_tree

HTML = "<h1>Title</h1>" + "".join(f"<p>Some text, the {i}th. <a>More</a></p>" for i in range(20))


def page_of(html: str) -> Page:
    return tree_to_page(to_tree(html))


@pytest.fixture
def page():
    return page_of(HTML)


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("models") / "random")


@pytest.fixture(scope="module")
def labeler(model_folder):
    return CnnHmmLabeler(load_model(model_folder))


def layers_of(channels: list[int], kernels: list[int], seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    random = np.random.default_rng(seed)
    return [
        (
            random.normal(size=(kernel, n_in, n_out), scale=(kernel * n_in) ** -0.5).astype(np.float32),
            random.normal(size=n_out).astype(np.float32),
        )
        for (n_in, n_out), kernel in zip(pairwise(channels), kernels, strict=True)
    ]


def run_torch(layers: list[tuple[np.ndarray, np.ndarray]], rows: np.ndarray) -> np.ndarray:
    x = torch.from_numpy(rows).T[None]
    for number, (weight, bias) in enumerate(layers):
        if number:
            x = functional.relu(x)
        kernel = torch.from_numpy(weight).permute(2, 1, 0)
        x = functional.conv1d(x, kernel, torch.from_numpy(bias), padding=len(weight) // 2)
    return x[0].T.numpy()


@pytest.mark.parametrize("n_rows", [1, 2, 3, 7, 40, 41, 1000])
@pytest.mark.parametrize(
    ("channels", "kernels"),
    [([128, 50, 50, 50, 10, 2], [1, 1, 3, 3, 3]), ([25, 50, 50, 50, 10, 4], [1, 1, 3, 3, 3]), ([5, 3, 2], [5, 7])],
    ids=["unary", "pairwise", "wide"],
)
def test_convolutions_are_those_of_torch(channels, kernels, n_rows):
    layers = layers_of(channels, kernels)
    rows = np.random.default_rng(1).normal(size=(n_rows, channels[0])).astype(np.float32)
    np.testing.assert_allclose(Convolutions(layers)(rows), run_torch(layers, rows), atol=1e-5)


def potentials_of(labeler: CnnHmmLabeler, page: Page) -> tuple[np.ndarray, np.ndarray]:
    return labeler.label(page).chain.potentials


def test_potentials_are_logarithms_of_probabilities(labeler, page):
    unary, pairs = potentials_of(labeler, page)
    assert (unary.shape, pairs.shape) == ((41, 2), (40, 2, 2))
    np.testing.assert_allclose(np.exp(unary).sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(pairs).sum(axis=(1, 2)), 1)


def test_pairs_are_in_the_order_00_01_10_11(tmp_path, page):
    tensors = make_tensors()
    tensors["pairwise.2.weight"][:] = 0
    tensors["pairwise.2.bias"][:] = [0, 10, 20, 30]
    _, pairs = potentials_of(CnnHmmLabeler(load_model(write_model(tmp_path, tensors=tensors))), page)
    np.testing.assert_allclose(pairs[0] - pairs[0, 0, 0], [[0, 10], [20, 30]], atol=1e-4)


@pytest.mark.parametrize(("lam", "temperature"), [(0, 1), (0.1, 1), (1, 2.5)])
def test_lam_weighs_the_pairs_and_the_temperature_scales_everything(tmp_path, labeler, page, lam, temperature):
    other = CnnHmmLabeler(load_model(write_model(tmp_path, lam=lam, temperature=temperature)))
    (unary, pairs), (plain_unary, plain_pairs) = potentials_of(other, page), potentials_of(labeler, page)
    np.testing.assert_allclose(unary, plain_unary / temperature)
    np.testing.assert_allclose(pairs, plain_pairs * lam / temperature)


def test_without_lam_each_block_has_its_own_best_label(tmp_path, labeler, page):
    alone = CnnHmmLabeler(load_model(write_model(tmp_path, lam=0)))
    assert not potentials_of(alone, page)[1].any()
    unary, pairs = potentials_of(labeler, page)
    assert pairs.any()
    assert alone.label(page).labels.tolist() == (unary[:, 1] > unary[:, 0]).astype(int).tolist()


def test_labels_are_viterbi_and_probabilities_are_marginals(labeler, page):
    labeling = labeler.label(page)
    potentials = potentials_of(labeler, page)
    assert labeling.labels.tolist() == decode(*potentials, decoder="viterbi", threshold=0.5)[0].tolist()
    assert labeling.probabilities.tolist() == marginals(*potentials).tolist()
    assert labeling.n_tokens.tolist() == page_features(page, labeling.blocks).n_tokens.tolist()


def test_the_marginal_decoder_compares_probabilities(labeler, page):
    labeling = labeler.label(page, decoder="marginal", threshold=0.4)
    assert labeling.labels.tolist() == (labeling.probabilities >= 0.4).astype(int).tolist()


@pytest.mark.parametrize(
    ("changes", "arguments"),
    [({"threshold": 0.8}, {"threshold": 0.8}), ({"decoder": "marginal"}, {"decoder": "marginal"})],
    ids=["threshold", "decoder"],
)
def test_defaults_are_those_of_the_manifest(tmp_path, labeler, page, changes, arguments):
    other = CnnHmmLabeler(load_model(write_model(tmp_path, **changes)))
    assert other.label(page).labels.tolist() == labeler.label(page, **arguments).labels.tolist()


@given(
    html=html_trees(),
    low=st.floats(0.01, 0.99),
    high=st.floats(0.01, 0.99),
    name=st.sampled_from(["viterbi", "marginal"]),
)
def test_a_higher_threshold_selects_a_subset(labeler, html, low, high, name):
    page = page_of(html)
    low, high = min(low, high), max(low, high)
    more, fewer = (labeler.label(page, threshold=threshold, decoder=name).labels for threshold in (low, high))
    assert (fewer <= more).all()


@pytest.mark.parametrize("html", ["", "<p>a"], ids=["no-blocks", "one-block"])
def test_the_smallest_pages_are_labeled(labeler, html):
    labeling = labeler.label(page_of(html))
    assert len(labeling.labels) == len(labeling.probabilities) == len(labeling.n_tokens) == labeling.blocks.n_blocks


def test_more_blocks_than_allowed_raise_a_page_error(labeler, page):
    with Budget(max_blocks=41).running():
        assert labeler.label(page).blocks.n_blocks == 41
    with pytest.raises(PageError, match="41 blocks, more than 40") as caught, Budget(max_blocks=40).running():
        labeler.label(page)
    assert caught.value.reason == "too_large"


def test_used_up_time_raises_a_page_error(labeler, page):
    with pytest.raises(PageTimeout) as caught, Budget(timeout=1e-9).running():
        labeler.label(page)
    assert caught.value.reason == "timeout"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf], ids=["nan", "inf", "minus-inf"])
def test_weights_that_are_not_finite_raise_a_model_error(tmp_path, value):
    tensors = make_tensors()
    tensors["pairwise.2.weight"][0, 0, 0] = value
    with pytest.raises(ModelError, match=r"expected finite numbers in pairwise\.2\.weight"):
        load_model(write_model(tmp_path, tensors=tensors))


@pytest.mark.parametrize("name", ["unary.0.weight", "pairwise.2.weight"])
def test_potentials_that_are_not_finite_raise_a_page_error(tmp_path, page, name):
    tensors = make_tensors()
    tensors[name][:] = 3e38
    labeler = CnnHmmLabeler(load_model(write_model(tmp_path, tensors=tensors)))
    with pytest.raises(PageError, match="the weights of random give potentials that are not finite") as caught:
        labeler.label(page)
    assert caught.value.reason == "model_error"


NETWORK = ("networks", "unary")
LAYER = "expected layer 0 of unary to be [128, outputs up to 256, odd kernel up to 32]"


@pytest.mark.parametrize(
    ("keys", "value", "expected"),
    [
        (("segmentation",), "shallow", "segmentation: expected one of 'text-leaves', got 'shallow'"),
        (("networks",), None, "networks: expected a dict, got None"),
        (NETWORK, None, "expected a network 'unary' with lists 'features' and 'layers', got None"),
        ((*NETWORK, "layers"), None, "expected a network 'unary' with lists 'features' and 'layers'"),
        ((*NETWORK, "layers"), 7, "expected a network 'unary' with lists 'features' and 'layers'"),
        ((*NETWORK, "features"), None, "expected a network 'unary' with lists 'features' and 'layers'"),
        ((*NETWORK, "features"), ["a", "b"], "expected column 0 of unary to be 'leaf.has_duplicate', got 'a'"),
        (("networks", "pairwise", "features"), [], "expected column 0 of pairwise to be"),
        ((*NETWORK, "layers"), [[127, 2, 1]], f"{LAYER}, got [127, 2, 1]"),
        ((*NETWORK, "layers"), [[128, 2, 2]], LAYER),
        ((*NETWORK, "layers"), [[128, 2]], LAYER),
        ((*NETWORK, "layers"), [[128, 2, 20_001]], LAYER),
        ((*NETWORK, "layers"), [[128, 257, 1]], LAYER),
        ((*NETWORK, "layers"), [[128, 128, 1]] * 33, "expected at most 32 layers of unary"),
        ((*NETWORK, "layers"), ["ab"], LAYER),
        ((*NETWORK, "layers"), [[128, "2", 1]], LAYER),
        ((*NETWORK, "layers"), [[128, 8, 1]], "expected 2 outputs of unary, got 8"),
        ((*NETWORK, "layers"), [], "expected 2 outputs of unary, got 128"),
        (
            (*NETWORK, "layers"),
            [[128, 9, 1]],
            "expected a tensor unary.0.weight of shape (1, 128, 9), got one of shape",
        ),
        (("lam",), None, "lam: expected a number from 0 to 1e+06, got None"),
        (("temperature",), 0, "temperature: expected a number from 1e-06 to 1e+06, got 0"),
        (("threshold",), 1, "threshold: expected a number between 0 and 1, both excluded, got 1"),
        (("decoder",), "greedy", "decoder: expected one of 'viterbi', 'marginal', got 'greedy'"),
    ],
    ids=lambda value: json.dumps(value)[:40] if isinstance(value, tuple | list) else None,
)
def test_an_invalid_manifest_raises_a_model_error(tmp_path, keys, value, expected):
    folder = change_manifest(write_model(tmp_path / "model"), *keys, value=value)
    with pytest.raises(ModelError) as caught:
        CnnHmmLabeler(load_model(folder))
    assert str(folder) in str(caught.value)
    assert expected in str(caught.value)


@pytest.mark.parametrize("name", ["unary.0.weight", "unary.2.bias", "pairwise.1.bias"])
def test_a_missing_tensor_raises_a_model_error(tmp_path, name):
    tensors = make_tensors()
    del tensors[name]
    folder = write_model(tmp_path, tensors=tensors)
    with pytest.raises(ModelError, match=f"expected a tensor {name} of shape .*, got none"):
        CnnHmmLabeler(load_model(folder))
