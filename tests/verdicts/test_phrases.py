"""The tables of phrases and marks, and the search for all sentences at once, against one search for each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.verdicts import phrases
from scrapy_web2text.verdicts.phrases import bare, count_phrases, find_sentences, fold, list_sentences, read_tables

FOLDER = Path(phrases.__file__).parent
N_BARS = (FOLDER / "phrases.txt").read_text(encoding="utf-8").count(" | ")
N_BARS_AT_ENDS = (FOLDER / "phrases.txt").read_text(encoding="utf-8").count(" |\n")
PHRASES = ("_HEADINGS", "_SENTENCES", "_WORDS")
SENTENCES = list_sentences()
# Sentences, pieces of them, and other characters.
PIECES = st.one_of(
    st.sampled_from(SENTENCES),
    st.builds(
        lambda sentence, start, size: sentence[start : start + size],
        st.sampled_from(SENTENCES),
        *[st.integers(0, 9)] * 2,
    ),
    st.text(max_size=3),
)


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
    assert count_phrases("we use cookies", ("cookie", "use", "consent")) == 2


@given(text=st.lists(PIECES, max_size=8).map("".join))
def test_the_sentences_that_are_found_are_those_that_occur(text):
    assert find_sentences(text) == {sentence for sentence in SENTENCES if sentence in text}


def test_every_sentence_is_found_within_others():
    assert [sentence for sentence in SENTENCES if sentence not in find_sentences(f"x{sentence}y")] == []
