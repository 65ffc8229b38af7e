"""Labels by teachers."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from modern_training import training_page

from scrapy_web2text.training.modern import teaching
from scrapy_web2text.training.modern.data import load_unlabeled
from scrapy_web2text.training.modern.teaching import label_by_teachers, soften_labels, teach


def test_pages_that_the_teachers_are_sure_of_are_used(data, network, monkeypatch):
    unlabeled = load_unlabeled(data / "unlabeled" / "some", weight=0.3)
    assert [(page.id, page.labels.any(), page.weight) for page in unlabeled] == [(str(i), False, 0.3) for i in range(3)]
    for least, expected in ((0.0, 3), (1.1, 0)):
        monkeypatch.setattr(teaching, "_LEAST_CONFIDENCE", least)
        assert len(label_by_teachers([network], unlabeled)) == expected
    monkeypatch.setattr(teaching, "_LEAST_CONFIDENCE", 0.0)
    network.unary.bias.data += 50
    sure = label_by_teachers([network], unlabeled)[0]
    assert sure.labels.all()
    assert sure.targets == pytest.approx(np.ones(sure.n_blocks), abs=1e-3)
    other = copy.deepcopy(network)
    other.unary.bias.data -= 100
    assert label_by_teachers([network, other], unlabeled)[0].targets == pytest.approx(
        0.5 * np.ones(sure.n_blocks), abs=1e-3
    )


def test_teachers_soften_the_labels_of_pages(network):
    page = training_page(1)
    network.unary.bias.data += 50  # sure that all is content
    (soft,) = soften_labels([network], [page], 0.25)
    assert soft.targets == pytest.approx(0.75 * page.labels + 0.25, abs=1e-3)
    assert (soft.labels == page.labels).all()
    assert soften_labels([network], [page], 0.0) == [page]


def test_without_teachers_pages_are_used_as_they_are(recipe):
    page = training_page(1)
    alone = replace(recipe, training=replace(recipe.training, teachers=0))
    assert teach(alone, [page], []) == [page]
