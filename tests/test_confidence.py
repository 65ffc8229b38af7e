from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.confidence import EMPTY_PAGE_WORDS, expected_content_words, expected_f1


def f1(labels: list[int], probabilities: list[float], n_tokens: list[int]) -> float:
    return expected_f1(np.array(labels), np.array(probabilities), np.array(n_tokens))


@pytest.mark.parametrize(
    ("labels", "probabilities", "n_tokens", "expected"),
    [
        ([1, 0], [1.0, 0.0], [10, 90], 1.0),
        ([1, 1], [1.0, 0.0], [10, 10], 2 * 10 / (20 + 10)),
        ([1, 0], [0.9, 0.2], [10, 5], 2 * 9 / (10 + 10)),
        ([1, 0], [0.0, 0.0], [10, 5], 0.0),
        ([1, 0], [0.5, 0.5], [0, 10], 0.0),
        ([1], [0.5], [0], 0.0),
        ([0, 0], [0.0, 0.0], [10, 90], 1.0),
        ([0, 0], [0.5, 0.25], [20, 20], 1 - 15 / 50),
        ([0], [1.0], [50], 0.0),
        ([0], [1.0], [5000], 0.0),
        ([], [], [], 1.0),
    ],
    ids=[
        "sure",
        "one-too-many",
        "likely",
        "wrong",
        "blank-selected",
        "nothing-but-blank",
        "nothing-there",
        "nothing-selected",
        "limit",
        "beyond-the-limit",
        "no-text",
    ],
)
def test_confidence_is_the_expected_word_f1(labels, probabilities, n_tokens, expected):
    assert f1(labels, probabilities, n_tokens) == pytest.approx(expected)


@given(
    blocks=st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1), st.integers(0, 10_000)), max_size=20),
)
def test_confidence_is_between_0_and_1(blocks):
    columns = zip(*blocks, strict=True) if blocks else ([], [], [])
    assert 0 <= f1(*map(list, columns)) <= 1


def test_expected_content_is_counted_in_words():
    assert expected_content_words(np.array([0.5, 0.25]), np.array([10, 4])) == 6.0


def test_a_page_of_more_than_50_expected_words_is_not_believed_to_be_empty():
    assert EMPTY_PAGE_WORDS == 50
