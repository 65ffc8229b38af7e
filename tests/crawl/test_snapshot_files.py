from __future__ import annotations

import gzip
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mockserver import SENTENCE, article

from scrapy_web2text import extract
from scrapy_web2text.crawl.snapshot import facts_path, name_page, pack_page, read_url

SAFE = re.compile(r"_?[a-z0-9][a-z0-9.-]{0,99}/[a-z0-9][a-z0-9-]{16,80}\.html\.gz")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.Example.com/News/A%20story.html?id=1", "www.example.com/news-a-20story-html-"),
        ("http://127.0.0.1:8000/", "127.0.0.1/index-"),
        ("http://[::1]/x", "1/x-"),
        ("http://../../etc/passwd", "other/etc-passwd-"),
        ("https://bücher.example/straße", "b-cher.example/stra-e-"),
        ("https://user:secret@x.example/a", "x.example/a-"),
        ("http://[broken/", "other/index-"),
        ("data:text/html,<p>", "other/text-html-p-"),
        ("http://Aux.example/", "_aux.example/index-"),
        ("http://con/", "_con/index-"),
        ("http://console.example/con", "console.example/con-"),
    ],
)
def test_names_are_of_host_and_path(url, expected):
    assert name_page(url).as_posix().startswith(expected)


@given(st.text() | st.from_regex(r"https?://[a-zA-Z.\-/:@%?\[\]\\]*", fullmatch=True))
def test_names_are_safe_for_any_url(url):
    assert SAFE.fullmatch(name_page(url).as_posix())


def test_urls_that_differ_anywhere_have_other_names():
    urls = ["https://x.example/a", "https://x.example/A", "http://x.example/a", "https://x.example/a?b", "x"]
    assert len({*map(name_page, urls)}) == len(urls)


@pytest.mark.parametrize(
    ("encoding", "header", "is_changed"),
    [
        ("utf-8", "utf-8", False),
        ("utf-8", None, False),
        ("iso-8859-2", None, False),
        ("iso-8859-2", "iso-8859-2", True),
        ("iso-8859-2", "utf-8", False),
        ("utf-16", "utf-16", False),
    ],
)
def test_a_page_needs_no_header_to_be_read_again(encoding, header, is_changed):
    body = article(f"{SENTENCE} It is near Łódź.").encode(encoding)
    packed, facts = pack_page("https://x.example/", body, header)
    kept = gzip.decompress(packed)
    assert (kept != body) == is_changed
    assert extract(kept).text == extract(body, encoding=header).text
    assert ("Łódź" in extract(kept).text) == (header == encoding or encoding == "utf-8")
    assert json.loads(facts) == {"url": "https://x.example/"}


@pytest.mark.parametrize(
    "facts",
    [None, b"", b"[]", b'{"url": 5}', b'{"url": "javascript:alert(1)"}', b"[" * 100_000, b'{"url": "http://\xff"}'],
)
def test_other_files_have_no_url(tmp_path, facts):
    path = tmp_path / "a.html.gz"
    if facts is not None:
        facts_path(path).write_bytes(facts)
    assert read_url(path) is None
