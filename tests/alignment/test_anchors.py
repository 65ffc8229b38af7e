from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.alignment.anchors import find_anchors, find_heaviest_chain, join_anchors

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


# Begin in both texts, length in both texts, weight.
stretches = st.tuples(*[st.integers(0, 12)] * 2, *[st.integers(1, 6)] * 2, st.integers(1, 9))


def find_chain(found: list[tuple[int, int, int, int, int]]) -> list[int]:
    table = np.array(found, dtype=np.int64).reshape(-1, 5)
    return find_heaviest_chain(table[:, :2], table[:, :2] + table[:, 2:4], table[:, 4]).tolist()


def is_chain(found: list[tuple[int, int, int, int, int]]) -> bool:
    return all(a[side] + a[side + 2] <= b[side] for a, b in pairwise(found) for side in (0, 1))


def heaviest_by_trying(found: list[tuple[int, int, int, int, int]]) -> int:
    """Return the weight of the heaviest of all chains: the slow twin."""
    chains = (chain for n in range(len(found) + 1) for chain in combinations(sorted(found), n) if is_chain(list(chain)))
    return max(sum(stretch[4] for stretch in chain) for chain in chains)


@given(found=st.lists(stretches, max_size=9))
def test_no_chain_is_heavier(found):
    chain = [found[i] for i in find_chain(found)]
    assert is_chain(chain)
    assert sum(stretch[4] for stretch in chain) == heaviest_by_trying(found)


CHAINS = {
    "stretches that touch": ([(3, 4, 2, 1, 1), (0, 0, 3, 4, 1)], [1, 0]),
    "of chains that end together, the heavier is continued": (
        [(0, 3, 3, 3, 3), (5, 0, 6, 6, 6), (20, 10, 3, 3, 3)],
        [1, 2],
    ),
    "of equally heavy ones, the first to end in the second text is continued": (
        [(0, 5, 2, 2, 2), (3, 1, 2, 2, 2), (9, 9, 1, 1, 1)],
        [1, 2],
    ),
    "of equally heavy ones, the first is returned": ([(0, 5, 2, 2, 2), (3, 1, 2, 2, 2)], [0]),
}


@pytest.mark.parametrize(("found", "expected"), CHAINS.values(), ids=CHAINS)
def test_chains_are_chosen_as_expected(found, expected):
    assert find_chain(found) == expected
