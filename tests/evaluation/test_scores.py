from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from scrapy_web2text.evaluation.scores import (
    WordScores,
    bootstrap_means,
    word_scores,
)


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


def test_the_deviation_of_bootstrapped_means_is_the_standard_error():
    values = np.random.default_rng(1).normal(size=(100, 2))
    means = bootstrap_means(values, n_samples=4000, seed=0)
    assert means.mean(axis=0) == pytest.approx(values.mean(axis=0), abs=0.01)
    assert means.std(axis=0) == pytest.approx(values.std(axis=0) / 10, rel=0.05)


def test_bootstrapped_means_have_a_seed():
    values = np.random.default_rng(1).normal(size=(40, 2))
    first = bootstrap_means(values, n_samples=50, seed=3)
    assert first.shape == (50, 2)
    assert np.array_equal(first, bootstrap_means(values, n_samples=50, seed=3))
    assert not np.array_equal(first, bootstrap_means(values, n_samples=50, seed=4))
