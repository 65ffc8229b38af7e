from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.alignment.runs import find_anchors, join_anchors

texts = st.text(alphabet="abcd", max_size=60)


def codes(text: str) -> np.ndarray:
    return np.array([ord(character) for character in text], dtype=np.int64)


def list_runs(text: str, length: int) -> list[str]:
    return [text[i : i + length] for i in range(len(text) - length + 1)]


@given(page=texts, clean=texts, length=st.integers(1, 5), once=st.booleans())
def test_anchors_are_the_runs_that_occur_once(page, clean, length, once):
    in_page, in_clean = find_anchors(codes(page), codes(clean), length, once_in_clean=once)
    page_runs, clean_runs = list_runs(page, length), list_runs(clean, length)
    expected = {
        (page_runs.index(run), i)
        for i, run in enumerate(clean_runs)
        if page_runs.count(run) == 1 and (not once or clean_runs.count(run) == 1)
    }
    assert len(in_page) == len(expected)
    assert set(zip(in_page.tolist(), in_clean.tolist(), strict=True)) == expected


@given(
    anchors=st.sets(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=20),
    length=st.integers(1, 4),
)
def test_matches_cover_the_stretches_of_their_anchors(anchors, length):
    starts = np.array(sorted(anchors), dtype=np.int64).reshape(-1, 2)
    matches = join_anchors(starts[:, 0], starts[:, 1], length).tolist()
    covered = [(page + i, clean + i) for page, clean, n in matches for i in range(n)]
    assert sorted(covered) == sorted({(page + i, clean + i) for page, clean in anchors for i in range(length)})


@pytest.mark.parametrize(
    ("in_clean", "expected"),
    [([5, 8], [[0, 5, 6]]), ([5, 9], [[3, 9, 3], [0, 5, 3]])],
    ids=["one shift", "two shifts"],
)
def test_anchors_that_touch_are_one_match_if_they_have_one_shift(in_clean, expected):
    assert join_anchors(np.array([0, 3]), np.array(in_clean), 3).tolist() == expected
