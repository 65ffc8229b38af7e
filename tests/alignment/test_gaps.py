from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.alignment import gaps
from scrapy_web2text.alignment.gaps import Gap, divide

WHOLE = Gap(0, 10, 0, 8)


def finder(*answers):
    """Return a function that finds the matches of *answers*, by gap and length of anchors, and none elsewhere."""
    known = {(gap, length): matches for gap, length, matches in answers}
    asked = []

    def find(gap, length):
        asked.append((gap, length))
        return np.array(known.get((gap, length), []), dtype=np.int64).reshape(-1, 3)

    return find, asked


def test_gaps_lie_before_between_and_after_matches():
    find, _ = finder((WHOLE, 4, [(1, 1, 4), (6, 6, 1)]))
    matches, parts = divide(WHOLE, find, (4, 8), max_cells=100)
    assert matches.tolist() == [[1, 1, 4], [6, 6, 1]]
    assert sorted(parts) == [Gap(0, 1, 0, 1), Gap(5, 6, 5, 6), Gap(7, 10, 7, 8)]


def test_a_gap_without_text_on_both_sides_is_left_out():
    find, _ = finder((WHOLE, 4, [(0, 2, 3), (3, 5, 3)]))
    assert divide(WHOLE, find, (4,), max_cells=100)[1] == []


def test_a_large_gap_is_divided_again_and_counted_from_the_whole():
    rest = Gap(4, 10, 4, 8)
    find, asked = finder((WHOLE, 4, [(0, 0, 4)]), (rest, 4, [(1, 2, 1)]))
    matches, parts = divide(WHOLE, find, (4, 8), max_cells=20)
    assert matches.tolist() == [[0, 0, 4], [5, 6, 1]]
    assert sorted(parts) == [Gap(4, 5, 4, 6), Gap(6, 10, 7, 8)]
    assert asked == [(WHOLE, 4), (rest, 4)]


@pytest.mark.parametrize(("max_cells", "n_lengths"), [(100, 1), (10, 3)], ids=["small", "large"])
def test_longer_anchors_are_tried_where_a_large_gap_has_no_match(max_cells, n_lengths):
    find, asked = finder()
    matches, parts = divide(WHOLE, find, (4, 8, 16), max_cells)
    assert matches.shape == (0, 3)
    assert parts == [WHOLE]
    assert asked == [(WHOLE, length) for length in (4, 8, 16)[:n_lengths]]


def test_dividing_ends_after_some_rounds(monkeypatch):
    monkeypatch.setattr(gaps, "_MAX_ROUNDS", 3)
    matches, parts = divide(Gap(0, 50, 0, 50), lambda *_: np.array([[0, 0, 1]]), (4,), max_cells=0)
    assert matches.tolist() == [[0, 0, 1], [1, 1, 1], [2, 2, 1]]
    assert parts == [Gap(3, 50, 3, 50)]
