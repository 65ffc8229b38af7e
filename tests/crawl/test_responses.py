from __future__ import annotations

import gc

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from scrapy_web2text.crawl.responses import ResponseFinder

URL = "http://example.com/page"


@pytest.fixture
def finder() -> ResponseFinder:
    return ResponseFinder()


def test_an_item_that_was_added_has_its_response(finder):
    first, second = HtmlResponse(URL), HtmlResponse(URL)
    items = [{}, {}, {}]
    for item, response in zip(items, (first, second, first), strict=True):
        finder.add_item(item, response)
    assert [finder.remove_item(item) for item in items] == [first, second, first]


def test_an_added_item_is_found_only_once(finder):
    item, response = {}, HtmlResponse(URL)
    finder.add_item(item, response)
    finder.remove_item(item)
    assert finder.remove_item(item) is None


def test_an_item_that_was_added_several_times_is_found_that_often(finder):
    item, first, second = {}, HtmlResponse(URL), HtmlResponse(URL)
    for response in (first, first, second):
        finder.add_item(item, response)
    assert [finder.remove_item(item) for _ in range(2)] == [second, None]
    finder.add_item(item, first)
    finder.add_item(item, first)
    found = [finder.remove_item(item) for _ in range(5)]
    assert found[:2] == [first, first]
    assert found[-1] is None
    assert set(map(len, finder._items.values())) == {0}


def test_an_equal_item_is_not_the_same(finder):
    response = HtmlResponse(URL)
    finder.add_item({"a": 1}, response)
    assert finder.remove_item({"a": 1}) is None


def test_an_id_is_not_given_to_another_item_while_the_response_lives(finder):
    response = HtmlResponse(URL)
    for _ in range(100):
        finder.add_item({}, response)  # dropped at once by its owner
        assert finder.remove_item({}) is None


def test_nothing_is_kept_of_a_response_that_is_freed(finder):
    response = HtmlResponse(URL, request=Request(URL))
    finder.add_response(response)
    for n in range(3):
        finder.add_item({"n": n}, response)
    del response
    gc.collect()
    assert finder.find_by_url(URL) is None
    assert [len(table) for table in (finder._by_url, finder._by_item_id, finder._items)] == [0, 0, 0]


@pytest.mark.parametrize("url", [URL, URL + "#part", "http://example.com/asked"])
def test_a_response_is_found_by_its_url_and_by_that_of_its_request(finder, url):
    response = HtmlResponse(URL, request=Request("http://example.com/asked"))
    finder.add_response(response)
    assert finder.find_by_url(url) is response


def test_the_newest_response_of_a_url_wins(finder):
    responses = [HtmlResponse(URL), HtmlResponse(URL)]
    for response in responses:
        finder.add_response(response)
    assert finder.find_by_url(URL) is responses[1]


def test_an_unknown_url_has_no_response(finder):
    assert finder.find_by_url(URL) is None
