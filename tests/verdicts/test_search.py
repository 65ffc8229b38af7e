"""The search for all sentences of walls at once, against one search for each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.verdicts.search import SENTENCES, find_sentences

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


@given(text=st.lists(PIECES, max_size=8).map("".join))
def test_the_sentences_that_are_found_are_those_that_occur(text):
    assert find_sentences(text) == {sentence for sentence in SENTENCES if sentence in text}


def test_every_sentence_is_found_within_others():
    for sentence in SENTENCES:
        assert sentence in find_sentences(f"x{sentence}y")
