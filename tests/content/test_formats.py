from __future__ import annotations

import json

import pytest
from lxml.html import HtmlComment, fragments_fromstring, fromstring
from markdown_it import MarkdownIt

from scrapy_web2text import Extraction, Options
from scrapy_web2text.content.formats import FORMATS, page_header

ANSWER = Extraction(
    text="The bridge\nÜber den Fluß", html="<p>The bridge</p>", markdown="# The bridge", title="Bridges", method="model"
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("text", "The bridge\nÜber den Fluß"), ("md", "# The bridge"), ("html", "<p>The bridge</p>")],
)
def test_a_single_page_is_printed_without_a_header(name, expected):
    assert FORMATS[name].write(ANSWER) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("text", "### a.html | Bridges\nThe bridge\nÜber den Fluß\n"),
        ("md", "### a.html | Bridges\n# The bridge\n"),
        ("html", "<!-- a.html | Bridges -->\n<p>The bridge</p>\n"),
    ],
)
def test_each_of_several_pages_has_a_header_with_its_name(name, expected):
    assert FORMATS[name].write_part("a.html", ANSWER) == expected


def test_json_holds_the_whole_answer():
    assert json.loads(FORMATS["json"].write(ANSWER)) == ANSWER.to_dict()
    assert "Über den Fluß" in FORMATS["json"].write(ANSWER)


def test_json_of_several_pages_is_one_line_each_with_their_names():
    line = FORMATS["json"].write_part("a.html", ANSWER)
    assert "\n" not in line
    assert json.loads(line) == {**ANSWER.to_dict(), "url": "a.html"}


def test_json_keeps_the_url_of_an_answer():
    line = FORMATS["json"].write_part("http://a/", Extraction(url="http://b/"))
    assert json.loads(line)["url"] == "http://b/"


@pytest.mark.parametrize("name", ["md", "html"])
def test_an_answer_without_content_is_printed_empty(name):
    assert FORMATS[name].write(Extraction(method="model")) == ""


@pytest.mark.parametrize("form", FORMATS.values(), ids=list(FORMATS))
def test_formats_ask_for_options_that_exist(form):
    Options().replace(**form.options)


@pytest.mark.parametrize(("name", "option"), [("md", "markdown"), ("html", "html")])
def test_formats_ask_for_the_form_that_they_print(name, option):
    assert FORMATS[name].options[option] is True


def test_a_title_ends_neither_its_line_nor_its_comment():
    answer = Extraction(html="<p>x", title="a\n--> b")
    assert FORMATS["html"].write_part("x", answer).splitlines() == ["<!-- x | a - -> b -->", "<p>x"]
    assert page_header("x\ny", "a\nb") == "### x y | a b"


@pytest.mark.parametrize("title", ["Nice---><script>x</script>", "a--!><b>", "-", "->", ">", "---", "<!--", "a--"])
def test_no_title_ends_the_comment_of_its_page(title):
    part = FORMATS["html"].write_part("x-", Extraction(html="<p>x</p>", title=title))
    comment, paragraph = fragments_fromstring(part)
    assert isinstance(comment, HtmlComment)
    assert (paragraph.tag, paragraph.text) == ("p", "x")
    assert "--" not in part.split("\n")[0][4:-3]


@pytest.mark.parametrize("title", ["<img src=x onerror=y>", "[a](javascript:b)", "&lt;b>", "`<b>", "\\<b>", "!["])
def test_no_title_is_interpreted_as_markdown(title):
    part = FORMATS["md"].write_part("<x>", Extraction(markdown="y", title=title))
    assert fromstring(MarkdownIt("commonmark").render(part)).text_content().startswith(f"<x> | {title}\n")


def test_the_header_of_a_page_without_a_title_is_its_name():
    assert page_header("x", "") == "### x"
