"""The likelihood of chains, and the loop over epochs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from modern_training import training_page

from scrapy_web2text.labelers.chain import marginals
from scrapy_web2text.training.fitting import EpochChoice, draw_batches, evaluate_chain, fit_epochs


def test_the_crf_agrees_with_the_sum_over_all_labelings():
    generator = torch.Generator().manual_seed(0)
    unary, pairwise = torch.randn(2, 5, generator=generator), torch.randn(2, 4, 4, generator=generator)
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    labels = torch.tensor([[0, 1, 1, 0, 1], [1, 0, 1, 0, 0]])
    log_odds, surprise = evaluate_chain(unary, pairwise, mask, labels)
    for page, n in ((0, 5), (1, 3)):
        scores = {
            candidate: sum(float(unary[page, i]) * candidate[i] for i in range(n))
            + sum(float(pairwise[page, i, 2 * candidate[i] + candidate[i + 1]]) for i in range(n - 1))
            for candidate in itertools.product([0, 1], repeat=n)
        }
        log_z = np.logaddexp.reduce(list(scores.values()))
        assert float(surprise[page]) == pytest.approx(log_z - scores[tuple(labels[page, :n].tolist())], abs=1e-4)
        row = unary[page, :n].numpy().astype(float)
        pairs = pairwise[page, : n - 1].numpy().astype(float).reshape(-1, 2, 2)
        expected = marginals(np.stack([np.zeros(n), row], axis=1), pairs)
        np.testing.assert_allclose(torch.sigmoid(log_odds[page, :n]).numpy(), expected, atol=1e-5)


def evaluate_slowly(unary: torch.Tensor, pairwise: torch.Tensor, labels: torch.Tensor):
    """The same for one page without padding, one block after another, in log space and double precision."""
    unary, pairwise = unary.double(), pairwise.double()
    steps = pairwise.view(-1, 2, 2) + torch.stack([torch.zeros_like(unary), unary], dim=1)[1:, None, :]
    forward = [torch.stack([torch.zeros_like(unary[0]), unary[0]])]
    for step in steps:
        forward.append(torch.logsumexp(forward[-1][:, None] + step, dim=0))
    backward = [torch.zeros(2).double()]
    for step in steps.flip(0):
        backward.insert(0, torch.logsumexp(step + backward[0], dim=1))
    beliefs = torch.stack(forward) + torch.stack(backward)
    score = forward[0][labels[0]] + steps[torch.arange(len(steps)), labels[:-1], labels[1:]].sum()
    return beliefs[:, 1] - beliefs[:, 0], torch.logsumexp(forward[-1], dim=0) - score


@pytest.mark.parametrize(("n", "size"), [(2, 1.0), (40, 3.0), (700, 12.0)])
def test_long_chains_and_their_gradients_agree_with_a_slow_twin(n, size):
    generator = torch.Generator().manual_seed(n)
    unary = (size * torch.randn(n, generator=generator)).requires_grad_()
    pairwise = (size * torch.randn(n - 1, 4, generator=generator)).requires_grad_()
    labels = torch.randint(0, 2, (n,), generator=generator)
    results = []
    for log_odds, surprise in (
        evaluate_slowly(unary, pairwise, labels),
        [each[0] for each in evaluate_chain(unary[None], pairwise[None], torch.ones(1, n).bool(), labels[None])],
    ):
        gradients = torch.autograd.grad(torch.sigmoid(log_odds).sum() + surprise, [unary, pairwise])
        results.append([log_odds, surprise, *gradients])
    for slow, fast in zip(*results, strict=True):
        torch.testing.assert_close(fast.double(), slow.double(), rtol=1e-3, atol=1e-3)


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
    assert (found, len(curve)) == (n_steps, CHOICE.epochs)


def test_the_average_does_not_look_back_to_the_start_of_a_short_training():
    slow = replace(CHOICE, averaged=0.998, learning_rate=0.012)
    # With the decay of a long training, it would be 0.77.
    assert fit(slow, least_steps=200)[0] == pytest.approx(0.91, abs=0.05)
