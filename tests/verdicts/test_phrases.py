"""The tables of phrases and marks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scrapy_web2text.verdicts import phrases
from scrapy_web2text.verdicts.phrases import bare, count_phrases, fold, read_tables

FOLDER = Path(phrases.__file__).parent
N_BARS = (FOLDER / "phrases.txt").read_text(encoding="utf-8").count(" | ")
N_BARS_AT_ENDS = (FOLDER / "phrases.txt").read_text(encoding="utf-8").count(" |\n")
PHRASES = ("_HEADINGS", "_SENTENCES", "_WORDS")


def test_entries_are_as_the_texts_that_they_are_compared_with():
    tables = read_tables()
    assert sum(map(len, tables.values())) == N_BARS + N_BARS_AT_ENDS + len(tables)  # all of a table are different
    for name, table in tables.items():
        assert len(table) > 50 or not name.endswith(PHRASES)
        assert [entry for entry in table if len(entry) < 2 or fold(entry) != entry] == []
        assert [entry for entry in table if name.endswith("_HEADINGS") and bare(entry) != entry] == []


def test_the_tables_that_the_rules_name_are_those_of_the_file():
    sources = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py"))
    assert {*re.findall(r"\bphrases\.([A-Z]\w+)", sources), "ACCOUNT_HEADINGS"} == {*read_tables()}
    with pytest.raises(AttributeError, match="no attribute 'OTHER'"):
        _ = phrases.OTHER


def test_texts_are_folded_and_headings_bared():
    assert fold("  You’re\nNOT a  Bot ") == "you're not a bot"
    assert bare("» 404 – Not found!") == "404 – not found".replace("not", "Not")
    assert count_phrases("we use cookies", frozenset({"cookie", "use", "consent"})) == 2
