"""Unexpected errors inside of extractions, in crawls with each executor: no item is lost, and each is counted."""

from __future__ import annotations

import pytest
from mockserver import ADDON, SENTENCE, MockSite, article, crawl, spider_of

from scrapy_web2text.answer import sequence, trace

# Words on a page let its text or its HTML fail.
BUGS = """
from scrapy_web2text.answer import sequence

def fails_on(word, write):
    def write_or_fail(content, *others):
        if any(word in text for text in content.texts.values()):
            raise LookupError("on purpose")
        return write(content, *others)
    return write_or_fail

content_text = fails_on("a-text-that-fails", sequence.content_text)
build_document = fails_on("a-form-that-fails", sequence.build_document)
"""
# Python imports a module of this name when it starts.
SITECUSTOMIZE = BUGS + "sequence.content_text, sequence.build_document = content_text, build_document"


@pytest.fixture(params=["process", "thread", "inline"])
def executor(request, monkeypatch, tmp_path) -> str:
    """An executor in which BUGS are."""
    if request.param == "process":
        (tmp_path / "sitecustomize.py").write_text(SITECUSTOMIZE)
        monkeypatch.syspath_prepend(tmp_path)
    else:
        bugs: dict[str, object] = {}
        exec(BUGS, bugs)
        monkeypatch.setattr(trace, "RAISE_ERRORS", False)
        monkeypatch.setattr(trace, "_logged_errors", set())
        monkeypatch.setattr(sequence, "content_text", bugs["content_text"])
        monkeypatch.setattr(sequence, "build_document", bugs["build_document"])
    return request.param


def test_an_unexpected_error_costs_no_item_and_is_counted(site: MockSite, executor):
    words = ("a-text-that-fails", "a-form-that-fails", "a-good-page")
    urls = [site.add(f"/{word}", article(f"{SENTENCE} {word}")) for word in words]

    pages = spider_of(*urls)
    settings = {
        **ADDON,
        "WEB2TEXT_EXECUTOR": executor,
        "WEB2TEXT_FIELDS": {"main_content": "text", "html": "html", "markdown": "markdown", "web2text": "summary"},
    }
    result = crawl(pages, settings)
    without_text, without_html, whole = (result.by_url[url] for url in urls)
    assert (without_text["main_content"], without_text["web2text"]["method"]) == ("", "none")
    assert (without_html["html"], without_html["markdown"]) == (None, None)
    assert without_html["main_content"].count(SENTENCE) == whole["main_content"].count(SENTENCE) > 0
    assert SENTENCE in whole["html"]
    assert SENTENCE in whole["markdown"]
    reasons = [item["web2text"]["reason"] for item in (without_text, without_html, whole)]
    assert reasons == ["error", "error", None]
    assert len(result.items) == 3
    assert result.web2text_stats == {
        "pages": 3,
        "method/none": 1,
        "method/rules": 2,
        "fallback/error": 2,
        "errors/LookupError": 2,
    }
