"""The fitting of a chain model: its loss and its scores."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from labeled_rows import make_page

from research.chains.build import chain_loss, leaf_f1, page_potentials
from research.chains.data import ChainPage
from research.chains.kinds import CrfNetwork
from research.web2text.network import describe_networks, networks_to_tensors
from research.web2text.recipe import NetworkChoice
from scrapy_web2text.features.cnn_hmm.page import PageFeatures
from scrapy_web2text.labelers.chain import marginals
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.fitting import EpochChoice, fit_epochs

LINEAR = NetworkChoice(channels=(), kernels=(1,), bias=True, deviation=0.3)
DEEP = NetworkChoice(channels=(6,), kernels=(3, 3), bias=True, deviation=0.3)


def crf_page(n_blocks, seed=0):
    rows = make_page(n_blocks, seed)
    features = PageFeatures(rows.block_features, rows.edge_features, np.ones(n_blocks, dtype=np.int64))
    return ChainPage(features, rows.labels, np.arange(n_blocks), rows.labels)


def crf(choice=LINEAR, seed=0):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return CrfNetwork(choice)


@pytest.mark.parametrize("choice", [LINEAR, DEEP], ids=["linear", "cnn"])
def test_the_loss_is_the_likelihood_of_the_labeling_among_all_labelings(choice):
    pages = [crf_page(5), crf_page(1, seed=1), crf_page(3, seed=2)]
    network = crf(choice)
    expected = 0.0
    for page in pages:
        unary, pairwise = (part[0].tolist() for part in network([page.features]))
        totals = {
            labels: sum(unary[i] for i, label in enumerate(labels) if label)
            + sum(pairwise[i][2 * a + b] for i, (a, b) in enumerate(itertools.pairwise(labels)))
            for labels in itertools.product((0, 1), repeat=page.n_blocks)
        }
        expected += np.logaddexp.reduce(list(totals.values())) - totals[tuple(page.labels.tolist())]
    assert chain_loss(network, pages).item() == pytest.approx(expected / 9, rel=1e-4)


@pytest.mark.parametrize("part", ["unary", "pairwise"])
def test_a_gradient_step_of_either_network_increases_the_likelihood(part):
    network, pages = crf(), [crf_page(6), crf_page(4, seed=1)]
    before = chain_loss(network, pages)
    before.backward()
    with torch.no_grad():
        for weights in getattr(network, part).parameters():
            assert weights.grad.abs().max() > 0
            weights.sub_(0.003 * weights.grad)
    assert chain_loss(network, pages).item() < before.item()


def test_the_loop_learns_and_keeps_the_best_epoch():
    network, pages, val = crf(DEEP), [crf_page(20, seed) for seed in range(12)], [crf_page(40, 99)]
    choice = EpochChoice(epochs=8, batch=4, learning_rate=0.02, warm_up=2, weight_decay=0.0, averaged=0.0)
    curve = fit_epochs(
        network, pages, lambda drawn: chain_loss(network, drawn), lambda each: leaf_f1(each, val), choice, seed=0
    )
    assert max(curve) > 0.95
    assert len(curve) == 8
    assert leaf_f1(network, val) == max(curve)


def test_the_last_of_equal_epochs_is_kept():
    network, scores = crf(), iter([0.5, 0.7, 0.7])
    choice = EpochChoice(epochs=3, batch=4, learning_rate=0.02, warm_up=2, weight_decay=0.0, averaged=0.0)
    seen = []

    def score(judged):
        seen.append(judged.unary.weights[0].detach().clone())
        return next(scores)

    curve = fit_epochs(network, [crf_page(9)], lambda drawn: chain_loss(network, drawn), score, choice, seed=0)
    assert curve == [0.5, 0.7, 0.7]
    assert torch.equal(network.unary.weights[0], seen[2])


def test_leaves_take_the_labels_of_their_blocks():
    page = crf_page(3)
    merged = ChainPage(page.features, page.labels, np.array([0, 0, 1, 2]), np.array([1, 0, 1, 1]))
    network = crf()
    with torch.no_grad():
        for weights in network.parameters():
            weights.zero_()
        network.unary.biases[0][1] = 1.0  # every block is content
    assert leaf_f1(network, [merged]) == pytest.approx(2 * 3 / (4 + 3))


@pytest.mark.parametrize("choice", [LINEAR, DEEP], ids=["linear", "cnn"])
def test_the_numpy_labeler_agrees_with_the_torch_crf(tmp_path, choice):
    network, page = crf(choice), crf_page(30)
    parts = network.unary, network.pairwise
    manifest = {"name": "tiny", "labeler": "crf", "segmentation": "text-leaves", "lam": 1.0, "temperature": 1.0}
    manifest |= {"threshold": 0.5, "decoder": "viterbi", "networks": describe_networks(*parts)}
    write_model(tmp_path, networks_to_tensors(*parts), manifest, {})
    reading = get_labeler(str(tmp_path))._run(page.features)
    (expected,) = page_potentials(network, [page])
    np.testing.assert_allclose(reading.unary[:, 1] - reading.unary[:, 0], expected[0][:, 1], atol=1e-4)
    np.testing.assert_allclose(marginals(reading.unary, reading.pairwise), marginals(*expected), atol=1e-4)
