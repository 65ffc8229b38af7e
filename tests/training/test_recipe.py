"""Recipes are validated completely."""

from __future__ import annotations

import pytest

from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.recipe import read_labeler, read_recipe


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("labeler = 'tree'", "labeler: expected 'modern' or 'crf', got 'tree'"),
        ("labeler = ['modern']", "labeler: expected 'modern' or 'crf', got"),
        ("name = 'modern'", "labeler: expected 'modern' or 'crf', got None"),
        ("[", "recipe"),
        ("a = " + "[" * 100_000, r"recipe\.toml: the values are nested too deeply"),
    ],
    ids=["unknown", "list", "missing", "no TOML", "nested too deeply"],
)
def test_a_recipe_of_an_unknown_kind_is_rejected(tmp_path, text, message):
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_labeler(path, {"modern": 0, "crf": 1})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('labeler = "modern"', 'labeler = "crf"', "labeler: expected one of 'modern', got 'crf'"),
        ("width = 8", "width = true", "network.width: expected `int`, got `bool`"),
        ("members = 2", "breadth = 8", "network.breadth: unknown field, expected one of width,"),
        ("width = 8", "", "network: missing field `width`"),
        ("[training]", "[[training]]", "training: expected `object`, got `array`"),
        ("dilations = [1, 2]", "dilations = 1", "network.dilations: expected `array`, got `int`"),
        ("dropout = 0.25", f"dropout = {10**400}", "network.dropout: Number out of range"),
        ("[network]", "[network", "recipe.toml: "),
        ("[network]", f"a = {'[' * 100_000}", "recipe.toml: the values are nested too deeply"),
        ('name = "web2text-2026"', 'name = "a\\tb"', "name: expected a name of at most 100 printable characters"),
        ("width = 8", "width = 0", "network.width: expected a number above 0"),
        ("pooled = [0]", "pooled = [2]", "network.pooled: expected different numbers of layers"),
        ("grouped = [1]", "grouped = [1, 1]", "network.grouped: expected different numbers of layers"),
        ("dilations = [1, 2]", "dilations = [1, 2000]", "network.dilations: expected numbers from 1 to 1024"),
        ("without = []", 'without = ["bug"]', "network.without: expected prefixes of columns, or bags.names"),
        ("bag_dropout = 0.3", "bag_dropout = 1.0", r"network.bag_dropout: expected a number in \[0, 1\)"),
        ("averaged = 0.998", "averaged = 1.0", "training.averaged: expected"),
        (
            "share_of_cuts = 0.06",
            "share_of_cuts = 1.5",
            "training.share_of_cuts: expected a number from 0 to 1",
        ),
        ('"viterbi"]', '"beam"]', r"decoding.decoders\[1\]: expected one of 'viterbi', 'marginal', got 'beam'"),
        ('["marginal", "viterbi"]', "[]", "decoding.decoders: expected one or more values"),
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


def test_a_whole_number_is_read_where_a_fraction_is_expected(recipe, tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("weight_decay = 1e-2", "weight_decay = 1"), "utf-8")
    assert type(read_recipe(ModernRecipe, path).training.weight_decay) is float
