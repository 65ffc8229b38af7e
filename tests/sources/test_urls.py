from __future__ import annotations

import argparse
import os
from pathlib import PurePosixPath

import pytest

from scrapy_web2text import Options
from scrapy_web2text.cli.arguments import add_url_arguments
from scrapy_web2text.sources.source import Source
from scrapy_web2text.sources.urls import find_url

PATH = PurePosixPath("example.com/news/A story.html.gz")
HEAD = (
    "<head><link rel=next href=2><meta name=author content=A>"
    "<link rel='Canonical' href=' https://a.example/c '><meta property=og:url content=https://a.example/og>"
)


def find(*sources, path=PATH, page="", **options):
    return find_url(sources, path, Source(page.encode()), Options(**options))


@pytest.mark.parametrize(
    ("template", "url"),
    [
        ("https://{path}", "https://example.com/news/A%20story.html"),
        ("http://x.example/{path}?id=1", "http://x.example/example.com/news/A%20story.html?id=1"),
        ("https://example.com/", "https://example.com/"),
    ],
)
def test_a_template_is_filled_with_the_path(template, url):
    assert find(template) == url


def test_a_path_from_the_root_is_not_doubled():
    assert find("https://example.com/{path}", path=PurePosixPath("/a/b.html")) == "https://example.com/a/b.html"
    assert find("https://example.com/{path}", path=PurePosixPath("../a/b.html")) == "https://example.com/a/b.html"


@pytest.mark.skipif(os.name != "posix", reason="file names of POSIX")
def test_a_file_name_need_not_be_valid_text():
    path = PurePosixPath(os.fsdecode(b"\xff?#.html"))
    assert find("https://example.com/{path}", path=path) == "https://example.com/%FF%3F%23.html"


@pytest.mark.parametrize(("source", "url"), [("canonical", "https://a.example/c"), ("og:url", "https://a.example/og")])
def test_the_page_says_its_url(source, url):
    assert find(source, page=HEAD) == url


def test_the_first_url_found_counts():
    sources = ("canonical", "og:url", "https://{path}")
    assert find(*sources, page=HEAD) == "https://a.example/c"
    assert find(*sources[::-1], page=HEAD) == "https://example.com/news/A%20story.html"
    assert find(*sources, page="<meta name=og:url content=https://a.example/og>") == "https://a.example/og"
    assert find(*sources, page="<link rel=canonical>") == "https://example.com/news/A%20story.html"
    assert find("canonical", "og:url", page="<p>Nothing.") is None
    assert find() is None


def test_a_relative_url_is_joined_to_the_base_that_the_page_names():
    link = "<link rel=canonical href=/c>"
    assert find("canonical", page=link) is None
    assert find("canonical", page=f"<base href=https://a.example/b/>{link}") == "https://a.example/c"


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "mailto:a@b.example", "https://", f"https://a.example/{'x' * 2000}", "https://[", " "],
    ids=lambda url: url[:20],
)
def test_what_is_not_the_url_of_a_page_is_ignored(url):
    assert find("canonical", page=f'<link rel=canonical href="{url}">') is None


def test_a_page_that_cannot_be_read_says_nothing():
    assert find("canonical", page="%PDF-1.7") is None
    assert find("canonical", page=HEAD, max_bytes=10) is None
    assert find("canonical", page=HEAD + "<link>" * 10_000, timeout=1e-9) is None


def test_a_page_without_a_file_has_no_url_by_a_template():
    assert find("https://example.com/{path}", path=None) is None


@pytest.mark.parametrize(
    "source",
    ["", "url", "https://example.com/{host}", "https://example.com/{}", "https://a/{path", "https://a/{stem}",
     "ftp://a/{path}", "{path}"],
)  # fmt: skip
def test_other_sources_are_refused_with_a_message(source, capsys):
    parser = argparse.ArgumentParser()
    add_url_arguments(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["--url-from", source])
    err = " ".join(capsys.readouterr().err.split())
    assert "expected canonical, og:url or a template such as https://example.com/{path}" in err
    assert err.endswith(f"got {source!r}")


def test_sources_are_listed_in_order():
    parser = argparse.ArgumentParser()
    add_url_arguments(parser)
    sources = ["canonical", "https://example.com/{path}"]
    assert parser.parse_args(["--url-from", sources[0], "--url-from", sources[1]]).url_from == sources
    assert parser.parse_args([]).url_from == []
