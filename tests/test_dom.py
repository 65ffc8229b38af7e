from __future__ import annotations

import random

import pytest
from lxml import etree, html
from parsel import Selector

from scrapy_web2text.dom import decode, looks_binary, to_tree
from scrapy_web2text.exceptions import PageError


def text_of(root: etree._Element) -> str:
    return "".join(root.itertext()).strip()


def page(text: str, head: str = "") -> str:
    return f"<html><head>{head}</head><body><p>{text}</p></body></html>"


META_LATIN = '<meta charset="iso-8859-1">'
META_UTF_8 = '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">'


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        pytest.param(page("Größe – 日本").encode(), None, id="utf-8-undeclared"),
        pytest.param(page("Größe – €").encode("cp1252"), None, id="cp1252-undeclared"),
        pytest.param(page("Größe", META_LATIN).encode("latin-1"), None, id="declared"),
        pytest.param(page("Größe – 日本", '<meta charset="gb18030">').encode("gb18030"), None, id="declared-gb18030"),
        pytest.param(b"\xef\xbb\xbf" + page("Größe", META_LATIN).encode(), None, id="byte-order-mark"),
        pytest.param(page("Größe").encode("utf-16"), None, id="utf-16-mark"),
        pytest.param(page("Größe", META_LATIN).encode(), "utf-8", id="stated-against-declared"),
        pytest.param(page("Größe", META_UTF_8).encode("latin-1"), "latin-1", id="stated-alias"),
        pytest.param(page("Größe", META_LATIN).encode("latin-1"), "utf-8", id="stated-utf-8-wrongly"),
        pytest.param(page("Größe").encode(), "no-such-encoding", id="stated-unknown"),
        pytest.param(page("Größe", '<meta charset="no-such">').encode(), None, id="declared-unknown"),
        pytest.param(page("Größe", '<meta charset="utf-16">').encode(), None, id="declared-utf-16-wrongly"),
        pytest.param(page("Größe", '<meta charset="utf-16le">').encode(), "utf-16", id="stated-utf-16-wrongly"),
    ],
)
def test_the_text_of_bytes_is_found_whatever_is_declared(body, encoding):
    text = text_of(to_tree(body, encoding=encoding))
    assert text in {"Größe – 日本", "Größe – €", "Größe"}


def test_bytes_that_mean_nothing_become_the_replacement_character():
    assert decode(b"<p>caf\xc3\xa9 \xff" + b"x" * 200, "utf-8") == "<p>café \ufffd" + "x" * 200


def test_a_stated_encoding_is_kept_if_no_other_does_better():
    body = b'<meta charset="utf-8">\xff\xff\xff'
    assert decode(body, "utf-8").count("\ufffd") == 3


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
    ids=["str", "bytes", "blanks", "blank-bytes", "comment", "doctype", "nul", "html"],
)
def test_a_page_without_content_has_an_html_element_without_text(source):
    root = to_tree(source)
    assert root.tag == "html"
    assert text_of(root) == ""


def test_2000_nested_elements_keep_their_text():
    root = to_tree("<div>" * 2000 + "inside" + "</div>" * 2000 + "<p>behind</p>")
    assert text_of(root) == "insidebehind"


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
def test_an_element_is_returned_as_it_is(parse):
    root = parse(page("text"))
    assert to_tree(root) is root


def test_an_element_tree_gives_its_root():
    root = etree.HTML(page("text"))
    assert to_tree(root.getroottree()) is root


@pytest.mark.parametrize(
    ("value", "name"),
    [(None, "NoneType"), (7, "int"), (Selector(text='{"a": 1}', type="json"), "Selector"), ([], "list")],
    ids=["none", "int", "json-selector", "list"],
)
def test_what_holds_no_page_is_a_type_error(value, name):
    with pytest.raises(TypeError, match=f"expected bytes, str, a Selector or an lxml tree, got {name}"):
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
    "blanks": b" \t\r\n\f\v" * 100,
    "some-controls": b"<p>a\x01b\x1fc" + b"text " * 50,
}


@pytest.mark.parametrize("body", BINARY.values(), ids=BINARY)
def test_files_that_are_no_text_look_binary(body):
    assert looks_binary(body)


@pytest.mark.parametrize("body", TEXTUAL.values(), ids=TEXTUAL)
def test_text_does_not_look_binary(body):
    assert not looks_binary(body)


def test_binary_bytes_are_a_page_error():
    with pytest.raises(PageError, match=r"begins with b'%PDF-1\.4'") as caught:
        to_tree(b"%PDF-1.4 and more")
    assert caught.value.reason == "not_html"
