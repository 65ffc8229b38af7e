"""Labels fitted to a changed page, by equal texts in order, and the agreement of two readers."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.labels.files import PageLabels, find_runs, hash_text
from scrapy_web2text.labels.fit import UNKNOWN, fit_labels, match_in_order

TEXTS = ["Menu", "Reply", "A first text", "Reply", "A second text", "Reply", "Imprint"]
PATHS = tuple(f"/html/body/p[{number}]" for number in range(1, 8))
READING = PageLabels("", "a", ((2, 4),), tuple(map(hash_text, TEXTS)), paths=PATHS)


def labels_of(texts, paths=(), reading=READING):
    return fit_labels(reading, texts, paths).labels.tolist()


def test_an_unchanged_page_is_labeled_as_it_was():
    fit = fit_labels(READING, TEXTS, PATHS)
    assert (fit.labels.tolist(), fit.is_complete) == ([0, 0, 1, 1, 1, 0, 0], True)


def test_new_and_lost_blocks_are_reported():
    fit = fit_labels(READING, ["Banner", *TEXTS[:3], "New", *TEXTS[3:]])
    assert fit.labels.tolist() == [UNKNOWN, 0, 0, 1, UNKNOWN, 1, 1, 0, 0]
    assert (fit.n_unknown, fit.lost, fit.is_complete) == (2, (), False)
    fit = fit_labels(READING, TEXTS[1:4])
    assert (fit.labels.tolist(), fit.lost) == ([0, 1, 1], (0, 4, 5, 6))


def test_of_equal_texts_the_path_decides():
    texts = ["Menu", "Reply", "Imprint"]
    paths = [PATHS[0], PATHS[3], PATHS[6]]
    assert labels_of(texts, paths) == [0, 1, 0]
    assert labels_of(texts) == [0, 0, 0]


def test_paths_that_changed_do_not_matter():
    assert labels_of(TEXTS, [f"/html/body/div{path}" for path in PATHS]) == READING.labels.tolist()


def test_paths_that_moved_do_not_mislead():
    texts, paths = ["a", "a", "a", "b"], [f"/html/body/p[{number}]" for number in range(1, 6)]
    reading = PageLabels("", "a", ((2, 2),), tuple(map(hash_text, texts)), paths=tuple(paths[:4]))
    assert labels_of(["new", *texts], paths, reading) == [UNKNOWN, 0, 0, 1, 0]


def test_blocks_that_moved_keep_their_labels():
    assert labels_of(["Imprint", *TEXTS[:6]]) == [0, 0, 0, 1, 1, 1, 0]
    assert labels_of(["A second text", *TEXTS[:4], *TEXTS[5:]]) == [1, 0, 0, 1, 1, 0, 0]


def test_a_text_with_two_labels_that_moved_is_in_doubt():
    reading = dataclasses.replace(READING, content=((1, 1), (4, 4)))
    fit = fit_labels(reading, ["A second text", "Imprint", "Reply", "Menu"])
    assert (fit.labels.tolist(), fit.lost) == ([1, 0, UNKNOWN, 0], (1, 2, 3, 5))


def test_a_page_without_blocks_has_lost_all():
    assert fit_labels(READING, []).lost == tuple(range(7))
    assert fit_labels(PageLabels("", "a", (), ()), []).is_complete


def test_runs_are_the_runs_of_labels():
    assert find_runs([1, 1, 0, 1]) == ((0, 1), (3, 3))
    assert find_runs(READING.labels) == READING.content
    assert find_runs([]) == ()


@pytest.mark.parametrize("field", ["words", "paths"])
def test_words_and_paths_are_those_of_all_blocks(field):
    with pytest.raises(ValueError, match=f"{field}: expected 7 values, one for each block, got 1"):
        dataclasses.replace(READING, **{field: (1,)})


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


@pytest.mark.slow
def test_20_000_blocks_with_a_repeated_text_are_matched_in_proportion():
    """`difflib` takes half a minute for a twentieth of them."""
    old = ["first", *(text for i in range(10_000) for text in ("Reply", f"old {i}")), "last"]
    new = ["top", *(text for i in range(10_000) for text in ("Reply", f"new {i}")), "end"]
    reading = PageLabels("", "a", (), tuple(map(hash_text, old)))
    fit = fit_labels(reading, new)
    assert (fit.n_unknown, len(fit.lost)) == (10_002, 10_002)


def read(labels, *, words=(), texts=None):
    texts = texts or [f"block {number}" for number in range(len(labels))]
    return PageLabels("", "a", find_runs(labels), tuple(map(hash_text, texts)), words=words)
