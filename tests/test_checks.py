from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from scrapy_web2text.common.checks import (
    FLAG,
    FRACTION,
    NOT_NEGATIVE,
    POSITIVE,
    POSITIVE_WHOLE,
    SHARE,
    TEXT,
    is_whole,
    number_from,
    one_of,
    one_or_more,
)

VALUES = [
    *(None, True, False, "", " ", "a", "0.5", b"a", (), ("a",), ["a", "b"], ("a", 1)),
    *(-1, 0, 1, 2, 0.0, 0.5, 1.0, 1.5, -0.1, math.nan, math.inf, -math.inf),
    *(np.int64(1), np.float32(0.5), Fraction(1, 2), np.nan, 10**30, [0.5]),
]


@pytest.mark.parametrize(
    ("rule", "allowed"),
    [
        (FRACTION, [0.5, np.float32(0.5), Fraction(1, 2)]),
        (SHARE, [0, 1, 0.0, 0.5, 1.0, np.int64(1), np.float32(0.5), Fraction(1, 2)]),
        (number_from(1, 2), [1, 2, 1.0, 1.5, np.int64(1)]),
        (POSITIVE, [1, 2, 0.5, 1.0, 1.5, np.int64(1), np.float32(0.5), Fraction(1, 2), 10**30]),
        (NOT_NEGATIVE, [0, 1, 2, 0.0, 0.5, 1.0, 1.5, np.int64(1), np.float32(0.5), Fraction(1, 2), 10**30]),
        (POSITIVE_WHOLE, [1, 2, np.int64(1), 10**30]),
        (POSITIVE_WHOLE.or_none, [None, 1, 2, np.int64(1), 10**30]),
        (FLAG, [True, False]),
        (TEXT, ["a", "0.5"]),
        (one_of("a", ""), ["a", ""]),
        (one_of(None, "a"), ["a", None]),
        (one_or_more(one_of("a", "b"), "some of a and b"), [("a",), ["a", "b"]]),
    ],
    ids=lambda value: getattr(value, "expected", None),
)
def test_a_rule_allows_its_values_and_no_others(rule, allowed):
    def key(value: object) -> tuple[str, str]:
        return type(value).__name__, repr(value)

    assert {key(value) for value in VALUES if rule.allows(value)} == {*map(key, allowed)}


def test_an_error_says_what_was_expected():
    with pytest.raises(ValueError, match=r"^expected a whole number above 0 or None, got 1\.5$"):
        POSITIVE_WHOLE.or_none.check(1.5)
    with pytest.raises(ValueError, match=r"^decoder: expected one of 'a', 'b', got 'c'$"):
        one_of("a", "b").check("c", "decoder")


def test_whole_numbers_are_of_a_whole_type():
    assert [value for value in VALUES if is_whole(value)] == [-1, 0, 1, 2, np.int64(1), 10**30]
