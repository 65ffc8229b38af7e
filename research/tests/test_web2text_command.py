"""``python -m research train`` from the recipe of Web2Text 2018 to a model folder that labels pages."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import pytest
import torch
from labeled_pages import TINY_SPLITS, write_tiny_corpus
from labeled_rows import SHIPPED_RECIPE
from leaf_reports import report_on

from research.__main__ import main
from scrapy_web2text.labelers.weights import load_model

pytestmark = pytest.mark.train


@pytest.fixture
def project(tmp_path):
    """A small corpus, and a recipe for it."""
    write_tiny_corpus(tmp_path / "data" / "tiny")
    model = tmp_path / "tiny-model"
    model.mkdir()
    text = SHIPPED_RECIPE.read_text(encoding="utf-8")
    for old, new in (
        ('name = "web2text-2018"', 'name = "tiny-model"'),
        ('name = "cleaneval"', 'name = "tiny"'),
        ("steps = 5000", "steps = 40"),
        ("batch = 128 ", "batch = 16 "),
        ("eval_every = 100", "eval_every = 20"),
    ):
        assert old in text
        text = text.replace(old, new)
    (model / "recipe.toml").write_text(text, encoding="utf-8")
    (model / "splits.json").write_text(json.dumps(TINY_SPLITS), encoding="utf-8")
    return tmp_path


def train(project, out="out", *arguments):
    recipe = str(project / "tiny-model" / "recipe.toml")
    folders = ["--data", str(project / "data"), "--out", str(project / out)]
    return main(["train", recipe, *folders, *arguments])


def test_a_trained_folder_labels_pages_as_well_as_its_manifest_says(project, capsys):
    n_threads = torch.get_num_threads()
    assert train(project, "out", "--seed", "3") == 0
    assert torch.get_num_threads() == n_threads
    manifest = load_model(project / "out").manifest
    assert manifest["name"] == "tiny-model"
    assert manifest["seeds"] == [3]
    assert manifest["corpora"] == [{"name": "tiny", "split": "web2text", "train": "train", "val": "val"}]
    assert manifest["lam"] in (0.0, 0.1, 0.3, 1.0)
    val = manifest["scores"]["val"]
    assert val["f1"] > 0.9
    assert json.loads(capsys.readouterr().out) == manifest["scores"]
    for name in ("recipe.toml", "splits.json"):
        assert (project / "out" / name).read_bytes() == (project / "tiny-model" / name).read_bytes()
    arguments = ["--corpus", "tiny", "--data", str(project / "data"), "--model", str(project / "out")]
    splits = ["--splits", str(project / "out" / "splits.json"), "--split", "web2text", "--part", "val"]
    report = report_on([*arguments, *splits])
    assert report.name == str(project / "out")
    for name, value in asdict(report.blocks).items():
        assert val[name] == pytest.approx(value, abs=1e-4)


def test_progress_is_shown_on_a_terminal(project, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert train(project) == 0
    shown = capsys.readouterr().err
    for first in ("train: 1 of 9 pages", "val: 1 of 3 pages", "unary: 1 of 40 steps", "pairwise: 1 of 40 steps"):
        assert first in shown


def test_a_recipe_can_be_trained_in_its_own_folder(project):
    before = (project / "tiny-model" / "recipe.toml").read_bytes()
    assert train(project, "tiny-model") == 0
    assert (project / "tiny-model" / "recipe.toml").read_bytes() == before
    assert load_model(project / "tiny-model").name == "tiny-model"
