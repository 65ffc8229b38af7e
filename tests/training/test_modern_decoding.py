"""Choices made after the fitting."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from modern_training import html_of
from places import PAGES

from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.evaluation.scores import WordScores
from scrapy_web2text.features.modern.page import MODERN_FEATURE_NAMES
from scrapy_web2text.labelers.modern.labeler import ModernLabeler
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.corpora import corpus_facts
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.modern import decoding
from scrapy_web2text.training.modern.data import Sources, read_judged_page
from scrapy_web2text.training.modern.decoding import choose_decoding, fit_logistic, page_potentials
from scrapy_web2text.training.modern.recipe import DecodingChoice
from scrapy_web2text.training.modern.train import train_modern


@pytest.mark.train
def test_answers_are_those_of_the_labeler(data, recipe, tmp_path):
    pages = Sources(data).load("wcxb", [f"{number:04}" for number in range(8)])
    network, _ = train_modern(recipe, [page.page for page in pages], None, seed=0)
    potentials = page_potentials(network, pages)
    chosen = choose_decoding(recipe.decoding, potentials, pages)
    manifest = {
        "name": "small",
        "segmentation": "modern-blocks",
        "features": list(MODERN_FEATURE_NAMES),
        **{name: list(getattr(recipe.network, name)) for name in ("dilations", "pooled", "grouped")},
        "lam": 1.0,
        **asdict(chosen),
    }
    write_model(tmp_path / "small", network.to_arrays(), manifest, {})
    labeler = ModernLabeler(load_model(tmp_path / "small"))
    for number, (page, answer) in enumerate(zip(pages, chosen.answers(potentials, pages), strict=True)):
        labeling = labeler.label(tree_to_page(to_tree(html_of(number).encode())))
        assert labeling.labels.tolist() == answer.labels.tolist()
        np.testing.assert_allclose(labeling.probabilities, answer.probabilities, atol=1e-3)
        assert labeling.confidence == pytest.approx(chosen.predict_f1(page, answer), abs=1e-2)


@pytest.mark.parametrize("path", PAGES[::3], ids=lambda path: path.stem)
def test_training_decides_on_real_pages_as_the_labeler_does(path):
    page = tree_to_page(to_tree(path.read_bytes()))
    labeler = get_labeler("web2text-2026")
    for threshold in (0.2, 0.45, 0.7):
        labeling = labeler.label(page, threshold=threshold)
        judged = read_judged_page(CorpusPage(path.stem, path.read_bytes(), ""), corpus_facts("wcxb"), 1.0)
        (answer,) = decoding._find_answers(
            [labeling.chain.potentials], [judged], labeling.chain.decoder, labeling.chain.threshold
        )
        assert labeling.labels.tolist() == answer.labels.tolist()


def decoding_of(means):
    return DecodingChoice(decoders=("marginal",), thresholds=tuple(means))


@pytest.mark.train
@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ({0.3: 0.9004, 0.4: 0.9, 0.5: 0.8996, 0.6: 0.8}, 0.5),
        ({0.3: 0.9016, 0.4: 0.9, 0.5: 0.8996, 0.6: 0.8}, 0.3),
        ({0.3: 0.8, 0.45: 0.9, 0.6: 0.9005, 0.7: 0.9006}, 0.45),
    ],
)
def test_of_thresholds_that_are_as_good_the_closest_to_one_half_is_chosen(data, recipe, monkeypatch, means, expected):
    pages = Sources(data).load("wcxb", ["0001", "0002"])
    potentials = page_potentials(train_modern(recipe, [page.page for page in pages], None, seed=0)[0], pages)
    scores = {threshold: [WordScores(f1, f1, f1)] * 2 for threshold, f1 in means.items()}
    monkeypatch.setattr(decoding, "score_answers", lambda _potentials, _pages, _decoder, threshold: scores[threshold])
    assert choose_decoding(decoding_of(means), potentials, pages).threshold == expected


def test_a_logistic_regression_finds_the_weights_that_made_the_targets():
    random = np.random.default_rng(5)
    columns = np.stack([np.ones(500), random.normal(size=500), random.normal(size=500)], axis=1)
    weights = np.array([0.5, -1.5, 2.0])
    targets = 1 / (1 + np.exp(-(columns @ weights)))
    assert fit_logistic(columns, targets, penalty=1e-6) == pytest.approx(weights, abs=1e-3)


def test_a_penalty_shrinks_all_weights_but_the_constant():
    columns = np.stack([np.ones(4), [-1.0, -1.0, 1.0, 1.0]], axis=1)
    targets = np.array([0.6, 0.6, 1.0, 1.0])
    constant, slope = fit_logistic(columns, targets, penalty=100.0)
    assert constant == pytest.approx(np.log(0.8 / 0.2), abs=0.02)
    assert 0 < slope < 0.05
    assert fit_logistic(columns, targets, penalty=1e-3)[1] > 1
