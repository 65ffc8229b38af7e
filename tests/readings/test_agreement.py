from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.readings.agreement import compare_readings, kappa
from scrapy_web2text.readings.reading import Reading, find_runs, hash_text


def read(labels, *, words=(), texts=None):
    texts = texts or [f"block {number}" for number in range(len(labels))]
    return Reading("", "a", find_runs(labels), tuple(map(hash_text, texts)), words=words)


def test_f1_counts_words_and_kappa_blocks():
    found = compare_readings(read([1, 1, 0, 0], words=(10, 5, 5, 1)), read([1, 0, 1, 0]))
    assert found.f1 == pytest.approx(2 * 10 / (15 + 15))
    assert found.counts.tolist() == [[1, 1], [1, 1]]
    assert (found.n_different, found.n_unmatched) == (2, 0)
    assert kappa([found.counts]) == 0


def test_either_reading_may_have_the_numbers_of_words():
    first, second = read([1, 0]), read([1, 1], words=(3, 1))
    assert compare_readings(first, second).f1 == pytest.approx(6 / 7)
    assert compare_readings(first, first).f1 is None


def test_readers_who_find_no_content_agree():
    empty = read([0, 0], words=(1, 1))
    assert compare_readings(empty, empty).f1 == 1
    assert kappa([compare_readings(empty, empty).counts]) is None
    assert kappa([]) is None


def test_kappa_is_agreement_beyond_chance():
    # 35 of 50 agree, 25 by chance: (.7 - .5) / (1 - .5)
    assert kappa([np.array([[20, 5], [10, 15]])]) == pytest.approx(0.4)


def test_blocks_that_one_reader_did_not_see_do_not_count():
    found = compare_readings(read([1, 0], texts=["a", "b"]), read([1, 1], texts=["a", "c"]))
    assert (found.counts.tolist(), found.n_unmatched) == ([[0, 0], [0, 1]], 2)
