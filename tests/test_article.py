"""Answers as articles of zyte-common-items."""

from __future__ import annotations

import json
import sys

import pytest
from mockserver import SENTENCE

from scrapy_web2text import Extraction, MainContent, extract
from scrapy_web2text.adapters.zyte import to_article

HEAD = json.dumps(
    {
        "@type": "NewsArticle",
        "headline": "The bridge",
        "datePublished": "2026-01-02T10:00:00Z",
        "dateModified": "2026-01-03",
        "author": [{"name": "Ada Penn"}, {"name": "Ben Lee"}],
        "image": "/main.png",
    }
)
PAGE = f"""<html lang=en><head><title>The bridge</title><meta name=description content="Of a bridge.">
<link rel=canonical href=/bridge><script type="application/ld+json">{HEAD}</script></head><body>
<nav class=breadcrumb><a href=/>Home</a> <a href=/news>News</a></nav><h1>The bridge</h1><p>{SENTENCE} {SENTENCE}
<img src=/inside.png alt=inside> {SENTENCE} {SENTENCE}</p></body></html>"""
URL = "https://example.org/bridge?x=1"
zyte = pytest.importorskip("zyte_common_items")


def test_an_article_has_all_that_the_page_says():
    answer = extract(PAGE, URL, html=True, metadata=True)
    assert to_article(answer) == zyte.Article(
        url=URL,
        headline="The bridge",
        articleBody=answer.text,
        articleBodyHtml=answer.html,
        authors=[zyte.Author(name=name, nameRaw=name) for name in ("Ada Penn", "Ben Lee")],
        datePublished="2026-01-02",
        dateModified="2026-01-03",
        description="Of a bridge.",
        inLanguage="en",
        breadcrumbs=[
            zyte.Breadcrumb(name="Home", url="https://example.org/"),
            zyte.Breadcrumb(name="News", url="https://example.org/news"),
        ],
        mainImage=zyte.Image(url="https://example.org/main.png"),
        images=[zyte.Image(url="https://example.org/inside.png")],
        canonicalUrl="https://example.org/bridge",
        metadata=zyte.ArticleMetadata(probability=answer.confidence),
    )
    assert SENTENCE in answer.text
    assert answer.html is not None


def test_what_was_not_asked_for_is_missing():
    answer = extract(PAGE, URL)
    metadata = zyte.ArticleMetadata(probability=answer.confidence)
    assert to_article(answer) == zyte.Article(
        url=URL, headline="The bridge", articleBody=answer.text, metadata=metadata
    )


@pytest.mark.parametrize(
    ("answer", "probability"),
    [
        (Extraction(url=URL, text="a", confidence=0.5), 0.5),
        (Extraction(url=URL, text="a", method="selector"), 1.0),
        (Extraction(url=URL, confidence=0.9), 0.0),
    ],
    ids=["model", "selector", "no-text"],
)
def test_the_probability_of_an_article_is_the_confidence_of_its_text(answer, probability):
    assert to_article(answer).metadata.probability == probability


def test_the_url_can_be_that_of_the_page_itself():
    page = "<html><head><link rel=canonical href=https://a.example/x></head><body><p>Hello there</p></body></html>"
    assert to_article(extract(page, metadata=True)).url == "https://a.example/x"
    with pytest.raises(ValueError, match=r"^to_article: expected the URL of the page, as in extract\(html, url\)$"):
        to_article(extract(page))


def test_the_answer_that_scrapy_poet_injects_has_an_article():
    assert to_article(MainContent.from_extraction(Extraction(url=URL, text="a"))).articleBody == "a"


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "zyte_common_items", None)
    with pytest.raises(ModuleNotFoundError, match=r"^to_article: needs pip install 'scrapy-web2text\[zyte\]'$"):
        to_article(Extraction(url=URL))
