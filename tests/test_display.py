from __future__ import annotations

import pytest
from lxml import html
from msgspec.structs import replace

from scrapy_web2text import extract
from scrapy_web2text.common.display import shorten, show_facts, write_answer_html
from scrapy_web2text.extraction import Block, Label


@pytest.mark.parametrize(("text", "shown"), [("", ""), ("abcdefghij", "abcdefghij"), ("abcdefghijk", "abcdefghi…")])
def test_a_long_text_is_cut(text, shown):
    assert shorten(text, 10) == shown


def test_facts_are_shown_in_a_line():
    facts = {"url": None, "title": "", "method": "model", "confidence": 0.5, "n_blocks": 0, "text": "a\n" * 100}
    line = show_facts("Extraction", facts)
    assert line.startswith("<Extraction method='model' confidence=0.5 n_blocks=0 text='a\\na\\n")
    assert "\n" not in line
    assert line.endswith("…'>")


def block(i: int, text: str, label: Label = Label.CONTENT, probability: float | None = 0.98765) -> Block:
    return Block(i, text, label, probability, "p", None)


def test_a_table_shows_blocks_and_highlights_content():
    blocks = [block(0, "Home", Label.BOILERPLATE, None), block(1, "Text")]
    table = html.fromstring(write_answer_html("About", {}, blocks, "Text"))
    rows = table.xpath("//tbody/tr")
    assert [[cell.text_content() for cell in row] for row in rows] == [
        ["0", "", "p", "Home"],
        ["1", ".988", "p", "Text"],
    ]
    assert [row.get("style") for row in rows] == [None, "background:rgba(0,114,178,.2)"]
    assert table.xpath("string(.//b)") == "About"


@pytest.mark.parametrize(
    "evil", ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</td></table>", "&lt;b&gt;"]
)
def test_what_a_page_says_is_escaped(evil):
    for table in (
        write_answer_html(evil, {}, [block(0, evil)], ""),
        write_answer_html(evil, {}, [Block(0, "", Label.CONTENT, 0.5, evil, None)], ""),
    ):
        root = html.fromstring(table)
        allowed = {*"div p b small details summary table thead tbody tr th td".split()}
        assert {element.tag for element in root.iter()} <= allowed
        assert root.text_content().count(evil) == 2
    assert html.fromstring(write_answer_html(evil, {}, [], evil)).text_content() == evil * 2


def test_a_table_is_bounded():
    table = write_answer_html("x", {}, [block(i, "a" * 10_000) for i in range(3000)], "")
    assert table.count("<tr") == 501
    assert "<p>… and 2,500 more blocks</p>" in table
    assert len(table) < 500 * 1000


def test_without_blocks_the_text_is_shown():
    root = html.fromstring(f"<div>{write_answer_html('x', {}, [], 'a < b')}</div>")
    assert [(part.tag, part.text_content()) for part in root] == [("p", "x"), ("div", "a < b"), ("p", "")]
    assert len(write_answer_html("x", {}, [], "a" * 1_000_000)) < 50_000
    assert len(write_answer_html("x", {}, [], "a\n" * 1_000_000)) < 1_000_000


def test_the_lines_of_code_stay_together():
    code = "def f():\n    x = 1\n\n    return x < 2"
    blocks = [block(0, "One"), replace(block(1, " ".join(code.split())), path="/html/body/pre/code/text()[1]")]
    root = html.fromstring(f"<div>{write_answer_html('x', {}, blocks, f'One{chr(10)}{code}{chr(10)}Two')}</div>")
    assert root.xpath("div/p/text()") == ["One", "Two"]
    assert root.xpath("div/pre/text()") == [code]


def test_the_heading_is_not_repeated():
    answer = extract("<title>Oil</title><h1>Oil</h1><p>The oil of the lamps.", model="shallow:all", fragment=False)
    assert answer.text.startswith("Oil\n")
    assert html.fromstring(f"<div>{answer._repr_html_()}</div>").xpath("div/p//text()") == ["The oil of the lamps."]


def test_a_text_has_a_paragraph_for_each_line_and_bold_headings():
    blocks = [
        replace(block(0, "The <b>"), tag="h2"),
        block(1, "One"),
        replace(block(2, "Two", Label.BOILERPLATE), tag="h3"),
    ]
    shown = write_answer_html("x", {}, blocks, "The <b>\n\nOne\nTwo")
    root = html.fromstring(f"<div>{shown}</div>")
    assert root.xpath("div/p//text()") == ["The <b>", "One", "Two"]
    assert root.xpath("div/p/b/text()") == ["The <b>"]


def test_the_rest_of_a_long_text_is_folded_and_no_line_is_cut():
    shown = write_answer_html("x", {}, [], "\n".join(map(str, range(100))))
    root = html.fromstring(f"<div>{shown}</div>")
    assert root.xpath("div/p/text()") == [*map(str, range(15))]
    assert root.xpath("string(div/details/summary)") == "85 more lines"
    assert "max-height" not in shown
