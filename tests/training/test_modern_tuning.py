"""Tuning a small random network to a site."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from modern_training import judged_page

from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.training.modern.decoding import decode_pages
from scrapy_web2text.training.modern.tuning import TuningChoice, tune_model

pytestmark = pytest.mark.train

SMALL = TuningChoice(rounds=6, patience=2, steps=6, learning_rate=0.02)


@pytest.fixture
def model(base):
    return load_model(base)


@pytest.fixture
def pages():
    """Pages of a site, whose stories are content."""
    return [judged_page(number) for number in range(6)]


def label_by_model(model, pages):
    """Return pages with the answers of the model as their labels."""
    answers = decode_pages(model, model.tensors, pages)
    return [
        replace(
            page,
            page=replace(page.page, labels=answer.labels),
            gold=np.bincount(page.chosen_words(answer.labels), minlength=len(page.gold)),
        )
        for page, answer in zip(pages, answers, strict=True)
    ]


def test_pages_that_were_held_out_come_out_better(model, pages):
    tuned = tune_model(model, pages, choice=SMALL)
    assert tuned.n_folds == 4
    assert tuned.before < 0.8
    assert tuned.after > 0.95
    for name in ("names", "words", "mean", "deviation"):
        np.testing.assert_array_equal(tuned.tensors[name], model.tensors[name])
    assert not np.array_equal(tuned.tensors["conv.0.weight"], model.tensors["conv.0.weight"])


def test_a_tuning_with_the_same_seed_has_the_same_weights_and_leaves_the_generator_alone(model, pages):
    torch.manual_seed(1)
    state = torch.get_rng_state()
    first, second = (tune_model(model, pages[:2], choice=SMALL).tensors for _ in range(2))
    assert torch.equal(torch.get_rng_state(), state)
    for name, tensor in first.items():
        np.testing.assert_array_equal(tensor, second[name])


def test_a_single_page_is_not_held_out(model, pages):
    tuned = tune_model(model, pages[:1], choice=SMALL)
    assert tuned.n_folds == 1
    assert tuned.after > tuned.before


def test_a_model_that_is_right_already_is_not_tuned(model, pages):
    right = label_by_model(model, pages)
    with pytest.raises(ValueError, match=r"F1 of held-out pages is 1\.000, and no round of tuning improves it"):
        tune_model(model, right, choice=SMALL)
    with pytest.raises(ValueError, match="F1 of the page is 1"):
        tune_model(model, right[:1], choice=SMALL)
