from __future__ import annotations

import time
from urllib.parse import quote, urljoin

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from w3lib.url import safe_url_string

from scrapy_web2text.crawl.addresses import read_address
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.urls import find_base, join_url, web_url


@pytest.mark.parametrize(
    ("head", "url", "expected"),
    [
        ("", None, None),
        ("", "http://a.org/b", "http://a.org/b"),
        ("<base href='/c/'>", "http://a.org/b", "http://a.org/c/"),
        ("<base href='http://c.org/'>", None, "http://c.org/"),
        ("<base href='http://[::1'>", "http://a.org/b", "http://a.org/b"),
        ("<base target=_top>", "http://a.org/b", "http://a.org/b"),
        (f"<base href='/{'c' * 287}'>", "http://a.org/b", f"http://a.org/{'c' * 287}"),
        (f"<base href='/{'c' * 288}'>", "http://a.org/b", "http://a.org/b"),
        (f"<base href='/{'c' * 5000}'>", None, None),
    ],
)
def test_the_base_element_comes_before_the_url_of_the_page(head, url, expected):
    assert find_base(to_tree(f"<html><head>{head}</head><body>a</body></html>").iter("base"), url) == expected


@pytest.mark.parametrize(
    ("base", "url", "expected"),
    [
        ("https://a.org/b/", "c d", "https://a.org/b/c%20d"),
        (None, "c", "c"),
        ("https://a.org/", "http://[::1", None),
        ("https://a.org/", "http:// b.org/c", None),
        ("https://a.org/", 100_000 * "c", "https://a.org/" + 100_000 * "c"),
        ("https://a.org/", 100_001 * "c", None),  # to join a URL takes many times its size
    ],
)
def test_urls_are_joined_and_escaped_where_that_is_possible(base, url, expected):
    assert join_url(base, url) == expected


LONG_HOSTS = {
    "chinese": "".join(chr(0x4E00 + i) for i in range(20_000)),  # each of them is another one: 70 s to encode
    "ligatures": "\ufdfa" * 33_000,  # each stands for 18 letters: 6 s to encode
    "many-labels": "\u00e9." * 40_000,
    "label": "\u4e00" * 64,
    "split": "\u4e00" * 64 + "\u3002org",
    "ascii": f"{'a' * 64}.org",
    "user": f"me:secret@{'a' * 64}.org:80",
}


@pytest.mark.parametrize("host", LONG_HOSTS.values(), ids=LONG_HOSTS)
@pytest.mark.parametrize("start", ["http://", "//", " HTTPS://", "ht\ntp:/\t/"])
def test_a_url_whose_host_is_too_long_for_one_is_escaped_as_it_is_in_no_time(host, start):
    begin = time.thread_time()
    joined = join_url("http://a.org/b", f"{start}{host}/\u00e9 {{}}?c=%20")
    assert time.thread_time() - begin < 0.5
    assert joined.endswith(f"{quote(host, safe=':@')}/%C3%A9%20%7B%7D?c=%20")
    assert read_address(f"http://{host}/") is None
    assert time.thread_time() - begin < 1


@pytest.mark.parametrize("host", LONG_HOSTS.values(), ids=LONG_HOSTS)
def test_links_are_not_relative_to_a_host_that_is_too_long(host):
    begin = time.thread_time()
    assert join_url(f"http://{host}/b/", "\u00e9") == "%C3%A9"
    assert time.thread_time() - begin < 0.5


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"http://{'a' * 63}.org/", f"http://{'a' * 63}.org/"),
        (f"http://{'a' * 63}:8080/", f"http://{'a' * 63}:8080/"),
        (f"http://{'a' * 80}@b.org/", f"http://{'a' * 80}@b.org/"),
        (f"/{'a' * 80}/\u00e9", f"http://a.org/{'a' * 80}/%C3%A9"),
        ("http://b\u00fccher.org/", "http://xn--bcher-kva.org/"),
    ],
)
def test_hosts_that_are_just_short_enough_are_encoded(url, expected):
    assert join_url("http://a.org/", url) == expected


BASES = [None, "", "http://a-b.org/c/d?e#f", "https://a.org", "http://a.org?b=/..", "http://a.org:80/", "HTTP://a.org/"]
PIECES = [*"/?#&=.aZ9-_~;:,+@ é[%", "//", "..", "./", "http://", "https://", "b.org", "xn--a.org/", ":80", "%20", "\n"]


@given(
    base=st.sampled_from([*BASES, "http://a.b/c/../d", "http://[", "mailto:a", "/b"]),
    start=st.sampled_from(["", "/", "http://b.org/", "https://www.b-c.org/"]),
    rest=st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
)
@example(base="http://[", start="http://b.org/", rest="a")
@example(base="http://a.org/", start="/", rest="/b")
@example(base="http://a.org/", start="/", rest="a/../b")
def test_plain_urls_are_joined_as_all_others_are(base, start, rest):
    url = start + rest
    try:
        expected = safe_url_string(urljoin(base, url) if base else url)
    except ValueError:
        expected = None
    assert join_url(base, url) == expected


@pytest.mark.parametrize(
    ("base", "url", "expected"),
    [
        (None, "https://a.org/b?c=d&e#f", "https://a.org/b?c=d&e#f"),
        (None, "HTTPS://a.org/é", "HTTPS://a.org/é"),
        ("https://a.org/b/", "../c", "https://a.org/c"),
        ("https://a.org/b/", "//c.org", "https://c.org"),
        ("https://a.org/", "c d<e>", "https://a.org/c%20d%3Ce%3E"),
        (None, "https://a.org/c\x9bd\x85", "https://a.org/c%C2%9Bd%C2%85"),
        (None, "/c", None),
        (None, "//c.org", None),
        ("https://a.org/", "javascript:alert(1)", None),
        ("https://a.org/", " JavaScript:alert(1)", None),
        ("https://a.org/", "java\nscript:alert(1)", None),
        ("https://a.org/", "\x01javascript:alert(1)", None),
        ("https://a.org/", "data:text/html,x", None),
        ("https://a.org/", "file:///etc/passwd", None),
        ("https://a.org/", "mailto:a@b.org", None),
        ("file:///a/b.html", "c", None),
        ("javascript:a", "b", None),
        (None, "http://", None),
        (None, "https:///a", None),
        (None, "http://[::1", None),
    ],
)
def test_only_web_urls_lead_to_another_page(base, url, expected):
    assert web_url(base, url) == expected
