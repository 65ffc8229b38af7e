from __future__ import annotations

import pytest

from scrapy_web2text.features.characters import count_tokens
from scrapy_web2text.research.words import split_name, split_texts, subwords, without_stopwords


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("story-feed_item", ("story", "feed", "item")),
        ("ScrollSpy_container w-100", ("scroll", "spy", "container", "w")),
        ("Article_Column--main HTMLBody", ("article", "column", "main", "html", "body")),
        ("navBtn2", ("navigation", "button")),
        (" 12 ", ("12",)),
        ("меню", ("меню",)),
    ],
)
def test_names_are_split_into_words(name, expected):
    assert split_name(name) == expected


def test_texts_are_split_into_the_tokens_of_the_features():
    texts = ["The US-president, 20% off.", "Öl 漢字", "…"]
    words = split_texts(texts)
    assert words == [["the", "us", "president", "20", "off"], ["öl", "漢", "字"], []]
    assert [len(found) for found in words] == count_tokens(texts).tolist()


def test_letters_that_become_two_in_lower_case_shift_no_word():
    assert split_texts(["İstanbul Word"]) == [["İstanbul", "Word"]]


def test_stopwords_are_dropped_before_words_are_counted():
    assert without_stopwords(["the", "river", "and", "its", "valley", "hill"], 2) == ["river", "valley"]
    assert without_stopwords(["the", "river"], 2) == ["river"]


def test_words_that_share_parts_share_vectors():
    one, other, foreign = (set(subwords(word, 1 << 20)) for word in ("headline", "headlines", "zzzq"))
    assert len(one & other) > 10
    assert not one & foreign
    assert len(subwords("ab", 1 << 20)) == len({"<ab>", "<ab", "ab>"})  # the whole and its runs of three
    assert all(0 <= part < 7 for part in subwords("headline", 7))
