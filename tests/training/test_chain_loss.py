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
