"""No form of an answer is much longer than its page, whatever the page repeats."""

from __future__ import annotations

import pytest
from families import FAMILIES, SENTENCE
from fuzz.oracles import check_html, check_sizes
from fuzz.targets import check_page
from hypothesis import given
from lxml.html import fromstring
from markdown_it import MarkdownIt
from strategies import repetitive_pages

from scrapy_web2text import Extractor

ALL = {"blocks": "all", "html": True, "markdown": True, "paragraphs": True}
LINK = f'<a href="http://a.b/?{"a" * 20_000}">'
LISTS = "<ol start=999998><li>x<li>x" * 10
BEFORE = f"<p>{SENTENCE * 4}</p>"
PAGES = {
    "a link around paragraphs": BEFORE + LINK + "<p>x" * 5_000,
    "a link around sentences": BEFORE + LINK + f"<p>{SENTENCE}" * 50,
    "a link around lines": BEFORE + LINK + "x<br>" * 5_000,
    "a link in a table": f"<table>{LINK}" + f"<tr><td>{LINK}x<td>y" * 3 + "<tr><td>x<td>y" * 900,
    "inline elements around paragraphs": BEFORE + "<b><i><code><sub><mark><abbr>" + "<p>x" * 5_000,
    "ampersands": "<p>" + "&" * 30_000,
    "ampersands in code": "<pre>" + "&\n" * 20_000,
    "less-than signs": "<p>" + "<" * 30_000,
    "ampersands in a link": BEFORE + f"<p><a href='http://a.b/?{'&' * 20_000}'>x</a> y",
    "quotes in a description": BEFORE + "<p>x <img src=i alt='" + '"' * 20_000 + "'> y",
    "no-break spaces in code": b"<meta charset=windows-1252><pre>x" + b"\xa0x" * 20_000,
    "languages of code": BEFORE + f'<div class="language-{"a" * 30}">{"<pre>x</pre>" * 2_000}',
    "indented lines": BEFORE + LISTS + "x<br>" * 5_000,
    "indented code": BEFORE + LISTS + "<pre>" + "x\n" * 20_000,
    "quoted code": BEFORE + "<blockquote>x" * 23 + "<pre>" + "x\n" * 20_000,
    "texts between cells": f"<table><tr><th>a<th>b<tr><td>a<td>b<tr>{'<td>' * 900}{'x<td>a</td>' * 900}</table>",
    "texts between items": BEFORE + "<ul>" + "<li>a</li>x" * 5_000,
    "deep paragraphs": "<div>" * 500 + "<p>x" * 2_000,
    "titles": "<title>" + "&" * 20_000 + f"</title><h1>{'&' * 20_000}</h1><p>x",
}
FITTING = {
    *("ampersands", "ampersands in code", "less-than signs", "no-break spaces in code"),
    *("texts between items", "titles", "deep paragraphs"),
}


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_repeats_is_left_out_of_forms_that_would_be_too_long_and_the_answer_says_so(name):
    page = PAGES[name]
    answer = Extractor(fragment=True, **ALL).extract(page, "http://e.org/" + "long/" * 300)
    assert answer.reason == (None if name in FITTING else "simplified")
    check_sizes(answer, page)
    check_html(answer.html)
    for written in (answer.html, MarkdownIt("commonmark", {"maxNesting": 99}).render(answer.markdown)):
        assert fromstring(written).text_content().count("x") >= answer.text.count("x")


@given(repetitive_pages())
def test_no_form_is_much_longer_than_its_page(page):
    check_page(page, "fragment")


@pytest.mark.parametrize("name", FAMILIES)
def test_a_sanitizer_would_not_change_the_html_of_a_hostile_page(name):
    page = FAMILIES[name].write(6_000)
    answer = Extractor(fragment=True, **ALL).extract(page)
    check_sizes(answer, page)
    check_html(answer.html or "")
