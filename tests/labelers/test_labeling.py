from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment
from scrapy_web2text.page.parse import to_tree

NOT_FINITE = [float("nan"), float("inf"), float("-inf")]


def make_labeling(probability: float, confidence: float | None) -> Labeling:
    blocks = segment(tree_to_page(to_tree("<p>One.<p>Two.")), TEXT_LEAVES)
    return Labeling(blocks, np.array([0, 1]), np.array([0.5, probability]), np.array([1, 1]), confidence)


@pytest.mark.parametrize("confidence", [None, 0.0, 1.0])
def test_finite_values_are_an_answer(confidence):
    assert make_labeling(0.5, confidence).confidence == confidence


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("part", ["probabilities", "confidence"])
def test_values_that_json_does_not_have_raise_a_page_error(part, value):
    with pytest.raises(PageError, match="not finite") as caught:
        make_labeling(*((value, None) if part == "probabilities" else (0.5, value)))
    assert caught.value.reason == "model_error"
