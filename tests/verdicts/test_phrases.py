"""The tables of phrases and of vendors' marks."""

from __future__ import annotations

import pytest

from scrapy_web2text.verdicts import phrases, vendors
from scrapy_web2text.verdicts.phrases import bare, count_phrases, fold

TABLES = {name: getattr(phrases, name) for name in phrases.__all__ if name.isupper()}
MARKS = {name: getattr(vendors, name) for name in vendors.__all__ if not hasattr(getattr(vendors, name), "search")}


@pytest.mark.parametrize("name", TABLES)
def test_phrases_are_as_the_texts_that_they_are_compared_with(name):
    assert len(TABLES[name]) > 50
    assert [phrase for phrase in TABLES[name] if name != "ACCOUNT_PARTS" and fold(phrase) != phrase] == []
    assert [phrase for phrase in TABLES[name] if len(phrase) < 2] == []


@pytest.mark.parametrize("name", [name for name in TABLES if name.endswith("HEADINGS")])
def test_headings_have_no_marks_around_them(name):
    assert [phrase for phrase in TABLES[name] if bare(phrase) != phrase] == []


@pytest.mark.parametrize("name", MARKS)
def test_marks_are_in_lower_case_and_different(name):
    marks = list(MARKS[name])
    assert marks == [mark.lower() for mark in marks]
    assert len({*marks}) == len(marks)


def test_texts_are_folded_and_headings_bared():
    assert fold("  You’re\nNOT a  Bot ") == "you're not a bot"
    assert bare("» 404 – Not found!") == "404 – not found".replace("not", "Not")
    assert count_phrases("we use cookies", ("cookie", "use", "consent")) == 2
