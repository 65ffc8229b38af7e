"""Recipes of modern models."""

from __future__ import annotations

import pytest

from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.recipe import read_recipe


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("width = 8", "width = 0", "network.width: expected a number above 0"),
        ("pooled = [0]", "pooled = [2]", "network.pooled: expected numbers of layers"),
        ("bag_dropout = 0.3", "bag_dropout = 1.0", r"network.bag_dropout: expected a number in \[0, 1\)"),
        (
            "without = []",
            'without = []\nfamilies = ["text", "color"]',
            "network.families: expected some of text, title, inside",
        ),
        ("averaged = 0.998", "averaged = 1.0", "training.averaged: expected"),
        ("least_steps = 0", "least_steps = -1", "training.least_steps: expected a number from 0"),
        (
            "share_of_cuts = 0.06",
            "share_of_cuts = 1.5",
            "training.share_of_cuts: expected a number from 0 to 1",
        ),
        ("epochs = 2", 'epochs = "two"', "training.epochs: expected a value of type int"),
        ("weight = 1.0 }", "weight = 0.0 }", "corpora.weight: expected a number above 0"),
    ],
)
def test_the_error_of_an_invalid_recipe_names_the_field(recipe, tmp_path, old, new, message):
    path = tmp_path / "recipe.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_recipe(ModernRecipe, path)
