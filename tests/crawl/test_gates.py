from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse, XmlResponse

from scrapy_web2text.crawl.gates import skip_reason, stated_encoding

PAGE = b"<!DOCTYPE html><html><body><p>Text</p></body></html>"
URL = "http://example.com/"


def reason(response: Response, max_bytes: int | None = None) -> str | None:
    return skip_reason(response, statuses=range(200, 300), max_bytes=max_bytes)


@pytest.mark.parametrize(
    "response",
    [
        HtmlResponse(URL, body=PAGE),
        HtmlResponse(URL, body=b"<p>no \x00 head</p>"),
        HtmlResponse(URL, body="<html><p>Текст</p></html>".encode("utf-16")),
        TextResponse(URL, body=b'<html lang="en"><p>sent without a type</p>'),
        XmlResponse(URL, body=b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"></html>'),
    ],
    ids=["html", "nul", "utf-16", "no-type", "xhtml"],
)
def test_a_page_is_extracted(response):
    assert reason(response) is None


@pytest.mark.parametrize(
    "response",
    [
        Response(URL, body=b"\x89PNG\r\n\x1a\n"),
        Response(URL, body=PAGE),
        HtmlResponse(URL, body=b"%PDF-1.7 <html>"),
        HtmlResponse(URL, body=bytes(range(64)) * 16),
        JsonResponse(URL, body=b'{"html": "<html><body></body></html>"}'),
        TextResponse(URL, body=b"%PDF-1.4 all of it ASCII"),
        TextResponse(URL, body=b"htmlx,body\n1,2\n"),
        XmlResponse(URL, body=b"<rss><channel></channel></rss>"),
    ],
    ids=["image", "octets", "pdf-as-html", "binary-as-html", "json", "pdf-as-text", "csv", "rss"],
)
def test_other_content_is_skipped(response):
    assert reason(response) == "not_html"


@pytest.mark.parametrize("response", [HtmlResponse(URL, body=b""), Response(URL, body=b" \n")], ids=["html", "octets"])
def test_an_empty_body_is_skipped_whatever_its_type(response):
    assert reason(response) == "empty_body"


@pytest.mark.parametrize(("status", "expected"), [(200, None), (299, None), (304, "status"), (404, "status")])
def test_the_status_decides(status, expected):
    assert reason(HtmlResponse(URL, status=status, body=PAGE)) == expected


@pytest.mark.parametrize(("max_bytes", "expected"), [(None, None), (len(PAGE), None), (len(PAGE) - 1, "max_bytes")])
def test_the_length_decides(max_bytes, expected):
    assert reason(HtmlResponse(URL, body=PAGE), max_bytes) == expected


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


def test_utf_16_is_html_if_the_header_says_so():
    body = "Текст страницы <p>Текст страницы".encode("utf-16-le")
    headers = {"Content-Type": "text/html; charset=utf-16le"}
    assert reason(HtmlResponse(URL, body=body, headers=headers)) is None
    assert reason(HtmlResponse(URL, body=body)) == "not_html"
