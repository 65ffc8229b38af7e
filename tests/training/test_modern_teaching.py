"""Labels by teachers."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from scrapy_web2text.training.modern import teaching
from scrapy_web2text.training.modern.data import load_unlabeled
from scrapy_web2text.training.modern.teaching import label_by_teachers


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
