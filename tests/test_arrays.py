"""The operations on arrays that many rooms share, against loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.common.arrays import mark_changes, sum_spans

values = st.lists(st.integers(-3, 3), max_size=12)


@given(values, st.data())
def test_sums_over_spans_are_those_of_slices(numbers, data):
    positions = st.integers(0, len(numbers))
    spans = data.draw(st.lists(st.tuples(positions, positions).map(sorted), max_size=4))
    starts, stops = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    array = np.array(numbers, dtype=np.int64)
    expected = [sum(numbers[start:stop]) for start, stop in spans]
    assert sum_spans(array, starts, stops).tolist() == expected
    assert sum_spans(np.stack([array, -array]), starts, stops).tolist() == [expected, [-each for each in expected]]
    assert sum_spans(array > 0, starts, stops).tolist() == [sum(n > 0 for n in numbers[a:b]) for a, b in spans]


@given(values)
def test_a_value_is_a_change_if_it_is_the_first_or_unlike_the_one_before(numbers):
    changes = mark_changes(np.array(numbers, dtype=np.int64)).tolist()
    assert changes == [i == 0 or numbers[i] != numbers[i - 1] for i in range(len(numbers))]
