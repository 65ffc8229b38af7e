from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from scrapy_web2text.crawl.hosts import find_host, has_foreign_host


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


def is_foreign(item_url: str, response_url: str, **meta) -> bool:
    return has_foreign_host(item_url, HtmlResponse(response_url, request=Request(response_url, meta=meta)))


@pytest.mark.parametrize(
    ("item_url", "response_url"),
    [
        ("https://example.com/1", "https://example.org/list"),
        ("https://news.example.org/1", "https://blog.example.org/list"),
        ("https://x.com/1", "https://netflix.com/list"),
        ("https://example.org.evil.com/", "https://example.org/"),
    ],
)
def test_another_host_is_foreign(item_url, response_url):
    assert is_foreign(item_url, response_url)


@pytest.mark.parametrize(
    ("item_url", "response_url"),
    [
        ("https://example.org/", "https://example.org/"),
        ("http://example.org/a", "https://example.org:443/b"),
        ("https://example.org/a", "https://www.example.org/a"),
        ("https://www.example.org/a", "https://m.example.org/a"),
        ("https://shop.example.org/a", "https://example.org/list"),
        ("https://müller.de/a", "https://xn--mller-kva.de/b"),
        ("https://example.org/a", "https://render.test/?url=https%3A%2F%2FExample.org%2Fa"),
        ("https://example.org/a", "https://archive.test/web/2020/https://example.org/a"),
        ("/a", "https://example.org/"),
        ("", "https://example.org/"),
        ("isbn 12", "https://example.org/"),
        ("http://[broken", "https://example.org/"),
    ],
)
def test_the_same_site_and_no_host_are_not_foreign(item_url, response_url):
    assert not is_foreign(item_url, response_url)


def test_hosts_of_redirects_are_not_foreign():
    redirects = ["https://short.test/1", "https://old.test/1"]
    assert not is_foreign("https://old.test/1", "https://new.test/1", redirect_urls=redirects)
    assert is_foreign("https://other.test/1", "https://new.test/1", redirect_urls=redirects)
    assert is_foreign("https://other.test/1", "https://new.test/1", redirect_urls=None)


def test_a_response_without_a_request_has_a_host():
    assert has_foreign_host("https://a.test/", HtmlResponse("https://b.test/"))
