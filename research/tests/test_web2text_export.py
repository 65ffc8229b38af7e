"""A trained model is written to a folder and loaded unchanged."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from labeled_rows import make_pages, small_recipe

from research.web2text.network import (
    SequenceNetwork,
    describe_networks,
    make_potentials,
    networks_to_tensors,
)
from scrapy_web2text.features.cnn_hmm.page import PageFeatures
from scrapy_web2text.labelers.cnn_hmm import CnnHmmLabeler
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.training.export import write_model

MANIFEST = {
    "name": "tiny",
    "labeler": "cnn-hmm",
    "segmentation": "text-leaves",
    "lam": 0.5,
    "temperature": 1.0,
    "threshold": 0.5,
    "decoder": "viterbi",
}


@pytest.fixture
def networks():
    generator = torch.Generator().manual_seed(0)
    pair = tuple(
        SequenceNetwork(n_in, n_out, small_recipe().networks, generator) for n_in, n_out in ((128, 2), (25, 4))
    )
    with torch.no_grad():
        for network in pair:
            for bias in network.biases:
                bias.uniform_(-0.1, 0.1, generator=generator)
    return pair


def export(folder, networks, files):
    manifest = {**MANIFEST, "networks": describe_networks(*networks)}
    write_model(folder, networks_to_tensors(*networks), manifest, files)


def test_the_labeler_of_an_exported_folder_agrees_with_the_torch_networks(tmp_path, networks):
    export(tmp_path / "deep" / "model", networks, {"recipe.toml": "# recipe\n"})
    labeler = CnnHmmLabeler(load_model(tmp_path / "deep" / "model"))
    pages = make_pages(300)
    ((expected_unary, expected_pairwise),) = make_potentials(*networks, pages)
    features = PageFeatures(pages.blocks.features, pages.edges.features, np.zeros(300, dtype=np.int64))
    reading = labeler._run(features)
    np.testing.assert_allclose(reading.unary, expected_unary, atol=1e-5)
    np.testing.assert_allclose(reading.pairwise, expected_pairwise, atol=1e-5)
    assert (tmp_path / "deep" / "model" / "recipe.toml").read_text(encoding="utf-8") == "# recipe\n"


def test_the_same_networks_give_the_same_bytes(tmp_path, networks):
    for name in ("a", "b"):
        export(tmp_path / name, networks, {})
    for file in ("manifest.json", "weights.safetensors"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
