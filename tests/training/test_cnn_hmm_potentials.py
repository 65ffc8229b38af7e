"""Logits and potentials of whole corpora, page by page."""

from __future__ import annotations

import numpy as np
import torch
from labeled_pages import make_pages, small_recipe

from scrapy_web2text.training.cnn_hmm.potentials import make_potentials, page_logits
from scrapy_web2text.training.cnn_hmm.train import train_pairwise, train_unary
from scrapy_web2text.training.networks import SequenceNetwork


def test_potentials_are_those_of_each_page_alone():
    generator = torch.Generator().manual_seed(0)
    choice = small_recipe().networks
    networks = SequenceNetwork(128, 2, choice, generator), SequenceNetwork(25, 4, choice, generator)
    potentials = make_potentials(*networks, make_pages(12, 1, 5))
    assert [page.shape for page in potentials.unary] == [(12, 2), (1, 2), (5, 2)]
    assert [page.shape for page in potentials.pairwise] == [(11, 2, 2), (0, 2, 2), (4, 2, 2)]
    np.testing.assert_allclose(np.exp(potentials.unary[0]).sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(potentials.pairwise[2]).sum(axis=(1, 2)), 1)
    alone = make_potentials(*networks, make_pages(12))
    np.testing.assert_allclose(potentials.unary[0], alone.unary[0], atol=1e-6)
    assert [len(page) for page in potentials.probabilities()] == [12, 1, 5]


def test_logits_of_a_page_do_not_depend_on_the_pages_around_it():
    trained = train_unary(small_recipe(steps=10), make_pages(30, 20), make_pages(20), seed=0)
    together = page_logits(trained.network, make_pages(12, 1, 20).blocks)
    assert together.shape == (33, 2)
    torch.testing.assert_close(together[:12], page_logits(trained.network, make_pages(12).blocks))


def test_no_rows_have_no_logits():
    trained = train_pairwise(small_recipe(steps=10), make_pages(30, 20), make_pages(20), seed=0)
    assert page_logits(trained.network, make_pages(1).edges).shape == (0, 4)
