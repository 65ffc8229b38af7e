from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.evaluation.scores import (
    WordScores,
    block_scores,
    bootstrap_block_scores,
    bootstrap_means,
    confusion_counts,
    interval,
    word_scores,
)

labels = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=20)


@given(pairs=labels)
def test_counts_equal_those_of_a_naive_count(pairs):
    predicted, expected = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    counts = [pairs.count(pair) for pair in [(1, 1), (1, 0), (0, 1), (0, 0)]]
    assert confusion_counts(predicted, expected).tolist() == counts


def test_scores_follow_their_definitions():
    assert block_scores(np.array([6, 2, 3, 9])).tolist() == pytest.approx([15 / 20, 6 / 8, 6 / 9, 12 / 17])


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([0, 0, 0, 0], [0, 0, 0, 0]),
        ([0, 0, 0, 5], [1, 0, 0, 0]),
        ([0, 0, 4, 0], [0, 0, 0, 0]),
        ([3, 0, 0, 0], [1, 1, 1, 1]),
    ],
    ids=["nothing", "only true negatives", "nothing found", "all found"],
)
def test_scores_are_0_if_the_divisor_is_0(counts, expected):
    assert block_scores(np.array(counts)).tolist() == expected


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        ("The cat, the dog", "the CAT sat", WordScores(2 / 4, 2 / 3, 4 / 7)),
        ("a a a", "a a", WordScores(2 / 3, 1, 4 / 5)),
        ("one", "two", WordScores(0, 0, 0)),
        ("", "two", WordScores(0, 0, 0)),
        ("", "", WordScores(1, 1, 1)),
        ("one", " … ", WordScores(0, 0, 0)),
        ("—", "", WordScores(1, 1, 1)),
    ],
    ids=["overlap", "repeated", "disjoint", "nothing found", "both empty", "empty reference", "no words"],
)
def test_texts_are_compared_as_bags_of_words(text, reference, expected):
    assert astuple(word_scores(text, reference)) == pytest.approx(astuple(expected))


def test_a_bootstrap_has_a_seed():
    counts = np.random.default_rng(1).integers(0, 50, size=(40, 4))
    first = bootstrap_block_scores(counts, n_samples=50, seed=3)
    assert first.shape == (50, 4)
    assert np.array_equal(first, bootstrap_block_scores(counts, n_samples=50, seed=3))
    assert not np.array_equal(first, bootstrap_block_scores(counts, n_samples=50, seed=4))


def test_the_interval_holds_the_pooled_scores():
    counts = np.random.default_rng(1).integers(0, 50, size=(40, 4))
    low, high = interval(bootstrap_block_scores(counts, n_samples=500, seed=0))
    pooled = block_scores(counts.sum(axis=0))
    assert (low < pooled).all()
    assert (pooled < high).all()


def test_the_deviation_of_bootstrapped_means_is_the_standard_error():
    values = np.random.default_rng(1).normal(size=(100, 2))
    means = bootstrap_means(values, n_samples=4000, seed=0)
    assert means.mean(axis=0) == pytest.approx(values.mean(axis=0), abs=0.01)
    assert means.std(axis=0) == pytest.approx(values.std(axis=0) / 10, rel=0.05)


def test_equal_pages_have_an_interval_of_width_0():
    low, high = interval(bootstrap_block_scores(np.array([[3, 1, 1, 5]] * 7), n_samples=20, seed=0))
    assert low.tolist() == high.tolist()
