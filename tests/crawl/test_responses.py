from __future__ import annotations

import gc

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse, XmlResponse

from scrapy_web2text.crawl.items import read_url
from scrapy_web2text.crawl.responses import ResponseFinder
from scrapy_web2text.page.sniffing import stated_encoding
from scrapy_web2text.sources.responses import skip_reason

PAGE = b"<!DOCTYPE html><html><body><p>Text</p></body></html>"
URL = "http://example.com/page"


def reason(response: Response, max_bytes: int | None = None) -> str | None:
    return skip_reason(response, statuses=range(200, 300), max_bytes=max_bytes)


@pytest.mark.parametrize(
    "response",
    [
        HtmlResponse(URL, body=PAGE),
        HtmlResponse(URL, body=b"<p>no \x00 head</p>"),
        TextResponse(URL, body=b'<html lang="en"><p>sent without a type</p>'),
        XmlResponse(URL, body=b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"></html>'),
        Response(URL, body=PAGE),
        Response(URL, body=b"<!-- " + b"x" * 2_000 + b" --><title>A page</title><p>Text"),
        Response(URL, body=b"<p>Text</p>" + PAGE, headers={"Content-Type": "text/html; charset=utf-8"}),
    ],
    ids=["html", "nul", "no-type", "xhtml", "bytes", "comment-first", "html-by-header"],
)
def test_a_page_is_extracted(response):
    assert reason(response) is None


@pytest.mark.parametrize(
    "response",
    [
        Response(URL, body=b"\x89PNG\r\n\x1a\n"),
        Response(URL, body=PAGE, headers={"Content-Type": "application/octet-stream"}),
        Response(URL, body=b"a text with <b>tags</b>, no page"),
        HtmlResponse(URL, body=b"%PDF-1.7 <html>"),
        HtmlResponse(URL, body=bytes(range(64)) * 16),
        JsonResponse(URL, body=b'{"html": "<html><body></body></html>"}'),
        TextResponse(URL, body=b"%PDF-1.4 all of it ASCII"),
        TextResponse(URL, body=b"htmlx,body\n1,2\n"),
        XmlResponse(URL, body=b"<rss><channel></channel></rss>"),
    ],
    ids=["image", "download", "no-page", "pdf-as-html", "binary-as-html", "json", "pdf-as-text", "csv", "rss"],
)
def test_other_content_is_skipped(response):
    assert reason(response) == "not_html"


@pytest.mark.parametrize(
    ("response", "max_bytes", "expected"),
    [
        (HtmlResponse(URL, body=b""), None, "empty_body"),
        (Response(URL, body=b" \n"), None, "empty_body"),
        *((HtmlResponse(URL, status=status, body=PAGE), None, None) for status in (200, 299)),
        *((HtmlResponse(URL, status=status, body=PAGE), None, "status") for status in (304, 404)),
        (HtmlResponse(URL, body=PAGE), len(PAGE), None),
        (HtmlResponse(URL, body=PAGE), len(PAGE) - 1, "max_bytes"),
    ],
    ids=["empty-html", "empty-octets", "200", "299", "304", "404", "longest", "longer"],
)
def test_the_body_the_status_and_the_length_decide(response, max_bytes, expected):
    assert reason(response, max_bytes) == expected


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (HtmlResponse(URL, body=b"<p>x", encoding="koi8-r"), "koi8-r"),
        (HtmlResponse(URL, body=b"<p>x", headers={"Content-Type": "text/html; charset=windows-1251"}), "cp1251"),
        (HtmlResponse(URL, body="<p>Größe".encode("cp1252")), None),
        (HtmlResponse(URL, body=b'<meta charset="koi8-r"><p>x'), None),
        (Response(URL, body=b"\x00"), None),
    ],
    ids=["given", "header", "guessed-by-scrapy", "declared-by-the-page", "not-text"],
)
def test_the_stated_encoding_is_that_of_the_header_or_of_the_creator_of_the_response(response, expected):
    assert stated_encoding(response) == expected


def test_utf_16_is_html_if_the_header_or_a_mark_says_so():
    text = "Текст страницы <p>Текст страницы"
    headers = {"Content-Type": "text/html; charset=utf-16le"}
    assert reason(HtmlResponse(URL, body=text.encode("utf-16-le"), headers=headers)) is None
    assert reason(HtmlResponse(URL, body=text.encode("utf-16"))) is None
    assert reason(HtmlResponse(URL, body=text.encode("utf-16-le"))) == "not_html"


@pytest.fixture
def finder() -> ResponseFinder:
    return ResponseFinder()


def test_an_item_that_was_added_has_its_response_once(finder):
    first, second = HtmlResponse(URL), HtmlResponse(URL)
    items = [{}, {}, {}]
    for item, response in zip(items, (first, second, first), strict=True):
        finder.add_item(item, response)
    assert [finder.remove_item(item).response for item in items] == [first, second, first]
    assert [finder.remove_item(item) for item in items] == [None, None, None]


def test_an_item_that_was_added_several_times_is_found_that_often(finder):
    item, first, second = {}, HtmlResponse(URL), HtmlResponse(URL)
    for response in (first, first, second):
        finder.add_item(item, response)
    assert finder.remove_item(item).response is second
    assert finder.remove_item(item) is None
    finder.add_item(item, first)
    finder.add_item(item, first)
    found = [finder.remove_item(item) for _ in range(5)]
    assert [each.response for each in found[:2]] == [first, first]
    assert found[-1] is None
    assert set(map(len, finder._items.values())) == {0}


def test_an_equal_item_is_not_the_same_and_gets_no_id_of_another_while_the_response_lives(finder):
    response = HtmlResponse(URL)
    kept = {"a": 1}
    finder.add_item(kept, response)
    assert finder.remove_item({"a": 1}) is None
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
    assert finder.find_page(URL, "no_response").response is None
    assert [len(table) for table in (finder._by_address, finder._by_item_id, finder._items)] == [0, 0, 0]


def test_the_newest_response_is_found_by_its_url_and_by_that_of_its_request(finder):
    urls = [URL, URL + "#part", "http://example.com/asked"]
    assert [finder.find_page(url, "no_response").response for url in urls] == [None, None, None]
    responses = [HtmlResponse(URL, request=Request("http://example.com/asked")) for _ in range(2)]
    for response in responses:
        finder.add_response(response)
        assert all(finder.find_page(url, "no_response").response is response for url in urls)


def test_an_item_keeps_the_urls_that_it_had_when_it_left_the_spider(finder):
    item, response = {"url": "https://a.test/1"}, HtmlResponse(URL)
    for url in ("https://a.test/1", "https://a.test/2"):
        item["url"] = url
        finder.add_item(item, response, read_url(item, "url"))
    item["url"] = "rewritten by a pipeline"
    assert [finder.remove_item(item).url for _ in range(2)] == ["https://a.test/1", "https://a.test/2"]


@pytest.mark.parametrize(
    ("item", "field", "url"),
    [
        ({"url": "/a"}, "url", "/a"),
        ({"url": ["/a"]}, "url", "/a"),
        ({"url": ("/a",)}, "url", "/a"),
        ({"url": []}, "url", None),
        ({"url": ""}, "url", None),
        ({"url": None}, "url", None),
        ({"link": "/a"}, "url", None),
        ({"url": "/a"}, None, None),
        ("no item", "url", None),
    ],
)
def test_the_url_of_an_item_may_be_in_a_list(item, field, url):
    assert read_url(item, field) == url
