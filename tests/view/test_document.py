from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest
from lxml.html import document_fromstring

from scrapy_web2text import Extraction, extract
from scrapy_web2text.view.comparison import PageChange, compare_page
from scrapy_web2text.view.document import write_comparison, write_view
from scrapy_web2text.view.seen import facts_of_answer


class Reader:
    """The scripts, styles and policy of a document, and all other attributes."""

    def __init__(self, html):
        root = document_fromstring(html)
        self.scripts = [(each.get("type"), each.get("id"), each.text or "") for each in root.iter("script")]
        self.styles = [each.text for each in root.iter("style")]
        self.attributes = [(each.tag, *pair) for each in root.iter() for pair in each.attrib.items()]
        (self.policy,) = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")


def write(*answers):
    return write_view([facts_of_answer(answer, f"page {i}") for i, answer in enumerate(answers)])


def source(text):
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


HOSTILE = "</script><script>alert(1)</script>\u2028<!--"


def write_diff(text=HOSTILE):
    item = {"text": text, "title": text, "web2text": {"model": "m", "confidence": 0.5}}
    page = compare_page(PageChange(text, 0.5, 1, 2), (item, text), ({}, "b"), ["old", text])
    return write_comparison([page], "old and new")


@pytest.mark.parametrize("html", [write(Extraction(text="words")), write_diff()], ids=["viewer", "comparison"])
def test_the_policy_names_every_script_and_style(html):
    reader = Reader(html)
    codes = [text for kind, _, text in reader.scripts if kind is None]
    assert len(codes) >= 2
    assert all(source(code) in reader.policy for code in codes)
    assert source(reader.styles[0]) in reader.policy
    assert reader.policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in reader.policy
    assert "connect-src" not in reader.policy


@pytest.mark.parametrize("head", ["frame-head", "look-head"])
def test_the_policy_of_a_frame_allows_its_style_alone(head):
    reader = Reader(write(Extraction(text="words")))
    frame = next(json.loads(text) for _, name, text in reader.scripts if name == head)
    inner = Reader(frame)
    assert inner.policy.startswith("default-src 'none'; style-src 'sha256-")
    assert source(inner.styles[0]) in inner.policy
    assert source(inner.styles[0]) in reader.policy


def test_a_title_cannot_reverse_the_text_around_it():
    document = write(extract("<title>The \u202ebridge</title><p>Words."))
    assert "<title>The bridge - web2text</title>" in document
    assert not any(sign in document for sign in ("\u202e", "\\u202e"))


def test_the_document_names_no_other_file():
    html = write(Extraction(text="words"))
    assert not re.search(r"\b(?:src|href|action)\s*=", html)
    assert not re.search(r"url\(|@import|https?:", html)


def test_no_text_of_a_page_ends_its_element():
    text = "</script><script>alert(1)</script><!-- <![CDATA[ & \u2028 \u2029 {{style}} \\u003c"
    html = write(Extraction(text=text, title=text))
    reader = Reader(html)
    assert [name for kind, name, _ in reader.scripts if kind] == ["frame-head", "look-head", "pages", "page-0"]
    assert html.count("<script>alert") == 0
    data = next(json.loads(text) for _, name, text in reader.scripts if name == "page-0")
    assert data["pieces"] == [[-1, text]]
    assert data["title"] == text
    assert "\u2028" not in "".join(text for *_, text in reader.scripts)


def test_the_least_sure_pages_are_first():
    answers = [
        Extraction(title="broken", method="none", reason="not_html"),
        Extraction(title="bare", method="model", page_kind="empty", confidence=0.5),
        Extraction(title="walls", method="model", page_kind="consent"),
        Extraction(title="sure", method="model", confidence=0.9),
        Extraction(title="unsure", method="model", confidence=0.2),
        Extraction(title="failed", method="rules", reason="timeout"),
    ]
    reader = Reader(write(*answers))
    pages = [json.loads(text) for _, name, text in reader.scripts if (name or "").startswith("page-")]
    assert [page["title"] for page in pages] == ["failed", "unsure", "sure", "walls", "broken", "bare"]
    assert "<title>6 pages - web2text</title>" in write(*answers)


def test_the_title_of_one_page_is_that_of_the_document():
    assert "<title>A &lt;b&gt; - web2text</title>" in write(Extraction(title="A <b>"))
    assert "<title>page 0 - web2text</title>" in write(Extraction())
    assert "<title>A ? - web2text</title>" in write(Extraction(title="A \ud800"))


def test_texts_of_pages_are_data_only():
    html = write_diff()
    assert html.count("<script>") == 2
    assert "\u2028" not in html
    data = {name: json.loads(text) for kind, name, text in Reader(html).scripts if kind is not None}
    assert data["pages"] == [{"name": HOSTILE, "title": HOSTILE, "page": HOSTILE, "f1": 0.5, "gained": 1, "lost": 2}]
    assert data["page-0"]["before"] == {"name": "old", "facts": {"model": "m", "confidence": 0.5}}
    assert data["page-0"]["title"] == HOSTILE
    assert not any(name.startswith("on") or name == "href" for _, name, _ in Reader(html).attributes)
