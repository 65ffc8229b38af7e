"""Tuning a small random network to a site."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from modern_training import training_page

from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.training.modern.decoding import decode_pages
from scrapy_web2text.training.modern.tuning import TuningChoice, tune_model
from scrapy_web2text.training.modern.tuning_pages import to_judged_page

pytestmark = pytest.mark.train

SMALL = TuningChoice(rounds=6, patience=2, steps=6, learning_rate=0.02, kept_weight=1.0)


@pytest.fixture
def model(base):
    return load_model(base)


@pytest.fixture
def pages():
    """Pages of a site, whose stories are content."""
    return [to_judged_page(training_page(number)) for number in range(6)]


def label_by_model(model, pages):
    """Return pages with the answers of the model as their labels."""
    answers = decode_pages(model, model.tensors, pages)
    return [
        to_judged_page(replace(page.page, labels=answer.labels), page.texts, page.is_exempt)
        for page, answer in zip(pages, answers, strict=True)
    ]


def test_pages_that_were_held_out_come_out_better(model, pages):
    tuned = tune_model(model, pages, [], choice=SMALL)
    assert tuned.n_folds == 4
    assert tuned.before.own < 0.8
    assert tuned.after.own > 0.95
    assert np.isnan(tuned.before.kept)
    for name in ("names", "words", "mean", "deviation"):
        np.testing.assert_array_equal(tuned.tensors[name], model.tensors[name])
    assert not np.array_equal(tuned.tensors["conv.0.weight"], model.tensors["conv.0.weight"])


def test_a_tuning_with_the_same_seed_has_the_same_weights_and_leaves_the_generator_alone(model, pages):
    torch.manual_seed(1)
    state = torch.get_rng_state()
    first, second = (tune_model(model, pages[:2], pages[4:], choice=SMALL).tensors for _ in range(2))
    assert torch.equal(torch.get_rng_state(), state)
    for name, tensor in first.items():
        np.testing.assert_array_equal(tensor, second[name])


def test_a_single_page_is_not_held_out(model, pages):
    tuned = tune_model(model, pages[:1], [], choice=SMALL)
    assert tuned.n_folds == 1
    assert tuned.after.own > tuned.before.own


def test_a_model_that_is_right_already_is_not_tuned(model, pages):
    right = label_by_model(model, pages)
    with pytest.raises(ValueError, match=r"F1 of held-out pages is 1\.000, and no round of tuning improves it"):
        tune_model(model, right, [], choice=SMALL)
    with pytest.raises(ValueError, match="F1 of the page is 1"):
        tune_model(model, right[:1], [], choice=SMALL)


def test_a_model_that_loses_other_sites_is_refused(model, pages):
    others = label_by_model(model, [to_judged_page(training_page(number)) for number in range(20, 24)])
    forgetful = TuningChoice(rounds=6, patience=2, steps=6, learning_rate=0.05, kept_weight=0.0)
    with pytest.raises(ValueError, match=r"would rise from \.\d+ to .*, but F1 of other sites would fall from 1\."):
        tune_model(model, pages, others, choice=forgetful)


def test_a_final_model_that_loses_other_sites_is_refused(model, pages, monkeypatch):
    from scrapy_web2text.training.modern import tuning

    curve = [tuning.TuningScore(0.0, 2.0), tuning.TuningScore(1.0, 2.0)]
    monkeypatch.setattr(tuning, "_cross_validate", lambda *_: (curve, 4))
    with pytest.raises(ValueError, match=r"F1 of other sites would fall from 2\.000 to"):
        tune_model(model, pages, pages, choice=SMALL)
