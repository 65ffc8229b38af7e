"""The torch networks are those of the paper; logits and potentials of whole corpora, page by page."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from labeled_rows import make_pages, small_recipe

from research.web2text.network import SequenceNetwork, make_potentials, page_logits
from research.web2text.recipe import NetworkChoice
from research.web2text.train import train_pairwise

PAPER = NetworkChoice(channels=(50, 50, 50, 10), kernels=(1, 1, 3, 3, 3), bias=True, deviation=0.1)


def make_network(n_features=128, n_outputs=2, choice=PAPER, seed=0):
    return SequenceNetwork(n_features, n_outputs, choice, torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(
    ("n_features", "n_outputs", "n_weights", "n_biases"),
    [pytest.param(128, 2, 17_960, 162, id="unary"), pytest.param(25, 4, 12_870, 164, id="pairwise")],
)
def test_the_networks_have_as_many_weights_as_in_the_paper(n_features, n_outputs, n_weights, n_biases):
    network = make_network(n_features, n_outputs)
    assert sum(weight.numel() for weight in network.weights) == n_weights
    assert sum(bias.numel() for bias in network.biases) == n_biases


def test_initial_weights_are_truncated_normal_and_biases_are_zero():
    network = make_network()
    weights = torch.cat([weight.detach().flatten() for weight in network.weights])
    assert weights.abs().max() <= 0.2
    assert weights.std() == pytest.approx(
        0.088, abs=0.003
    )  # deviation of a normal distribution cut at two deviations: .88
    assert all(not bias.any() for bias in network.biases)


def test_the_initial_weights_depend_on_the_generator_alone():
    torch.manual_seed(1)
    first = make_network(seed=3)
    torch.manual_seed(2)
    assert torch.equal(first.weights[0], make_network(seed=3).weights[0])
    assert not torch.equal(first.weights[0], make_network(seed=4).weights[0])


def test_a_block_sees_three_blocks_to_each_side():
    network = make_network()
    features = torch.zeros(1, 15, 128)
    before = network(features)
    features[0, 7] = 1
    changed = (network(features) != before).any(dim=2)[0]
    assert torch.nonzero(changed).flatten().tolist() == list(range(4, 11))


def test_logits_equal_those_of_a_naive_loop():
    network = make_network(n_features=4, n_outputs=2, choice=NetworkChoice((3, 5), (1, 3, 3), bias=True, deviation=0.5))
    with torch.no_grad():
        for bias in network.biases:
            bias.uniform_(-1, 1, generator=torch.Generator().manual_seed(5))
    rows = torch.randn(6, 4, generator=torch.Generator().manual_seed(1))
    arrays = network.to_arrays()
    x = rows.numpy()
    for i in range(3):
        weight, bias = arrays[f"{i}.weight"], arrays[f"{i}.bias"]
        reach = len(weight) // 2
        padded = np.pad(np.maximum(x, 0) if i else x, ((reach, reach), (0, 0)))
        x = np.array([sum(padded[j + k] @ weight[k] for k in range(len(weight))) + bias for j in range(6)])
    np.testing.assert_allclose(network(rows[None])[0].detach().numpy(), x, atol=1e-6)


def test_a_step_uses_the_share_of_weights_that_it_keeps():
    choice = NetworkChoice(channels=(), kernels=(1,), bias=False, deviation=1.0)
    network = make_network(n_features=1000, n_outputs=1, choice=choice)
    identity = torch.eye(1000)[None]
    used = network(identity, keep=0.8, generator=torch.Generator().manual_seed(0)).flatten()
    whole = network(identity).flatten()
    is_kept = used != 0
    assert is_kept.float().mean() == pytest.approx(0.8, abs=0.05)
    torch.testing.assert_close(used[is_kept], whole[is_kept] / 0.8)


def test_biases_can_be_fixed():
    network = make_network(choice=NetworkChoice((50, 50, 50, 10), (1, 1, 3, 3, 3), bias=False, deviation=0.1))
    assert not any(bias.requires_grad for bias in network.biases)


def test_potentials_are_those_of_each_page_alone():
    generator = torch.Generator().manual_seed(0)
    choice = small_recipe().networks
    networks = SequenceNetwork(128, 2, choice, generator), SequenceNetwork(25, 4, choice, generator)
    potentials = make_potentials(*networks, make_pages(12, 1, 5))
    assert [unary.shape for unary, _ in potentials] == [(12, 2), (1, 2), (5, 2)]
    assert [pairwise.shape for _, pairwise in potentials] == [(11, 2, 2), (0, 2, 2), (4, 2, 2)]
    np.testing.assert_allclose(np.exp(potentials[0][0]).sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(potentials[2][1]).sum(axis=(1, 2)), 1)
    alone = make_potentials(*networks, make_pages(12))
    np.testing.assert_allclose(potentials[0][0], alone[0][0], atol=1e-6)


@pytest.mark.train
def test_no_rows_have_no_logits():
    trained = train_pairwise(small_recipe(steps=10), make_pages(30, 20), make_pages(20), seed=0)
    assert page_logits(trained.network, make_pages(1).edges).shape == (0, 4)
