from __future__ import annotations

from scrapy_web2text.editor.order import Standing, order_pages


def test_unsure_pages_are_first_then_sites_take_turns():
    pages = [
        Standing(0.99, "a"),
        Standing(0.95, "a"),
        Standing(0.97, "b"),
        Standing(0.3, "a"),
        Standing(-1.0, "b"),
        Standing(0.98, "c"),
    ]
    assert order_pages(pages) == [4, 3, 5, 1, 2, 0]


def test_sites_with_labeled_pages_wait():
    pages = [Standing(0.95, "a"), Standing(0.96, "b"), Standing(0.2, "a", is_done=True)]
    assert order_pages(pages) == [1, 0, 2]


def test_pages_of_another_reader_are_first():
    assert order_pages([Standing(0.1), Standing(0.9, is_compared=True)]) == [1, 0]
