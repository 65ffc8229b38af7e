"""Choices made after the fitting."""

from __future__ import annotations

import numpy as np
import pytest
from modern_training import html_of

from scrapy_web2text.features.modern import MODERN_FEATURE_NAMES
from scrapy_web2text.labelers.modern import ModernLabeler
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.modern.choice import choose, page_potentials
from scrapy_web2text.training.modern.data import load_pages
from scrapy_web2text.training.modern.train import train_modern


def test_answers_are_those_of_the_labeler(data, recipe, tmp_path):
    pages = load_pages("wcxb", [f"{number:04}" for number in range(8)], data, tmp_path / "cache")
    trained = train_modern(recipe, [page.page for page in pages], None, seed=0)
    potentials = page_potentials(trained.network, pages)
    choice = choose(recipe.decoding, potentials, pages)
    manifest = {
        "name": "small",
        "segmentation": "modern-blocks",
        "features": list(MODERN_FEATURE_NAMES),
        **{name: list(getattr(recipe.network, name)) for name in ("dilations", "pooled", "grouped")},
        "lam": 1.0,
        **choice.to_manifest(),
    }
    write_model(tmp_path / "small", trained.network.to_arrays(), manifest, {})
    labeler = ModernLabeler(load_model(tmp_path / "small"))
    for number, (page, answer) in enumerate(zip(pages, choice.answers(potentials, pages), strict=True)):
        labeling = labeler.label(tree_to_page(to_tree(html_of(number).encode())))
        assert labeling.labels.tolist() == answer.labels.tolist()
        np.testing.assert_allclose(labeling.probabilities, answer.probabilities, atol=1e-3)
        assert labeling.confidence == pytest.approx(choice.predict_f1(page, answer), abs=1e-2)
