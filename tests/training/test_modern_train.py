"""The fitting of a modern network, and its loss."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from modern_training import training_page

from scrapy_web2text.features.modern import MODERN_FEATURE_NAMES
from scrapy_web2text.training.modern.batches import TrainingPage, collate
from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.modern.train import batch_loss, predict, train_modern
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
    assert first.curves == second.curves
    assert len(first.curves) == len(first.network.members) == 2
    for member, curve in zip(first.network.members, first.curves, strict=True):
        assert not member.training
        assert curve.score == max(curve.scores) == pytest.approx(negative_loss(member))
        assert curve.scores[-1] > -5
    assert first.curves[0] != first.curves[1]


def test_seeds_share_no_member(recipe):
    pages = [training_page(number) for number in range(4)]
    members = [member for seed in (0, 1) for member in train_modern(recipe, pages, None, seed=seed).network.members]
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


@pytest.mark.parametrize("part", ["bags", "bags.names", "bags.words", "pages", "groups", "pairs", "up", "page."])
def test_a_removed_part_has_no_influence(recipe, part):
    choice = replace(recipe, network=replace(recipe.network, without=(part,)))
    pages = [training_page(number) for number in range(4)]
    trained = train_modern(choice, pages, None, seed=0).network
    page = training_page(7)
    features = page.features
    if part.startswith("bags"):
        bags = {"bags.names": ("names",), "bags.words": ("words",)}.get(part, ("names", "words"))
        changed = replace(features, **{name: getattr(features, name)[::-1].copy() for name in bags})
    elif part == "groups":
        changed = replace(features, groups=np.zeros_like(features.groups))
    else:
        dense = features.dense.copy()
        dense[:, [name.startswith(part) for name in MODERN_FEATURE_NAMES]] += 3
        changed = replace(features, dense=dense)
    before, after = predict(trained, page), predict(trained, replace(page, features=changed))
    assert all(np.array_equal(*both) for both in zip(before, after, strict=True))
    if part == "pairs":
        assert not before[1].any()
    if part == "pages":
        assert not any(parameter.any() for member in trained.members for parameter in member.pool.parameters())
