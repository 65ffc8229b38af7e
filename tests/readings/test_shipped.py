"""The readings in the repository."""

from __future__ import annotations

import pytest
from places import MODELS

from scrapy_web2text.readings.files import read_readings

KINDS = {"content", "login", "contact", "error", "empty", "shell"}


@pytest.mark.parametrize(("name", "n_pages"), [("readings.jsonl.xz", 1648), ("second.jsonl.xz", 60)])
def test_the_readings_are_complete_and_hold_no_text(name, n_pages):
    readings = read_readings(MODELS / "readings" / name)
    assert len(readings) == n_pages
    assert {reading.kind for reading in readings.values()} <= KINDS
    assert all(reading.reader for reading in readings.values())
    assert all(len(digits) == 10 for reading in readings.values() for digits in reading.hashes)


def test_second_readings_are_of_pages_that_have_a_first_one():
    first, second = (read_readings(MODELS / "readings" / f"{name}.jsonl.xz") for name in ("readings", "second"))
    assert second.keys() <= first.keys()
    assert all(first[key].hashes[:1] == second[key].hashes[:1] for key in second)
