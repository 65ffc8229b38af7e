"""Fitting: the drawing of excerpts, the loop, its repeatability, and the weights that it keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from labeled_rows import make_pages, small_recipe

from research.web2text.network import page_logits
from research.web2text.train import draw_excerpts, train_pairwise, train_unary
from scrapy_web2text.training.fitting import torch_threads

pytestmark = pytest.mark.train


TRAIN_SIZES = (30, 11, 25, 40, 10, 1, 60)


def draw(pages, length=9, **training):
    choice = small_recipe(**training).training
    return draw_excerpts(pages, length, choice, torch.Generator().manual_seed(0))


def test_excerpts_are_inside_their_page_without_its_first_and_last_block():
    blocks = make_pages(*TRAIN_SIZES).blocks
    first = draw(blocks, steps=200)
    assert first.shape == (200, 16)
    page_of_row = np.repeat(np.arange(len(TRAIN_SIZES)), TRAIN_SIZES)
    pages = page_of_row[first]
    positions = first.numpy() - blocks.starts[pages]
    assert positions.min() == 1
    assert (positions + 9 < np.array(TRAIN_SIZES)[pages]).all()
    assert set(positions[pages == 0]) == set(range(1, 21))


def test_pages_are_drawn_equally_often_and_short_ones_never():
    blocks = make_pages(*TRAIN_SIZES).blocks
    drawn = np.repeat(np.arange(len(TRAIN_SIZES)), TRAIN_SIZES)[draw(blocks, steps=50, batch=10)]
    assert np.bincount(drawn.ravel(), minlength=7).tolist() == [100, 100, 100, 100, 0, 0, 100]


def test_edges_have_excerpts_of_the_same_pages():
    edges = make_pages(*TRAIN_SIZES).edges
    drawn = np.repeat(np.arange(len(TRAIN_SIZES)), edges.lengths)[draw(edges, length=8)]
    assert sorted(set(drawn.ravel())) == [0, 1, 2, 3, 6]


def test_a_corpus_of_short_pages_is_rejected():
    with pytest.raises(ValueError, match="expected pages of at least 11 rows for excerpts of 9 rows, found none"):
        train_unary(small_recipe(), make_pages(10, 3), make_pages(12), seed=0)


@pytest.mark.parametrize("train", [train_unary, train_pairwise])
def test_the_loop_learns_labels_that_are_a_feature(train):
    trained = train(
        small_recipe(steps=200, eval_every=50), make_pages(*TRAIN_SIZES), make_pages(40, 50, seed=1), seed=0
    )
    assert trained.score > 0.9
    assert trained.step in (50, 100, 150, 200)


@pytest.mark.parametrize("train", [train_unary, train_pairwise])
def test_a_seed_decides_everything(train):
    def weights(seed):
        network = train(small_recipe(), make_pages(*TRAIN_SIZES), make_pages(20, seed=1), seed=seed).network
        return np.concatenate([array.ravel() for array in network.to_arrays().values()])

    torch.manual_seed(1)
    first = weights(0)
    state = torch.get_rng_state()
    torch.testing.assert_close(first, weights(0), rtol=0, atol=0)
    assert torch.equal(torch.get_rng_state(), state)
    assert not np.array_equal(first, weights(1))


def test_the_weights_of_the_first_best_evaluation_are_kept(caplog):
    caplog.set_level("INFO")
    val = make_pages(40, 50, seed=1)
    recipe = small_recipe(steps=25, eval_every=10, learning_rate=0.01)
    trained = train_pairwise(recipe, make_pages(*TRAIN_SIZES), val, seed=0)
    curve = {step: score for _, step, score in (record.args for record in caplog.records)}
    assert [*curve] == [10, 20, 25]
    assert trained.score == max(curve.values())
    assert trained.step == next(step for step, score in curve.items() if score == trained.score)
    labels = page_logits(trained.network, val.edges).argmax(dim=1).numpy()
    assert (labels == val.edges.targets).mean() == trained.score


def test_biases_stay_zero_if_the_recipe_has_none():
    recipe = small_recipe()
    recipe = replace(recipe, networks=replace(recipe.networks, bias=False))
    network = train_unary(recipe, make_pages(*TRAIN_SIZES), make_pages(20), seed=0).network
    assert not any(bias.any() for bias in network.biases)


def test_weight_decay_keeps_weights_small():
    def size(weight_decay):
        recipe = small_recipe(steps=100, weight_decay=weight_decay, keep=1.0)
        network = train_unary(recipe, make_pages(*TRAIN_SIZES), make_pages(20), seed=0).network
        return sum(float(weight.detach().square().sum()) for weight in network.weights)

    assert size(0.1) < 0.5 * size(0.0)


def test_the_number_of_threads_of_torch_is_restored():
    before = torch.get_num_threads()
    with torch_threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
