from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.alignment.chains import find_heaviest_chain

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


def test_stretches_that_touch_make_a_chain():
    assert find_chain([(3, 4, 2, 1, 1), (0, 0, 3, 4, 1)]) == [1, 0]


def test_of_chains_that_end_together_the_heavier_is_continued():
    assert find_chain([(0, 3, 3, 3, 3), (5, 0, 6, 6, 6), (20, 10, 3, 3, 3)]) == [1, 2]


def test_of_equally_heavy_chains_the_one_that_ends_first_in_the_second_text_is_continued():
    assert find_chain([(0, 5, 2, 2, 2), (3, 1, 2, 2, 2), (9, 9, 1, 1, 1)]) == [1, 2]


def test_of_equally_heavy_chains_the_first_is_returned():
    assert find_chain([(0, 5, 2, 2, 2), (3, 1, 2, 2, 2)]) == [0]
