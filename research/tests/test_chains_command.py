"""``web2text train`` for each kind of chain model."""

from __future__ import annotations

import json

import numpy as np
import pytest
from chain_training import KINDS, train, write_recipe
from leaf_reports import report_on

from research.chains.kinds import CHAIN_KINDS
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.recipe import read_recipe


@pytest.fixture(params=KINDS)
def trained(request, folders):
    return folders(request.param)


def test_a_trained_folder_has_the_scores_of_its_manifest(trained, chain_data):
    manifest = load_model(trained).manifest
    val = manifest["scores"]["val"]
    assert val["leaf_f1"] > 0.9
    assert val["leaf_f1"] == max(val["epochs"]) == val["epochs"][val["epoch"] - 1]
    arguments = ["--corpus", "tiny", "--data", str(chain_data), "--model", str(trained)]
    splits = ["--splits", str(trained / "splits.json"), "--split", "web2text", "--part", "val"]
    assert report_on([*arguments, *splits]).blocks.f1 == pytest.approx(val["leaf_f1"], abs=2e-3)


def test_a_trained_folder_has_its_recipe_and_its_seeds(trained):
    manifest = load_model(trained).manifest
    assert manifest["corpora"] == [{"name": "tiny", "split": "web2text", "train": "train", "val": "val"}]
    assert manifest["seeds"] == [0]
    assert manifest["n_weights"] == sum(tensor.size for tensor in load_model(trained).tensors.values())
    assert manifest["training_minutes"] >= 0
    assert (trained / "recipe.toml").read_text(encoding="utf-8").count('name = "tiny"') == 1


def test_a_page_can_have_a_single_block(trained):
    answer = get_labeler(str(trained)).label(tree_to_page(to_tree("<p>Imprint</p>")))
    assert (len(answer.labels), answer.n_tokens.tolist()) == (1, [1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_training_is_repeatable_and_the_best_of_several_seeds_is_written(kind, chain_data, tmp_path):
    recipe = write_recipe(tmp_path, kind)
    for out, seeds in (("a", (1,)), ("b", (1,)), ("both", (1, 0))):
        assert train(recipe, chain_data, tmp_path / out, *seeds) == 0
    a, b, both = (load_model(tmp_path / out) for out in ("a", "b", "both"))
    assert all(np.array_equal(a.tensors[name], b.tensors[name]) for name in a.tensors)
    by_seed = both.manifest["scores"]["val_leaf_f1_by_seed"]
    assert set(by_seed) == {"0", "1"}
    assert by_seed[str(both.manifest["seeds"][0])] == max(by_seed.values())


def test_pages_without_blocks_are_skipped(chain_data, tmp_path, capsys):
    for number, html in ((9, ""), (10, "<body><script>no text</script></body>"), (11, None)):
        source = chain_data / "tiny" / "html" / f"{number}.html"
        copy = tmp_path / "data" / "tiny"
        for part in ("html", "text"):
            (copy / part).mkdir(parents=True, exist_ok=True)
        (copy / "html" / source.name).write_text(source.read_text() if html is None else html, encoding="utf-8")
        (copy / "text" / f"{number}.txt").write_text(
            (chain_data / "tiny" / "text" / f"{number}.txt").read_text(encoding="utf-8"), encoding="utf-8"
        )
    recipe = write_recipe(tmp_path / "model", "crf-2018")
    parts = {"web2text": {"train": [9, 11], "val": [10]}}
    (tmp_path / "model" / "splits.json").write_text(json.dumps(parts), encoding="utf-8")
    assert train(recipe, tmp_path / "data", tmp_path / "out") == 1
    assert "expected one or more pages with blocks, found none" in capsys.readouterr().err
    parts["web2text"]["val"] = [11]
    (tmp_path / "model" / "splits.json").write_text(json.dumps(parts), encoding="utf-8")
    assert train(recipe, tmp_path / "data", tmp_path / "out") == 0


def test_a_training_that_diverges_writes_no_model(chain_data, tmp_path, capsys):
    recipe = write_recipe(tmp_path / "model", "crf-2018")
    text = recipe.read_text(encoding="utf-8")
    assert "learning_rate = 5e-2" in text
    recipe.write_text(text.replace("learning_rate = 5e-2", "learning_rate = 1e38"), encoding="utf-8")
    assert train(recipe, chain_data, tmp_path / "out") == 1
    assert "expected a smaller training.learning_rate" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        (
            "crf-2018",
            ('name = "crf-2018"', 'name = ""'),
            "name: expected a name of at most 100 printable characters, got ''",
        ),
        (
            "crf-2018",
            ("averaged = 0.0", "averaged = 1.0"),
            r"training.averaged: expected a number in \[0, 1\), got 1.0",
        ),
    ],
)
def test_a_recipe_out_of_range_is_rejected(tmp_path, kind, change, message):
    recipe = write_recipe(tmp_path, kind, change)
    with pytest.raises(ValueError, match=message):
        read_recipe(CHAIN_KINDS[kind.partition("-")[0]].recipe, recipe)
