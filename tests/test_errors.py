"""An unexpected exception of an extraction costs neither the page nor the crawl."""

from __future__ import annotations

import logging

import pytest
from msgspec.structs import replace
from pydantic import HttpUrl
from scrapy.http import HtmlResponse
from web_poet import ResponseUrl

from scrapy_web2text.answer import sequence, trace
from scrapy_web2text.extractor import Extractor, extract
from scrapy_web2text.options import DEFAULT_MODEL, Options
from scrapy_web2text.workers.worker import extract_page

PAGE = "<title>A title</title><p>" + "These are many words of the main content. " * 30
RULES = "shallow:numwords"


def fail(*args: object, **options: object) -> None:
    raise ZeroDivisionError("on purpose")


@pytest.fixture
def answering(monkeypatch):
    """Errors are answered, as outside of tests."""
    monkeypatch.setattr(trace, "RAISE_ERRORS", False)
    monkeypatch.setattr(trace, "_logged_errors", set())


@pytest.fixture
def failing(monkeypatch):
    """The model fails, and the rules work."""
    extractor = Extractor()
    monkeypatch.setattr(extractor._labelers, "first", type("Failing", (), {"label": fail, "block_bytes": 0})())
    return extractor


def test_the_rules_answer_for_a_model_that_fails(failing, answering):
    answer = failing.extract(PAGE, "http://a.example")
    expected = Extractor(model=RULES).extract(PAGE, "http://a.example")
    assert (answer.method, answer.model) == ("rules", RULES)
    assert (answer.reason, answer.error) == ("error", "ZeroDivisionError")
    assert (answer.text, answer.title, answer.url) == (expected.text, "A title", "http://a.example")
    assert answer.to_dict()["error"] == "ZeroDivisionError"


@pytest.mark.parametrize(
    "step", ["sources.source.parse", "answer.sequence.tree_to_page", "answer.sequence.content_text"]
)
def test_the_answer_is_empty_if_the_rules_fail_too(monkeypatch, answering, step):
    monkeypatch.setattr(f"scrapy_web2text.{step}", fail)
    answer = Extractor().extract(PAGE)
    assert (answer.method, answer.text, answer.error) == ("none", "", "ZeroDivisionError")
    assert answer.reason == "error"


PARTS = {
    "title": ("find_headline", ""),
    "blocks": ("export_blocks", ()),
    "html": (None, None),
    "markdown": (None, None),
    "paragraphs": ("write_paragraphs", ()),
    "metadata": ("read_metadata", None),
}


@pytest.mark.parametrize("model", [RULES, DEFAULT_MODEL])
@pytest.mark.parametrize("name", PARTS)
def test_an_error_in_a_part_costs_that_part(monkeypatch, answering, name, model):
    extractor = Extractor(model=model, html=True, markdown=True, paragraphs=True, metadata=True)
    expected = extractor.extract(PAGE)
    function, nothing = PARTS[name]
    if function is None:
        monkeypatch.setitem(sequence.FORMS, name, fail)
    else:
        monkeypatch.setattr(sequence, function, fail)
    answer = extractor.extract(PAGE)
    assert (answer.reason, answer.error) == ("error", "ZeroDivisionError")
    assert replace(answer, elapsed=0) == replace(
        expected, **{name: nothing}, reason="error", error="ZeroDivisionError", elapsed=0
    )


def test_without_a_fallback_the_answer_is_empty(monkeypatch, answering):
    monkeypatch.setattr(sequence, "content_text", fail)
    assert Extractor(fallback=None).extract(PAGE).reason == "error"


def test_each_class_of_error_is_logged_once_with_its_traceback(failing, answering, caplog):
    for _ in range(2):
        failing.extract(PAGE, "http://a.example")
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.getMessage().startswith("Unexpected ZeroDivisionError while extracting http://a.example")
    assert "on purpose" in caplog.text


def test_tests_see_the_error(failing):
    with pytest.raises(ZeroDivisionError):
        failing.extract(PAGE)


@pytest.mark.parametrize("url", [5, b"https://a.test", ResponseUrl("https://a.test"), HttpUrl("https://a.test")])
def test_a_url_of_another_type_is_an_error_that_names_the_remedy(answering, url):
    with pytest.raises(TypeError, match=r"^url: expected a string or None, got .*; pass str\(url\)$"):
        extract(PAGE, url, model=RULES)


@pytest.mark.parametrize("html", [PAGE, PAGE.encode(), HtmlResponse("https://a.example", body=PAGE.encode())])
@pytest.mark.parametrize("encoding", ["klingon", "", "utf-7", "cp037"])
def test_an_unknown_encoding_is_an_error_of_the_caller(answering, html, encoding):
    with pytest.raises(
        ValueError, match=r"^encoding: expected the name of an encoding of the Encoding Standard, got '"
    ):
        extract(html, encoding=encoding, model=RULES)


@pytest.mark.parametrize("encoding", ["klingon", "cp037"])
def test_an_unknown_encoding_that_a_server_states_is_ignored(answering, encoding):
    headers = {"Content-Type": f"text/html; charset={encoding}"}
    response = HtmlResponse("https://a.example", headers=headers, body=PAGE.encode())
    assert extract(response, model=RULES).reason is None
    assert extract_page(Options(model=RULES), PAGE.encode(), None, encoding).reason is None


@pytest.mark.parametrize(("html", "encoding"), [(None, None), ([PAGE], None), (PAGE, 7)])
def test_wrong_arguments_are_errors_of_the_caller(answering, html, encoding):
    with pytest.raises((TypeError, ValueError), match="expected"):
        Extractor(model=RULES).extract(html, encoding=encoding)


@pytest.mark.parametrize("reference", ["&#" + "9" * 5000, "&#" + "9" * 5000 + ";", "&#x" + "f" * 5000 + ";"])
@pytest.mark.parametrize("metadata", [False, True])
def test_numbers_that_python_does_not_convert_are_replacement_characters(reference, metadata):
    escaped = reference.replace("&", "&amp;")
    html = f"<title>A {escaped} title</title><meta name=description content='a {escaped}'>{PAGE}"
    answer = Extractor(model=RULES, metadata=metadata).extract(html)
    assert answer.title == "A \ufffd title"
    assert not metadata or answer.metadata.description == "a \ufffd"
