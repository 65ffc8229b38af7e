"""The head that tells page types, fitted to a finished network."""

from __future__ import annotations

import numpy as np
import pytest
from modern_training import training_page

pytest.importorskip("torch")

from scrapy_web2text.labelers.modern.network import ModernNetwork as NumpyNetwork
from scrapy_web2text.training.modern.batches import PAGE_TYPES
from scrapy_web2text.training.modern.train import fit_head, fit_page_types, predict_page_types, summarize_pages


@pytest.fixture
def numpy_network(network):
    choice = network.members[0].choice
    return NumpyNetwork(network.to_arrays(), list(choice.dilations), list(choice.pooled), list(choice.grouped))


def test_only_pages_of_known_type_and_of_the_style_of_answers_are_summarized(numpy_network):
    pages = [training_page(2, page_type=3), training_page(3), training_page(4, page_type=1, style=2)]
    summaries, types = summarize_pages(numpy_network, pages)
    assert types == [3]
    np.testing.assert_array_equal(summaries[0], numpy_network(pages[0].features)[2])
    assert summarize_pages(numpy_network, pages[1:])[1] == []


def test_the_head_tells_types_apart_and_knows_how_often_each_occurs():
    random = np.random.default_rng(0)
    types = [0] * 60 + [1] * 30
    summaries = random.normal(size=(90, 6)).astype(np.float32)
    summaries[:, 2] += 40 * np.array(types)
    head = fit_page_types(summaries, types, n_types=3)
    logits = summaries @ head["page_type.weight"] + head["page_type.bias"]
    assert logits.argmax(axis=1).tolist() == types
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(chances.mean(axis=0), [2 / 3, 1 / 3, 0], atol=0.01)


def test_a_head_is_fitted_only_where_types_differ_and_its_predictions_are_those_of_the_network(network, numpy_network):
    choice, tensors = network.members[0].choice, network.to_arrays()
    pages = [training_page(n, page_type=n % 2) for n in (2, 3, 4, 5)]
    assert fit_head(choice, tensors, pages[::2]) == {}
    head = fit_head(choice, tensors, pages)
    predicted = predict_page_types(choice, tensors | head, pages)
    logits = [numpy_network(page.features)[2] @ head["page_type.weight"] + head["page_type.bias"] for page in pages]
    assert [name for name, _ in predicted] == [PAGE_TYPES[each.argmax()] for each in logits]
    chances = [float((np.exp(each) / np.exp(each).sum()).max()) for each in logits]
    np.testing.assert_allclose([chance for _, chance in predicted], chances, rtol=1e-4)
