"""Trainings of chain models that start from the weights of a trained model."""

from __future__ import annotations

import numpy as np
import pytest
from chain_training import train, write_recipe

from scrapy_web2text.labelers.weights import load_model

NO_STEPS = {"boilernet": ("learning_rate = 2e-2", "learning_rate = 1e-9"), "semtext": ("= 2e-2", "= 1e-9")}
CORPORA = "[[corpora]]"


def write_start(folder, kind, start, *changes):
    recipe = write_recipe(folder, kind, *changes)
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(text.replace(CORPORA, f'start = "{start}"\n\n{CORPORA}', 1), encoding="utf-8")
    return recipe


@pytest.mark.parametrize("kind", list(NO_STEPS))
def test_the_weights_of_the_start_are_the_initial_ones(folders, chain_data, tmp_path, kind):
    recipe = write_start(tmp_path, kind, folders(kind), NO_STEPS[kind])
    assert train(recipe, chain_data, tmp_path / "out", 7) == 0
    start, tuned = load_model(folders(kind)), load_model(tmp_path / "out")
    assert all(np.allclose(start.tensors[name], tuned.tensors[name], atol=1e-3) for name in start.tensors)
    assert tuned.manifest["start"] == {"name": start.name, "sha256": start.manifest["weights"]["sha256"]}
    assert "start" not in start.manifest


def test_the_path_of_the_start_is_relative_to_the_recipe(folders, chain_data, tmp_path, capsys):
    recipe = write_start(tmp_path / "tuned", "semtext", "../base")
    assert train(recipe, chain_data, tmp_path / "out") == 1
    assert "base" in capsys.readouterr().err
    (tmp_path / "base").symlink_to(folders("semtext"))
    assert train(recipe, chain_data, tmp_path / "out") == 0


def test_the_words_of_the_start_are_kept(folders, chain_data, tmp_path):
    recipe = write_start(tmp_path, "boilernet", folders("boilernet"), ("words = 1000", "words = 3"))
    assert train(recipe, chain_data, tmp_path / "out") == 0
    start, tuned = load_model(folders("boilernet")), load_model(tmp_path / "out")
    assert tuned.manifest["words"] == start.manifest["words"]
    assert len(tuned.manifest["words"]) > 3


@pytest.mark.parametrize(
    ("kind", "start", "changes", "message"),
    [
        ("semtext", "boilernet", (), "expected a model of the kind 'semtext', got 'boilernet'"),
        ("semtext", "semtext", (("units = 8", "units = 9"),), "expected a tensor lstm.weight_ih_l0 of shape"),
    ],
)
def test_a_start_of_another_kind_or_shape_is_refused(
    folders, chain_data, tmp_path, capsys, kind, start, changes, message
):
    recipe = write_start(tmp_path, kind, folders(start), *changes)
    assert train(recipe, chain_data, tmp_path / "out") == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_crf_has_no_start(chain_data, tmp_path, capsys):
    assert train(write_start(tmp_path, "crf-2018", "x"), chain_data, tmp_path / "out") == 1
    assert "start: unknown field" in capsys.readouterr().err
