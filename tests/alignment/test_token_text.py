from __future__ import annotations

import pytest

from scrapy_web2text.alignment.tokens import read_tokens


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Two words", "two, WORDS!"),
        ("soft\u00adhyphen", "softhyphen"),
        ("ﬁne", "fine"),
        ("１２", "12"),
        ("word3", "word 3"),
        ("snake_case", "snake case"),
        ("日本語", "日 本 語"),
        ("", " … "),
    ],
    ids=["case and marks", "soft hyphen", "ligature", "wide digits", "footnote", "underscore", "no spaces", "none"],
)
def test_texts_that_read_alike_have_the_same_tokens(text, other):
    numbers: dict[str, int] = {}
    assert read_tokens([text], numbers).tokens.tolist() == read_tokens([other], numbers).tokens.tolist()


def test_other_words_have_other_tokens():
    first, second, third = read_tokens(["a b a"], {}).tokens.tolist()
    assert first == third != second


def test_tokens_are_counted_by_text():
    text = read_tokens(["one two", "—", "three"], {})
    assert text.counts.tolist() == [2, 0, 1]
    assert text.owners.tolist() == [0, 0, 2]
    assert text.count(text.tokens != 1).tolist() == [1, 0, 1]


def test_an_empty_list_of_texts_has_no_tokens():
    assert not len(read_tokens([], {}).tokens)
