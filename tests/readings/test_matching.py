"""Equal values of two sequences, in order."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.readings.fit import fit_reading
from scrapy_web2text.readings.matching import match_in_order
from scrapy_web2text.readings.reading import Reading, hash_text

VALUES = st.lists(st.sampled_from("abcdef"), max_size=30)


@given(old=VALUES, new=VALUES)
def test_pairs_are_equal_and_ascend_on_both_sides(old, new):
    pairs = match_in_order(old, new)
    assert [old[i] for i, _ in pairs] == [new[k] for _, k in pairs]
    assert all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(pairs))
    assert bool(pairs) == bool({*old} & {*new})


@given(old=VALUES, places=st.sets(st.integers(0, 30)))
def test_values_between_which_others_were_added_are_all_found(old, places):
    new = [*old]
    for place in sorted(places, reverse=True):
        new.insert(place, f"new {place}")
    assert len(match_in_order(old, new)) == len(old)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("abcd", "bcda", [(1, 0), (2, 1), (3, 2)]),
        ("xaybz", "axbyz", [(1, 0), (3, 2), (4, 4)]),
        ("aab", "ba", [(2, 0)]),
        ("pxxq", "xpxxqx", [(0, 1), (1, 2), (2, 3), (3, 4)]),
    ],
)
def test_clear_values_are_matched_first(old, new, expected):
    assert match_in_order(old, new) == expected


def test_20_000_blocks_with_a_repeated_text_are_matched_in_proportion():
    """`difflib` takes half a minute for a twentieth of them."""
    old = ["first", *(text for i in range(10_000) for text in ("Reply", f"old {i}")), "last"]
    new = ["top", *(text for i in range(10_000) for text in ("Reply", f"new {i}")), "end"]
    reading = Reading("", "a", (), tuple(map(hash_text, old)))
    fit = fit_reading(reading, new)
    assert (fit.n_unknown, len(fit.lost)) == (10_002, 10_002)
