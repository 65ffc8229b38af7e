"""Corpora and small models for the tests of training."""

from __future__ import annotations

import gzip
import json

import pytest
from modern_training import RECIPE, SMALL, html_of, story_of
from one_thread import one_thread as _one_thread  # noqa: F401  a fixture

from scrapy_web2text.features.modern.page import MODERN_FEATURE_NAMES


@pytest.fixture
def recipe(tmp_path):
    """The recipe of a small modern model."""
    from scrapy_web2text.training.modern.recipe import ModernRecipe
    from scrapy_web2text.training.recipe import read_recipe

    text = RECIPE.read_text(encoding="utf-8")
    for old, new in SMALL:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return read_recipe(ModernRecipe, path)


@pytest.fixture
def network(recipe):
    """The network of that recipe, with random weights."""
    import torch

    from scrapy_web2text.training.modern.network import Member, TorchNetwork

    with torch.random.fork_rng():
        torch.manual_seed(0)
        n = len(MODERN_FEATURE_NAMES)
        moments = torch.rand(n), torch.rand(n) + 0.5
        made = TorchNetwork([Member(recipe.network, *moments, n_styles=9, n_types=7) for _ in range(2)])
        for parameter in made.parameters():
            parameter.data += 0.05 * torch.randn_like(parameter)
    return made.eval()


@pytest.fixture
def data(tmp_path):
    """WCXB's layout with twelve pages, and a folder of pages without texts."""
    html, truth = tmp_path / "data" / "wcxb" / "dev" / "html", tmp_path / "data" / "wcxb" / "dev" / "ground-truth"
    html.mkdir(parents=True)
    truth.mkdir(parents=True)
    for number in range(12):
        text = "" if number == 11 else "\n".join(story_of(number))
        text = "Quite another text. " * 30 if number == 10 else text
        (html / f"{number:04}.html.gz").write_bytes(gzip.compress(html_of(number).encode()))
        entry = {"ground_truth": {"main_content": text}, "_internal": {"page_type": {"primary": "article"}}}
        (truth / f"{number:04}.json").write_text(json.dumps(entry), encoding="utf-8")
    unlabeled = tmp_path / "data" / "unlabeled" / "some"
    unlabeled.mkdir(parents=True)
    for number in range(3):
        (unlabeled / f"{number}.html").write_text(html_of(20 + number), encoding="utf-8")
    (unlabeled / "3.html").write_bytes(b"%PDF-1.7")
    (unlabeled / "4.html").write_text("<body></body>", encoding="utf-8")
    return tmp_path / "data"


@pytest.fixture
def base(network, tmp_path):
    """The folder of a model with that network."""
    from scrapy_web2text.labelers.confidence import CONFIDENCE_STATISTICS
    from scrapy_web2text.training.export import write_model

    choice = network.members[0].choice
    manifest = {
        "name": "base",
        "labeler": "modern",
        "segmentation": "modern-blocks",
        "features": list(MODERN_FEATURE_NAMES),
        **{name: list(getattr(choice, name)) for name in ("dilations", "pooled", "grouped")},
        "lam": 1.0,
        "temperature": 1.0,
        "decoder": "marginal",
        "threshold": 0.5,
        "presets": {"balanced": 0.5},
        "confidence": dict.fromkeys(CONFIDENCE_STATISTICS, 0.0),
    }
    write_model(tmp_path / "base", network.to_arrays(), manifest, {})
    return tmp_path / "base"
