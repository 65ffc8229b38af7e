from __future__ import annotations

import pytest
from lxml import html

from scrapy_web2text.common.display import shorten, show_facts, show_text


@pytest.mark.parametrize(("text", "shown"), [("", ""), ("abcdefghij", "abcdefghij"), ("abcdefghijk", "abcdefghi…")])
def test_a_long_text_is_cut(text, shown):
    assert shorten(text, 10) == shown


def test_facts_are_shown_in_a_line():
    facts = {"url": None, "title": "", "method": "model", "confidence": 0.5, "n_blocks": 0, "text": "a\n" * 100}
    line = show_facts("Extraction", facts)
    assert line.startswith("<Extraction method='model' confidence=0.5 n_blocks=0 text='a\\na\\n")
    assert "\n" not in line
    assert line.endswith("…'>")


@pytest.mark.parametrize("evil", ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</pre>", "&lt;b&gt;"])
def test_what_a_page_says_is_escaped(evil):
    root = html.fromstring(f"<div>{show_text(evil, evil)}</div>")
    assert {element.tag for element in root.iter()} == {"div", "p", "b", "pre"}
    assert root.text_content() == evil * 2


def test_the_text_is_bounded():
    assert len(show_text("x", "a" * 1_000_000)) < 50_000
