"""``web2text train``: what it refuses, and what is loaded without it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from places import MODELS

from scrapy_web2text.cli.main import main

pytestmark = pytest.mark.train


def train(model, out, *arguments):
    recipe = MODELS / model / "recipe.toml"
    return main(["train", str(recipe), "--data", str(out / "data"), "--out", str(out / "out"), *arguments])


def test_a_training_without_corpora_writes_nothing(tmp_path, capsys):
    assert train("web2text-2026", tmp_path, "--data", "nowhere") == 1
    assert "corpus 'wcxb': expected pages " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("model", ["web2text-2018", "crf-2018"])
def test_the_recipe_of_a_paper_is_refused_with_the_command_that_trains_it(tmp_path, capsys, model):
    assert train(model, tmp_path) == 1
    kind = {"web2text-2018": "cnn-hmm", "crf-2018": "crf"}[model]
    message = capsys.readouterr().err
    assert f"{model}/recipe.toml: labeler: expected 'modern', got '{kind}'. In a clone of the repository, " in message
    assert message.endswith("python -m research train in place of web2text train trains the models of the papers\n")


def test_only_training_imports_torch():
    program = (
        "import sys, scrapy_web2text.cli.main, scrapy_web2text.extractor, scrapy_web2text.labelers.registry, "
        "scrapy_web2text.cli.evaluate, scrapy_web2text.pipelines, scrapy_web2text.alignment.tokens\n"
        "assert 'torch' not in sys.modules and 'scrapy_web2text.training' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
