from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest
from lxml import etree, html
from parsel import Selector

from scrapy_web2text.common.budget import Budget
from scrapy_web2text.exceptions import PageError, PageTimeout
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.sniffing import looks_binary


def text_of(root: etree._Element) -> str:
    return "".join(root.itertext()).strip()


def page(text: str, head: str = "") -> str:
    return f"<html><head>{head}</head><body><p>{text}</p></body></html>"


class Fetched:
    """A response as those of requests and httpx."""

    content = b"<p>"
    headers: ClassVar = {}


META_LATIN = '<meta charset="iso-8859-1">'


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        pytest.param(page("Größe", META_LATIN).encode("latin-1"), None, id="declared"),
        pytest.param(page("Größe", META_LATIN).encode(), "utf-8", id="stated-and-another-declared"),
        pytest.param(page("Größe", META_LATIN).encode("latin-1"), "utf-8", id="stated-wrongly"),
        pytest.param(page("Größe").encode(), "no-such-encoding", id="stated-unknown"),
        pytest.param(page("Größe", '<meta charset="utf-16le">').encode(), "utf-16", id="stated-utf-16-wrongly"),
    ],
)
def test_the_text_of_bytes_is_found_whatever_is_declared(body, encoding):
    assert text_of(to_tree(body, encoding=encoding)) == "Größe"


@pytest.mark.parametrize(
    "source",
    [
        '<?xml version="1.0" encoding="iso-8859-1"?>' + page("Größe"),
        page("Größe", META_LATIN),
        page("Größe", '<meta charset="utf-16">'),
    ],
    ids=["xml-declaration", "meta", "utf-16"],
)
def test_a_str_is_parsed_as_it_is_whatever_it_declares(source):
    assert text_of(to_tree(source)) == "Größe"


@pytest.mark.parametrize("source", ["a\0b", b"a\0b", "<p\0>ab</\0p>"], ids=["str", "bytes", "in-tags"])
def test_nul_characters_are_dropped(source):
    assert text_of(to_tree(source)) == "ab"


def test_lone_surrogates_do_not_stop_the_parser():
    assert text_of(to_tree("<p>a\ud800b</p>")) == "a?b"


@pytest.mark.parametrize(
    "source",
    ["", b"", " \n", b" \t\r\n", "<!-- nothing -->", b"<!DOCTYPE html>", "\0", "<html></html>"],
    ids=["str", "bytes", "whitespace", "whitespace-bytes", "comment", "doctype", "nul", "html"],
)
def test_a_page_without_content_has_an_html_element_without_text(source):
    root = to_tree(source)
    assert root.tag == "html"
    assert text_of(root) == ""


def test_a_text_of_11_million_characters_is_kept():
    assert len(text_of(to_tree("<p>" + "x" * 11_000_000))) == 11_000_000


def test_a_selector_of_a_page_gives_its_root():
    selector = Selector(text=page("text"))
    assert to_tree(selector) is selector.root


def test_a_selector_of_an_element_gives_that_element():
    (selector,) = Selector(text=page("text")).css("p")
    root = to_tree(selector)
    assert root is selector.root
    assert root.tag == "p"


def test_a_selector_of_a_text_is_parsed():
    (selector,) = Selector(text=page("text")).xpath("//p/text()")
    assert text_of(to_tree(selector)) == "text"


@pytest.mark.parametrize("parse", [html.fromstring, etree.HTML, etree.fromstring], ids=["html", "HTML", "xml"])
def test_an_element_is_returned_unchanged(parse):
    root = parse(page("text"))
    assert to_tree(root) is root


def test_an_element_tree_gives_its_root():
    root = etree.HTML(page("text"))
    assert to_tree(root.getroottree()) is root


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "NoneType"),
        (7, "int"),
        (Selector(text='{"a": 1}', type="json"), "a Selector of dict"),
        ([], "list"),
        (Path("page.html"), r"\w+Path; read the file first"),
        (Fetched(), "Fetched; pass its content"),
        (SimpleNamespace(content=b"<p>", response=None, status=200), "SimpleNamespace$"),
        (etree.Comment("a"), "_Comment"),
        (etree.ProcessingInstruction("a"), "_ProcessingInstruction"),
        (Selector(text="<p><!-- a --></p>").xpath("//comment()")[0], "a Selector of HtmlComment"),
        (etree.ElementTree(), "NoneType"),
    ],
)
def test_other_objects_raise_a_type_error(value, name):
    with pytest.raises(
        TypeError, match=f"expected bytes, str, a response, a Selector or an lxml tree of elements, got {name}"
    ):
        to_tree(value)


BINARY = {
    "pdf": b"%PDF-1.7\n<html>",
    "png": b"\x89PNG\r\n\x1a\n",
    "gif": b"GIF89a",
    "jpeg": b"\xff\xd8\xff\xe0",
    "zip": b"PK\x03\x04",
    "gzip": b"\x1f\x8b\x08",
    "webp": b"RIFF\x00\x00\x00\x00WEBP",
    "ogg": b"OggS",
    "elf": b"\x7fELF",
    "random": random.Random(0).randbytes(5000),
    "low": bytes(range(64)) * 16,
}
TEXTUAL = {
    "empty": b"",
    "html": page("text").encode(),
    "nul": b"a\0b" * 100,
    "utf-16": page("Текст").encode("utf-16"),
    "iso-2022-jp": page("日本語の文章").encode("iso-2022-jp"),
    "shift-jis": page("日本語の文章").encode("shift_jis"),
    "whitespace": b" \t\r\n\f\v" * 100,
    "some-controls": b"<p>a\x01b\x1fc" + b"text " * 50,
}


@pytest.mark.parametrize("body", BINARY.values(), ids=BINARY)
def test_binary_files_look_binary(body):
    assert looks_binary(body)


@pytest.mark.parametrize("body", TEXTUAL.values(), ids=TEXTUAL)
def test_text_does_not_look_binary(body):
    assert not looks_binary(body)


def test_binary_data_raises_a_page_error():
    with pytest.raises(PageError, match=r"expected HTML, got binary data that begins with b'%PDF-1\.4'") as caught:
        to_tree(b"%PDF-1.4 and more")
    assert caught.value.reason == "not_html"


@pytest.mark.parametrize("encoding", [5, b"utf-8", ["utf-8"]])
def test_an_encoding_of_another_type_raises_a_value_error(encoding):
    with pytest.raises(ValueError, match=r"^encoding: expected the name of an encoding or None, got "):
        to_tree(b"a", encoding=encoding)


ITEM = "<item><title>a</title><description>&lt;html>&lt;p>b</description></item>"
DATA = {
    "object": '{"text": "<html><body><p>a</p></body></html>"}',
    "array": ' \n[{"a": 1}]\n',
    "empty-object": "{}",
    "lines": '{"text": "<html><body><p>a</p></body></html>"}\n{"text": "<p>b</p>"}\n',
    "warc": "WARC/1.1\r\nWARC-Type: response\r\n\r\n<html><body><p>a</p></body></html>",
    "deep": "[" * 200_000 + "]" * 200_000,
    "rss": f'<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>{ITEM}</channel></rss>',
    "old-rss": f'<!DOCTYPE rss PUBLIC "-//a//b" "c.dtd"><rss><channel>{ITEM}</channel></rss>',
    "atom": '<?xml version="1.0"?><?xml-style a="b"?><!-- a > b --><feed xmlns="http://www.w3.org/2005/Atom"/ >',
    "prefixed-atom": "<atom:feed xmlns:atom='http://www.w3.org/2005/Atom'></atom:feed>",
    "rdf": "<rdf:RDF xmlns='http://purl.org/rss/1.0/'></rdf:RDF>",
    "sitemap": "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url/></urlset>",
}
NEARLY_DATA = {
    "bracket": "[<b>a</b>]",
    "brace": "{a} b {c}",
    "template": "{{ header }}<html><body>a</body></html>",
    "unclosed": '{"a": 1',
    "two-objects": '{"a": 1} b {"a": 2}',
    "warc-inside": "About WARC/1.1 a",
    "text-after": '["a"] said b',
    "feed-inside": f"<html><body><p>a</p><rss><channel>{ITEM}</channel></rss></body></html>",
    "xhtml": '<?xml version="1.0"?><!-- <rss> --><!DOCTYPE html><html><body>a</body></html>',
    "comments": "<!---->" * 140 + "<p>a</p>",
    "custom-element": "<feed-list>a</feed-list>",
}


@pytest.mark.parametrize("source", DATA.values(), ids=DATA)
@pytest.mark.parametrize("form", [str, str.encode, lambda text: b"\xef\xbb\xbf" + text.encode()])
def test_json_and_feeds_raise_a_page_error(source, form):
    with pytest.raises(PageError, match=r"expected HTML, got (JSON|a feed)") as caught:
        to_tree(form(source))
    assert caught.value.reason == "not_html"


@pytest.mark.parametrize("source", NEARLY_DATA.values(), ids=NEARLY_DATA)
def test_pages_that_resemble_data_are_read(source):
    assert "a" in text_of(to_tree(source.encode())).lower()
    assert "a" in text_of(to_tree(source)).lower()


NESTED = Selector("<div id=a><h1>One</h1><div id=b><p>Two</p><section><p>Three</p></section></div></div><p>Four</p>")


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("div", "One Two Three"),
        ("div, p", "One Two Three Four"),
        ("h1, h1 ~ div, h1 ~ div p", "One Two Three"),
        ("section, p", "Two Three Four"),
        ("p, p::text", "Two Two Three Three Four Four"),
    ],
)
def test_selectors_inside_others_are_read_once(css, expected):
    assert " ".join(" ".join(to_tree(NESTED.css(css)).itertext()).split()) == expected


def test_overlapping_selectors_take_no_longer_than_a_page_may():
    nested = Selector("<body>" + "<div>" * 1_500 + "<p>a</p>" * 30_000).css("p")
    with pytest.raises(PageTimeout), Budget(0.05).running():
        to_tree(nested)
