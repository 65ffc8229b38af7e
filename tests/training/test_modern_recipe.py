"""Recipes of modern models."""

from __future__ import annotations

import pytest

from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.recipe import read_recipe


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "web2text-2026"', 'name = "a\\tb"', "name: expected a name of at most 100 printable characters"),
        ("width = 8", "width = 0", "network.width: expected a number above 0"),
        ("pooled = [0]", "pooled = [2]", "network.pooled: expected different numbers of layers"),
        ("grouped = [1]", "grouped = [1, 1]", "network.grouped: expected different numbers of layers"),
        ("dilations = [1, 2]", "dilations = [1, 2000]", "network.dilations: expected numbers from 1 to 1024"),
        ("dilations = [1, 2]", "dilations = []", "network.dilations: expected numbers from 1 to 1024"),
        ("without = []", 'without = ["bag"]', "network.without: expected prefixes of columns, or bags, bags.names"),
        ("without = []", 'without = [""]', "network.without: expected prefixes of columns, or bags, bags.names"),
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
        ('"viterbi"]', '"beam"]', "decoding.decoders: expected some of viterbi, marginal"),
        ('["marginal", "viterbi"]', "[]", "decoding.decoders: expected some of viterbi, marginal"),
        ("0.75, 0.8]", "0.75, 1.0]", "decoding.thresholds: expected one or more numbers between 0 and 1"),
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
