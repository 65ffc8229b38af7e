"""Recipes of Web2Text 2018 are validated completely."""

from __future__ import annotations

import pytest
from labeled_rows import SHIPPED_RECIPE as SHIPPED

from research.web2text.recipe import CnnHmmRecipe, CorpusChoice
from scrapy_web2text.training.recipe import read_recipe


def write(folder, old, new):
    text = SHIPPED.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = folder / "recipe.toml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_the_shipped_recipe_is_that_of_the_paper():
    recipe = read_recipe(CnnHmmRecipe, SHIPPED)
    assert recipe.name == "web2text-2018"
    assert recipe.corpora == (CorpusChoice("cleaneval", "web2text", "train", "val"),)
    assert recipe.networks.channels == (50, 50, 50, 10)
    assert recipe.networks.kernels == (1, 1, 3, 3, 3)
    assert (recipe.training.steps, recipe.training.batch, recipe.training.excerpt) == (5000, 128, 9)
    assert recipe.training.keep == 0.8
    assert recipe.decoding.lam == (0.0, 0.1, 0.3, 1.0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "web2text-2018"', 'name = ""', "name: expected a name of at most 100 printable characters, got ''"),
        ('labeler = "cnn-hmm"', 'labeler = "crf"', "labeler: expected one of 'cnn-hmm', got 'crf'"),
        ("[[corpora]]", "[corpora]", "corpora: expected `array`, got `object`"),
        ('train = "train"', "", "corpora[0]: missing field `train`"),
        ('val = "val"', 'val = "train"', "corpora.val: expected another part than corpora.train"),
        (
            "channels = [50, 50, 50, 10]",
            "channels = [50, 50, 0, 10]",
            "networks.channels: expected numbers above 0, got (50, 50, 0, 10)",
        ),
        ("kernels = [1, 1, 3, 3, 3]", "kernels = [1, 1, 3, 3, 2]", "networks.kernels: expected 5 odd numbers"),
        ("bias = true", "bias = 1", "networks.bias: expected `bool`, got `int`"),
        ("deviation = 0.1", "deviation = 0.0", "networks.deviation: expected a number above 0, got 0.0"),
        ("steps = 5000", "steps = true", "training.steps: expected `int`, got `bool`"),
        ("steps = 5000", "step = 5000", "training: missing field `steps`"),
        ("excerpt = 9", "excerpt = 1", "training.excerpt: expected at least 2 blocks, got 1"),
        ("eval_every = 100", "eval_every = 5001", "training.eval_every: expected at most training.steps, got 5001"),
        ("learning_rate = 1e-3", "learning_rate = inf", "training.learning_rate: expected a number above 0, got inf"),
        (
            "learning_rate = 1e-3",
            f"learning_rate = {10**400}",
            "training.learning_rate: Number out of range",
        ),
        ("keep = 0.8", "keep = 0.0", "training.keep: expected a number above 0, at most 1, got 0.0"),
        (
            'decoder = "viterbi"',
            'decoder = "beam"',
            "decoding.decoder: expected one of 'viterbi', 'marginal', got 'beam'",
        ),
        (
            "threshold = 0.5",
            "threshold = 1",
            "decoding.threshold: expected a number between 0 and 1, both excluded, got 1.0",
        ),
        ("lam = [0.0, 0.1, 0.3, 1.0]", "lam = []", "decoding.lam: expected one or more numbers from 0, got ()"),
        ("[networks]", "[networks", "recipe.toml: "),
        ("[networks]", f"a = {'[' * 100_000}", "recipe.toml: the values are nested too deeply"),
    ],
)
def test_the_error_of_an_invalid_recipe_names_file_and_field(tmp_path, old, new, message):
    path = write(tmp_path, old, new)
    with pytest.raises(ValueError, match="recipe") as e:
        read_recipe(CnnHmmRecipe, path)
    assert str(path) in str(e.value)
    assert message in str(e.value)


def test_a_recipe_without_corpora_or_with_a_section_that_is_not_a_table_is_rejected(tmp_path):
    text, path = SHIPPED.read_text(encoding="utf-8"), tmp_path / "recipe.toml"
    before, _, rest = text.partition("[[corpora]]")
    path.write_text(f"{before}corpora = []\n[networks]{rest.partition('[networks]')[2]}", encoding="utf-8")
    with pytest.raises(ValueError, match="corpora: expected one or more values"):
        read_recipe(CnnHmmRecipe, path)
    path.write_text(f"decoding = 3\n{text.partition('[decoding]')[0]}", encoding="utf-8")
    with pytest.raises(ValueError, match="decoding: expected `object`, got `int`"):
        read_recipe(CnnHmmRecipe, path)
