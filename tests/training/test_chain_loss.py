"""The likelihood of chains."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from scrapy_web2text.labelers.hmm import marginals
from scrapy_web2text.training.chain_loss import evaluate_chain


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
