"""Which URLs are those of a response."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from scrapy_web2text.crawl.addresses import find_host, is_own_url, read_address


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.Example.org:8080/a", "example.org"),
        ("http://example.org./", "example.org"),
        ("http://[::1]/", "::1"),
        ("/relative", None),
        ("urn:x", None),
        ("http://[broken", None),
        ("http:///a", None),
    ],
)
def test_the_host_of_a_url(url, host):
    assert find_host(url) == host


PAGE = "https://example.org/a/story?id=1&p=2"
SAME = [
    "http://example.org/a/story?id=1&p=2",
    "https://www.example.org/a/story?id=1&p=2",
    "https://EXAMPLE.org:443/a/story?id=1&p=2",
    "https://example.org/a/story/?p=2&id=1#comments",
    "https://example.org/a/story?id=1&p=2&utm_source=x&fbclid=y",
    "https://m.example.org/a/story?id=1&p=2",
    "/a/story?id=1&p=2",
    "story?p=2&id=1",
    " https://example.org/a/story?id=1&p=2 ".strip(),
]
OTHER = [
    "https://example.org/a/story",
    "https://example.org/a/story?id=2&p=2",
    "https://example.org/b/story?id=1&p=2",
    "https://example.com/a/story?id=1&p=2",
    "https://example.org.evil.com/a/story?id=1&p=2",
    "https://notexample.org/a/story?id=1&p=2",
    "https://example.org:8080/a/story?id=1&p=2",
    "/",
    "../b",
    "other",
]
NO_PAGE = ["isbn 12", "http://[broken", "mailto:a@example.org", "urn:x:1"]


def respond(url: str, body: bytes = b"<p>x", **meta: object) -> HtmlResponse:
    return HtmlResponse(url, body=body, request=Request(url, meta=meta))


@pytest.mark.parametrize("url", SAME)
def test_a_url_of_the_same_page_is_that_of_the_response(url):
    assert is_own_url(url, respond(PAGE))


@pytest.mark.parametrize("url", OTHER)
def test_a_url_of_another_page_is_not(url):
    assert not is_own_url(url, respond(PAGE))


@pytest.mark.parametrize("url", NO_PAGE)
def test_what_is_not_the_url_of_a_page_says_nothing(url):
    assert is_own_url(url, respond(PAGE))


def test_redirects_and_the_request_name_the_page_too():
    response = HtmlResponse(
        "https://new.test/1",
        request=Request("https://asked.test/1", meta={"redirect_urls": ["https://short.test/1", "https://old.test/1"]}),
    )
    urls = [f"https://{host}.test/1" for host in ("new", "asked", "short", "old")]
    assert all(is_own_url(url, response) for url in urls)
    assert not is_own_url("https://other.test/1", response)
    assert is_own_url("https://b.test/", HtmlResponse("https://b.test/"))


@pytest.mark.parametrize(
    "address",
    [
        "https://render.test/?url=https%3A%2F%2FExample.org%2Fa%2Fstory",
        "https://archive.test/web/2020/https://example.org/a/story",
        "https://archive.test/web/2020/http:/example.org/a/story",
        "http://127.0.0.1:8050/render.html?wait=1&url=http://www.example.org/a/story",
    ],
)
def test_services_that_render_or_archive_pages_have_the_url_in_theirs(address):
    assert is_own_url("https://example.org/a/story", respond(address))
    assert not is_own_url("https://example.org/a/other", respond(address))


STATED = b'<link rel=canonical href="/stories/7"><meta property="og:url" content="https://example.org/s/seven"><p>x'


def test_a_page_says_what_its_url_is_on_the_same_host():
    response = respond("https://example.org/?p=7", STATED)
    assert is_own_url("https://example.org/stories/7", response)
    assert is_own_url("https://www.example.org/s/seven", response)
    assert not is_own_url("https://example.org/stories/8", response)


@pytest.mark.parametrize("url", ["https://example.org/", "https://example.com/stories/7"])
def test_a_home_page_and_another_host_are_not_what_a_page_is(url):
    body = f'<link rel=canonical href="{url}"><p>x'.encode()
    assert not is_own_url(url, respond("https://example.org/list", body))


def test_a_response_that_is_no_html_says_nothing():
    assert not is_own_url("/other", respond("https://example.org/list", b"%PDF-1.7"))


def test_an_address_is_none_without_a_host():
    assert [read_address(url) for url in ("", "/a", "urn:x", "http:///a", "ftp://a.b/c")] == [None] * 5
