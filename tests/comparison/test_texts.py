from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.comparison.texts import compare_texts
from scrapy_web2text.evaluation.scores import word_scores

TEXTS = st.lists(st.sampled_from("the The river bridge 桥 . \n".split(" ")), max_size=12).map(" ".join)


def test_words_that_were_gained_and_lost_are_counted():
    change = compare_texts("The old bridge, the river", "the bridge bridge and a town")
    assert change.gained == Counter(["bridge", "and", "a", "town"])
    assert change.lost == Counter(["old", "the", "river"])
    assert change.f1 == pytest.approx(2 * 2 / (5 + 6))
    assert not change.is_equal
    assert not change.is_layout


@given(before=TEXTS, after=TEXTS)
def test_the_f1_is_that_of_the_scores_both_ways(before, after):
    scores = word_scores(after, before)
    expected = 1.0 if not (before + after).strip(" \n.") else scores.f1
    assert compare_texts(before, after).f1 == pytest.approx(expected)
    assert compare_texts(after, before).f1 == pytest.approx(expected)


def test_other_spaces_or_another_order_are_a_change_of_layout():
    for after in ("b a", "a\nb", "A, b"):
        change = compare_texts("a b", after)
        assert (change.f1, change.is_layout, change.is_equal) == (1.0, True, False)
    assert compare_texts("a b", "a b").is_equal
    assert not compare_texts("a b", "a b").is_layout
