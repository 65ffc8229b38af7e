"""The table of probabilities: its counts, and its file."""

from __future__ import annotations

import errno
import json

import numpy as np
import pytest
from corpora import write_plain
from places import MODELS

from research.__main__ import main
from research.kohlschuetter.probabilities import RulesRecipe, count_words, shares_of_content
from scrapy_web2text.common.files import replace_file
from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.labelers.bte import BTE
from scrapy_web2text.labelers.registry import get_rules
from scrapy_web2text.labelers.shallow.rules import SHALLOW_NAMES, parse_shallow_rules
from scrapy_web2text.training import export
from scrapy_web2text.training.recipe import read_recipe

SHIPPED = MODELS / "shallow"
LONG = "The river rose by two metres over the night, and the town stood under water."
PAGE = CorpusPage("1", f"<p>{LONG}<p>{LONG.upper()}<p>Imprint and contact<p>A bridge in sight", f"{LONG}\nA bridge")


def test_words_are_counted_at_their_leaf_and_as_content_by_their_share_of_characters():
    (counts,) = count_words([parse_shallow_rules("shallow:min-words")], [PAGE])
    assert counts[:, 0].tolist() == [7, 30]
    n_short_content = 4 * len("Abridge") / len("Abridgeinsight")
    assert counts[0, 1] == pytest.approx(n_short_content)
    assert counts[1, 1] == pytest.approx(15)


def test_all_rules_are_counted_over_all_pages():
    rules = [BTE, parse_shallow_rules("shallow:all")]
    counts = count_words(rules, [PAGE, PAGE, CorpusPage("bad", b"%PDF-1.7", "text")])
    assert [table[:, 0].sum() for table in counts] == [74, 74]
    assert [table.shape for table in counts] == [(2, 2), (1, 2)]


def test_shares_are_between_0_and_1():
    assert shares_of_content(np.array([[0, 0], [8, 0], [8, 8], [98, 48.5]])) == [0.5, 0.1, 0.9, 0.495]


def write_recipe(folder):
    """Write a small corpus, and a recipe for it; return the recipe's path."""
    write_plain(folder, "tiny")
    recipe = folder / "recipe.toml"
    choice = '[[corpora]]\nname = "tiny"\nsplit = "tiny"\npart = "train"\n'
    recipe.write_text(f'name = "mine"\nlabeler = "rules"\n{choice}', encoding="utf-8")
    (folder / "splits.json").write_text('{"tiny": {"train": ["valley.example_1"]}}', encoding="utf-8")
    return recipe


def test_a_table_stays_as_it_was_if_the_disk_is_full(tmp_path, monkeypatch):
    def replace_no_manifest(path, data):
        if path.name == "manifest.json":
            raise OSError(errno.ENOSPC, "No space left on device")
        replace_file(path, data)

    recipe, out = write_recipe(tmp_path), tmp_path / "out"
    out.mkdir()
    (out / "manifest.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(export, "replace_file", replace_no_manifest)
    assert main(["train", str(recipe), "--data", str(tmp_path), "--out", str(out)]) == 1
    assert (out / "manifest.json").read_text(encoding="utf-8") == "{}"


def test_a_table_is_trained_from_its_recipe(tmp_path, capsys):
    recipe, out = write_recipe(tmp_path), tmp_path / "out"
    assert main(["train", str(recipe), "--data", str(tmp_path), "--out", str(out)]) == 0
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert json.loads(capsys.readouterr().out) == manifest["probabilities"]
    assert list(manifest["probabilities"]) == [*SHALLOW_NAMES, "bte"]
    assert manifest["words"]["shallow:all"] == [28]
    assert (out / "recipe.toml").read_text(encoding="utf-8") == recipe.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('labeler = "rules"', 'labeler = "modern"', "labeler: expected one of 'rules'"),
        ('part = "train"', 'part = ""', "corpora.part: expected a string that is not empty"),
        ('name = "wcxb"', 'name = "wcxb"\nweight = 2', "corpora.weight: unknown field"),
    ],
)
def test_an_invalid_recipe_is_rejected(tmp_path, old, new, message):
    text = (SHIPPED / "recipe.toml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "recipe.toml").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_recipe(RulesRecipe, tmp_path / "recipe.toml")


def test_the_shipped_table_agrees_with_its_recipe_and_has_all_rules():
    manifest = json.loads((SHIPPED / "manifest.json").read_text(encoding="utf-8"))
    recipe = read_recipe(RulesRecipe, SHIPPED / "recipe.toml")
    splits = json.loads((SHIPPED / "splits.json").read_text(encoding="utf-8"))
    assert [(choice.name, len(splits[choice.split][choice.part])) for choice in recipe.corpora] == [
        ("cleaneval", 531),
        ("wcxb", 1140),
    ]
    assert [choice["name"] for choice in manifest["corpora"]] == [choice.name for choice in recipe.corpora]
    for name in (*SHALLOW_NAMES, "bte"):
        assert len(manifest["probabilities"][name]) == len(manifest["words"][name]) == get_rules(name).n_groups
