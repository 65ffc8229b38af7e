"""Numbers of equal keys, and copies among blocks."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.features.hashing import N_WORD_HASHES, number_keys, to_word_numbers
from scrapy_web2text.features.modern.context import find_copies

KEYS = st.lists(st.sampled_from([0, 1, 2, 1 << 63, (1 << 64) - 1])).map(lambda keys: np.array(keys, dtype=np.uint64))


@given(keys=KEYS)
def test_equal_keys_have_the_same_number(keys):
    numbers, sizes = number_keys(keys)
    _, expected, counts = np.unique(keys, return_inverse=True, return_counts=True)
    assert (numbers.tolist(), sizes.tolist()) == (expected.tolist(), counts.tolist())


@given(keys=KEYS)
def test_copies_are_counted_and_the_first_is_not_a_repeat(keys):
    counts, is_repeat = find_copies(keys)
    every = keys.tolist()
    assert counts.tolist() == [every.count(key) for key in every]
    assert is_repeat.tolist() == [key in every[:i] for i, key in enumerate(every)]


def test_numbers_of_words_are_below_their_limit():
    numbers = to_word_numbers(np.array([0, 1, (1 << 64) - 1], dtype=np.uint64))
    assert numbers.min() >= 0
    assert numbers.max() < N_WORD_HASHES
