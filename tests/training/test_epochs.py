"""The loop over epochs, and its batches."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from modern_training import training_page

from scrapy_web2text.training.epochs import EpochChoice, draw_batches, fit_epochs


def test_each_page_is_drawn_once_an_epoch():
    pages = [training_page(number) for number in range(7)]
    batches = list(draw_batches(pages, 3, np.random.default_rng(0)))
    assert sorted(page.id for batch in batches for page in batch) == sorted(page.id for page in pages)
    assert max(len(batch) for batch in batches) <= 3


CHOICE = EpochChoice(epochs=3, batch=4, learning_rate=0.02, warm_up=2, weight_decay=0.0, averaged=0.0)


def fit(choice, *, least_steps=0, score=None):
    """Fit a number to 1 on eight pages in two batches; return the number, its curve and the number of steps."""
    number, n_steps = torch.nn.Linear(1, 1, bias=False), []
    torch.nn.init.zeros_(number.weight)

    def loss(drawn):
        n_steps.append(len(drawn))
        return (number.weight - 1).square().sum()

    pages = [SimpleNamespace(n_blocks=1) for _ in range(8)]
    curve = fit_epochs(number, pages, loss, score, choice, seed=0, least_steps=least_steps)
    return number.weight.item(), curve, len(n_steps)


@pytest.mark.parametrize(("least_steps", "n_steps"), [(0, 6), (6, 6), (7, 12), (100, 102)])
def test_few_pages_are_repeated_until_there_are_enough_steps(least_steps, n_steps):
    _, curve, found = fit(CHOICE, least_steps=least_steps)
    assert (found, len(curve.scores)) == (n_steps, CHOICE.epochs)


def test_the_average_does_not_look_back_to_the_start_of_a_short_training():
    slow = replace(CHOICE, averaged=0.998, learning_rate=0.012)
    # With the decay of a long training, it would be 0.77.
    assert fit(slow, least_steps=200)[0] == pytest.approx(0.91, abs=0.05)
