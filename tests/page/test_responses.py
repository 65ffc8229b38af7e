from __future__ import annotations

import pytest
from mockserver import SENTENCE, article
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse, XmlResponse
from web_poet import AnyResponse, BrowserResponse, HttpResponse

from scrapy_web2text.extractor import Extractor, extract

URL = "https://example.com/a/page.html"
GERMAN = "<body><p>Die alte Brücke über den Fluß wurde im Frühling von den Bürgern der Stadt gebaut. <a href=../b>b</a>"
LATIN = {"Content-Type": "text/html; charset=iso-8859-1"}


@pytest.mark.parametrize("kind", [HtmlResponse, TextResponse, Response, HttpResponse])
def test_the_body_the_url_and_the_encoding_are_those_of_the_response(kind):
    extraction = extract(kind(URL, body=GERMAN.encode("latin-1"), headers=LATIN), html=True, fragment=True)
    assert "Brücke über den Fluß" in extraction.text
    assert (extraction.url, extraction.encoding, extraction.encoding_source) == (URL, "windows-1252", "argument")
    assert 'href="https://example.com/b"' in (extraction.html or "")


@pytest.mark.parametrize(
    "response",
    [
        BrowserResponse(URL, html=GERMAN),
        AnyResponse(BrowserResponse(URL, html=GERMAN)),
        AnyResponse(HttpResponse(URL, body=GERMAN.encode("latin-1"), headers=LATIN)),
    ],
    ids=["browser", "any-browser", "any-http"],
)
def test_the_page_can_be_that_of_a_browser(response):
    extraction = extract(response, html=True, fragment=True)
    assert "Brücke über den Fluß" in extraction.text
    assert (extraction.url, 'href="https://example.com/b"' in extraction.html) == (URL, True)
    assert extract(response, "https://example.org/").url == "https://example.org/"


def test_the_encoding_that_a_response_was_created_with_counts():
    response = HtmlResponse(URL, body=GERMAN.encode("cp1250"), encoding="cp1250")
    assert extract(response).encoding == "windows-1250"


def test_url_and_encoding_can_be_given_for_a_response():
    response = HtmlResponse(URL, body=GERMAN.encode("cp1250"), headers=LATIN)
    extraction = Extractor().extract(response, "https://example.org/", encoding="cp1250")
    assert (extraction.url, extraction.encoding) == ("https://example.org/", "windows-1250")


def test_a_response_gives_the_same_answer_as_its_body():
    body = article().encode()
    extraction, expected = extract(HtmlResponse(URL, body=body)), extract(body, URL)
    assert SENTENCE in extraction.text
    assert extraction.blocks == expected.blocks


@pytest.mark.parametrize(
    "response",
    [
        Response(URL, body=b"%PDF-1.7"),
        Response(URL, body=b"%PDF-1.7", headers={"Content-Type": "application/pdf"}),
        JsonResponse(URL, body=b'{"a": 1}', headers={"Content-Type": "application/json"}),
        JsonResponse(URL, body=b'{"a": 1}'),
        TextResponse(URL, body=b"a text", headers={"Content-Type": "text/plain"}),
        XmlResponse(URL, body=b"<?xml version='1.0'?><rss><channel/></rss>", headers={"Content-Type": "text/xml"}),
    ],
    ids=["pdf", "pdf-by-type", "json-by-type", "json", "text", "feed"],
)
def test_a_response_that_is_not_html_has_an_empty_answer_with_the_reason(response):
    extraction = extract(response)
    assert (extraction.method, extraction.text, extraction.reason) == ("none", "", "not_html")
    assert extraction.url == URL


def test_html_of_another_content_type_is_extracted():
    response = TextResponse(URL, body=article().encode(), headers={"Content-Type": "text/plain"})
    assert SENTENCE in extract(response).text
