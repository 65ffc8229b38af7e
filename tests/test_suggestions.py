from __future__ import annotations

import pytest

from scrapy_web2text.common.suggestions import did_you_mean, find_similar, suggest

KNOWN = ("threshold", "min_confidence", "blocks")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("treshold", "threshold"),
        ("Threshold", "threshold"),
        ("min-confidence", "min_confidence"),
        ("minconfidence", "min_confidence"),
        ("_blocks_", "blocks"),
        ("speed", None),
        ("", None),
        (3, None),
    ],
)
def test_the_most_similar_name_is_found(name, expected):
    assert find_similar(name, KNOWN) == expected


def test_a_name_must_be_as_similar_as_is_asked():
    assert find_similar("treshol", KNOWN, 0.85) == "threshold"
    assert find_similar("treshol", KNOWN, 0.95) is None


def test_the_hint_names_each_similar_name_once():
    assert did_you_mean(["treshold", "thresold", "speed", "block"], KNOWN) == " (did you mean threshold, blocks?)"
    assert did_you_mean(["speed"], KNOWN) == ""
    assert did_you_mean([], iter(KNOWN)) == ""


@pytest.mark.parametrize(
    ("names", "end"),
    [
        (["treshold"], " (did you mean threshold?)"),
        (["treshold", "speed"], f" (did you mean threshold?); expected some of {', '.join(KNOWN)}"),
        (["speed"], f"; expected some of {', '.join(KNOWN)}"),
    ],
)
def test_all_names_are_listed_only_if_a_name_is_like_none(names, end):
    assert suggest(iter(names), iter(KNOWN)) == end


def test_only_the_beginning_of_a_long_name_is_compared():
    assert find_similar("x" * 100 + "y" * 900, ["x" * 100]) == "x" * 100
