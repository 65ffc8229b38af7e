from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import count_steps

from scrapy_web2text.alignment import token_matches
from scrapy_web2text.alignment.anchors import find_anchors, join_anchors
from scrapy_web2text.alignment.gaps import trace_back
from scrapy_web2text.alignment.token_matches import align_tokens

tokens = st.lists(st.integers(0, 3), min_size=1, max_size=7)


def _align(page, clean, cuts=()):
    is_cut = np.isin(np.arange(len(page) + 1), [0, len(page), *cuts])
    return align_tokens(np.array(page, dtype=np.int64), np.array(clean, dtype=np.int64), is_cut).tolist()


def _best_score(page, clean, costs):
    @cache
    def best(i, j, *, skipping):
        """Best score of page[i:] and clean[j:]; while *skipping*, a run of skipped tokens of the page is open."""
        options = []
        if i == len(page) and j == len(clean) and not skipping:
            return 0
        if skipping:
            options.append(best(i, j, skipping=False) - costs[i])
            if i < len(page):
                options.append(best(i + 1, j, skipping=True))
        else:
            if i < len(page):
                options.append(best(i + 1, j, skipping=True) - costs[i])
            if j < len(clean):
                options.append(best(i, j + 1, skipping=False) - 1)
            if i < len(page) and j < len(clean) and page[i] == clean[j]:
                options.append(best(i + 1, j + 1, skipping=False) + 4)
        return max(options)

    return best(0, 0, skipping=False)


def _score(found, n_clean, costs):
    n_pairs = sum(position >= 0 for position in found)
    score = 4 * n_pairs - (n_clean - n_pairs)
    for i, position in enumerate(found):
        if position < 0 and (i == 0 or found[i - 1] >= 0):
            score -= costs[i]
        if position < 0 and (i == len(found) - 1 or found[i + 1] >= 0):
            score -= costs[i + 1]
    return score


@given(page=tokens, clean=tokens, data=st.data())
def test_a_gap_is_aligned_as_well_as_by_trying_everything(page, clean, data):
    costs = data.draw(st.lists(st.sampled_from([0, 2, 5]), min_size=len(page) + 1, max_size=len(page) + 1))
    moves = token_matches._fill(np.array(page), np.array(clean), np.array(costs, dtype=np.int32))
    found = trace_back(moves).tolist()
    matched = [position for position in found if position >= 0]
    assert matched == sorted(set(matched))
    assert all(page[i] == clean[position] for i, position in enumerate(found) if position >= 0)
    assert _score(found, len(clean), costs) == _best_score(tuple(page), tuple(clean), costs)


@pytest.mark.parametrize(
    ("page", "clean", "cuts", "expected"),
    [
        (range(20), range(20), (), list(range(20))),
        ([90, 91, 1, 2, 3, 4, 5, 92], [80, 1, 2, 3, 4, 81, 5], (), [-1, -1, 1, 2, 3, 4, 6, -1]),
        ([1, 2, 3, 4, 9, 5, 6, 9, 1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], (4, 5, 7, 8), [-1] * 8 + [0, 1, 2, 3, 4, 5]),
        ([*range(20, 60), *range(10)], [*range(10), *range(20, 60)], (), [*range(10, 50), *[-1] * 10]),
        ([1, 2, 3], [4, 5], (), [-1, -1, -1]),
        ([0, 1, 2], [], (), [-1] * 3),
        ([], [0, 1, 2], (), []),
        ([], [], (), []),
    ],
    ids=["itself", "others are left out", "one copy, not halves of two", "heavier anchors", "nothing", *"abc"],
)
def test_tokens_are_aligned_in_ascending_order(page, clean, cuts, expected):
    assert _align(page, clean, cuts) == expected


def test_a_word_alone_counts_as_a_leaf_but_not_inside_one():
    page = [1, 2, 3, 4, 9, 5, 9, 6, 7, 8, 10]
    clean = [1, 2, 3, 4, 5, 6, 7, 8, 10]
    assert _align(page, clean, cuts=[4, 5, 6, 7])[5] == 4
    assert _align(page, clean, cuts=[4, 7])[5] == -1


@given(data=st.data(), length=st.integers(2, 4))
def test_no_chain_of_matches_is_longer(data, length):
    page, clean = (data.draw(st.lists(st.integers(0, 5), max_size=30)) for _ in range(2))
    found = token_matches._find_matches(
        np.array(page, dtype=np.int64), np.array(clean, dtype=np.int64), length
    ).tolist()
    assert all(page[s : s + n] == clean[c : c + n] and n > 0 for s, c, n in found)
    assert all(a[side] + a[2] <= b[side] for a, b in pairwise(found) for side in (0, 1))
    assert sum(n for _, _, n in found) == _longest_by_trying(page, clean, length)


def _longest_by_trying(page, clean, length):
    """Return the most tokens that a chain of matches has after overlaps are cut: the slow twin."""
    anchors = find_anchors(np.array(page, dtype=np.int64), np.array(clean, dtype=np.int64), length, once_in_clean=True)
    found = sorted(join_anchors(*anchors, length).tolist())
    totals = []
    for i, (s, c, n) in enumerate(found):
        overlaps = [max(a + m - s, b + m - c, 0) for a, b, m in found[:i]]
        follows = [a < s and b < c for a, b, _ in found[:i]]
        longer = [totals[j] - overlaps[j] for j in range(i) if follows[j] and overlaps[j] < n]
        totals.append(n + max([0, *longer]))
    return max(totals, default=0)


def test_a_large_gap_is_divided_by_anchors_of_its_own(monkeypatch):
    monkeypatch.setattr(token_matches, "_MAX_CELLS", 20)
    block, ends = [*range(14), 70], [*range(30, 40), 71]
    page = [*block, *ends, *block]
    found = _align(page, [*ends, *block])
    assert found[len(block) :] == list(range(len(ends) + len(block)))


def test_texts_that_repeat_one_word_are_not_aligned_if_they_are_long():
    assert max(_align([1] * 200, [1] * 100)) == 99
    assert set(_align([1] * 200_000, [1] * 100_000)) == {-1}  # a table of 20 GB


def _find_shuffled(n):
    page = np.arange(n)
    clean = np.random.default_rng(0).permutation(page.reshape(-1, 6)).ravel()
    return token_matches._find_matches(page, clean, 4)


def test_many_anchors_in_another_order_are_chained_in_nearly_linear_time():
    assert len(_find_shuffled(12_000)) > 50
    small, large = (count_steps(_find_shuffled, n) for n in (1_200, 6_000))
    assert large < 10 * small  # 25 times if it were quadratic


def test_a_page_that_uses_up_its_budget_keeps_its_anchors(monkeypatch):
    monkeypatch.setattr(token_matches, "_BUDGET", 0)
    page = [*range(10), 50, 51, *range(20, 30)]
    clean = [*range(10), 51, 50, *range(20, 30)]
    assert _align(page, clean) == [*range(10), -1, -1, *range(12, 22)]
