from __future__ import annotations

import pytest

from scrapy_web2text.content.links import find_base, has_allowed_scheme, join_url
from scrapy_web2text.page.parse import to_tree


@pytest.mark.parametrize(
    ("head", "url", "expected"),
    [
        ("", None, None),
        ("", "http://a.org/b", "http://a.org/b"),
        ("<base href='/c/'>", "http://a.org/b", "http://a.org/c/"),
        ("<base href='http://c.org/'>", None, "http://c.org/"),
        ("<base href='http://[::1'>", "http://a.org/b", "http://a.org/b"),
        ("<base target=_top>", "http://a.org/b", "http://a.org/b"),
    ],
)
def test_the_base_element_comes_before_the_url_of_the_page(head, url, expected):
    assert find_base(to_tree(f"<html><head>{head}</head><body>a</body></html>"), url) == expected


@pytest.mark.parametrize(
    ("base", "url", "expected"),
    [
        ("https://a.org/b/", "c d", "https://a.org/b/c%20d"),
        (None, "c", "c"),
        ("https://a.org/", "http://[::1", None),
    ],
)
def test_urls_are_joined_and_escaped_where_that_is_possible(base, url, expected):
    assert join_url(base, url) == expected


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [("https://a.org/", True), ("MAILTO:a@b.org", True), ("/a:b", True), ("c", True), ("javascript:x", False)],
)
def test_links_are_kept_by_their_scheme(url, is_allowed):
    assert has_allowed_scheme(url) == is_allowed
