"""The words in the names that pages use."""

from __future__ import annotations

from scrapy_web2text.page.reader import hash_name


def test_names_are_split_into_words():
    words = hash_name("camelCase kebab-case snake_case 42")
    assert words == hash_name("camel case kebab case snake case")
    assert len(words) == 6
    assert hash_name("HTMLPage") == hash_name("html page")
    assert hash_name("") == []


def test_only_the_beginning_of_a_long_name_counts():
    assert len(hash_name("w " * 1000)) == 12
    assert len(hash_name("word" * 1000)) == 1
    assert hash_name("word" * 1000) == hash_name("word" * 50)
