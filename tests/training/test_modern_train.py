"""The fitting of a modern network, its loss, and the head that tells page types."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from modern_training import training_page

from scrapy_web2text.features.modern.page import MODERN_FEATURE_NAMES
from scrapy_web2text.training.modern.batches import TrainingPage, collate
from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.modern.train import (
    batch_loss,
    fit_head,
    fit_page_types,
    predict,
    to_numpy_network,
    train_modern,
)
from scrapy_web2text.training.recipe import read_recipe

pytestmark = pytest.mark.train


@pytest.mark.parametrize("averaged", ["0.998", "0.0"])
def test_a_training_keeps_the_best_epoch_and_the_state_of_torchs_generator(tmp_path, recipe, averaged):
    path = tmp_path / "recipe.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("averaged = 0.998", f"averaged = {averaged}"), encoding="utf-8"
    )
    recipe = read_recipe(ModernRecipe, path)
    pages = [training_page(number, page_type=number % 7) for number in range(8)]
    before = torch.get_rng_state()

    def negative_loss(network):
        with torch.inference_mode():
            return -float(batch_loss(network, collate(pages)))

    first, second = (train_modern(recipe, pages, negative_loss, seed=1) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    network, curves = first
    assert curves == second[1]
    assert len(curves) == len(network.members) == 2
    for member, curve in zip(network.members, curves, strict=True):
        assert not member.training
        assert max(curve) == pytest.approx(negative_loss(member))
        assert curve[-1] > -5
    assert curves[0] != curves[1]


def test_seeds_share_no_member(recipe):
    pages = [training_page(number) for number in range(4)]
    members = [member for seed in (0, 1) for member in train_modern(recipe, pages, None, seed=seed)[0].members]
    biases = [tuple(member.input.bias.tolist()) for member in members]
    assert len({*biases}) == 4


def test_the_loss_of_an_empty_page_grows_with_the_selected_text(network):
    page = training_page(1)
    empty = TrainingPage("e", page.features, np.zeros_like(page.labels))
    with torch.inference_mode():
        member = network.members[0]
        member.unary.bias.data += 5
        many = float(batch_loss(member, collate([empty])))
        member.unary.bias.data -= 10
        assert float(batch_loss(member, collate([empty]))) < many


@pytest.mark.parametrize("part", ["bags", "bags.names", "bags.words", "up", "page."])
def test_a_removed_part_has_no_influence(recipe, part):
    choice = replace(recipe, network=replace(recipe.network, without=(part,)))
    pages = [training_page(number) for number in range(4)]
    trained = train_modern(choice, pages, None, seed=0)[0]
    page = training_page(7)
    features = page.features
    if part.startswith("bags"):
        bags = {"bags.names": ("names",), "bags.words": ("words",)}.get(part, ("names", "words"))
        changed = replace(features, **{name: getattr(features, name)[::-1].copy() for name in bags})
    else:
        dense = features.dense.copy()
        dense[:, [name.startswith(part) for name in MODERN_FEATURE_NAMES]] += 3
        changed = replace(features, dense=dense)
    before, after = predict(trained, page), predict(trained, replace(page, features=changed))
    assert all(np.array_equal(*both) for both in zip(before, after, strict=True))


def test_the_head_tells_types_apart_and_knows_how_often_each_occurs():
    random = np.random.default_rng(0)
    types = [0] * 60 + [1] * 30
    summaries = random.normal(size=(90, 6)).astype(np.float32)
    summaries[:, 2] += 40 * np.array(types)
    head = fit_page_types(summaries, types)
    logits = summaries @ head["page_type.weight"] + head["page_type.bias"]
    assert logits.argmax(axis=1).tolist() == types
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(chances.mean(axis=0), [2 / 3, 1 / 3, 0, 0, 0, 0, 0], atol=0.01)


def test_a_head_is_fitted_to_pages_of_several_known_types_and_of_the_style_of_answers(network):
    answering = to_numpy_network(network.members[0].choice, network.to_arrays())
    pages = [training_page(n, page_type=n % 2) for n in (2, 3, 4)]
    others = [training_page(5), training_page(6, page_type=1, style=2)]
    assert fit_head(answering, [pages[0], pages[2], *others]) == {}
    expected = fit_page_types(np.stack([answering(page.features)[2] for page in pages]), [0, 1, 0])
    found = fit_head(answering, [*pages, *others])
    assert all(np.array_equal(found[name], tensor) for name, tensor in expected.items())
