"""The parts that an answer has if an option asks for them, and the formats in which commands print it.

Front matter is read by the rules of YAML 1.1 and 1.2 for double-quoted scalars.
"""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml.html import HtmlComment, fragments_fromstring, fromstring
from markdown_it import MarkdownIt
from places import ROOT

from scrapy_web2text import Extraction, Extractor, Options, Web2TextSettings
from scrapy_web2text.answer import sequence
from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options
from scrapy_web2text.content.escaping import drop_forbidden_characters
from scrapy_web2text.content.forms import FORMATS, page_header, write_front_matter
from scrapy_web2text.content.nodes import Document, Passage
from scrapy_web2text.extraction import EXTRACTION_FIELDS
from scrapy_web2text.options import OPTIONAL_PARTS, OPTIONS

PAGE = "<body><h1>The bridge</h1>" + "<p>The old bridge over the river was rebuilt by the people of the town.</p>" * 4

every_part = pytest.mark.parametrize("name", OPTIONAL_PARTS)


@pytest.mark.parametrize("name", ["text", "markdown"])
def test_no_text_forges_the_header_of_another_page(name):
    answer = Extraction(text="### u | Evil", markdown="a\n### u | Evil", title="Title")
    printed = FORMATS[name].write_part("v", answer)
    assert [line for line in printed.splitlines() if line.startswith("### ")] == ["### v | Title"]
    assert FORMATS["text"].write(answer) == answer.text


@every_part
def test_a_part_is_a_field_of_options_and_extractions_and_empty_by_default(name):
    assert not getattr(Options(), name)
    assert Extraction().field(name) in (None, [])
    assert name in EXTRACTION_FIELDS


def test_only_parts_are_asked_for_by_flags():
    flags = [field.name for field in fields(Options) if field.type == "bool" and field.default is False]
    assert flags == [name for name in OPTIONAL_PARTS if name != "chunks"]  # a number


@every_part
def test_an_answer_holds_a_part_only_if_an_option_asks_for_it(name):
    page = (ROOT / "tests" / "pages" / "forum-thread.html").read_bytes()
    plain = Extractor().extract(page)
    asked_for = Options(**{name: 9 if name == "chunks" else True})
    asked = Extractor(asked_for).extract(page)
    assert plain.field(name) in (None, [])
    assert asked.field(name) not in (None, [])
    assert set(asked.to_dict()) - set(plain.to_dict()) == {name}
    assert asked.to_dict()[name] == asked.field(name)
    assert Extractor(asked_for.replace(blocks="none")).extract(page).field(name) == asked.field(name)


@every_part
def test_a_field_of_items_asks_for_its_part(name):
    options = Web2TextSettings.from_settings({"WEB2TEXT_FIELDS": {"x": name}}).options
    assert [part for part in OPTIONAL_PARTS if getattr(options, part)] == [name]


@every_part
def test_a_part_is_a_command_line_argument(name, capsys):
    parser = argparse.ArgumentParser()
    add_option_arguments(parser, blocks="none")
    options = arguments_to_options(parser.parse_args([f"--{name}"] + ["9"] * (name == "chunks")))
    assert [part for part in OPTIONAL_PARTS if getattr(options, part)] == [name]
    with pytest.raises(SystemExit):
        parser.parse_args(["--help-all"])
    assert OPTIONS[name].help in " ".join(capsys.readouterr().out.split())


def test_the_document_is_built_once_for_all_forms(monkeypatch):
    built = []
    document = Document([Passage("p", ["x"], (0, 0))], (), 1)
    monkeypatch.setattr(sequence, "build_document", lambda content, posts: built.append(content) or document)
    answer = Extractor(model="shallow", html=True, markdown=True).extract(PAGE)
    assert (answer.html, answer.markdown, len(built)) == ("<p>x</p>", "x", 1)


# Formats.

ANSWER = Extraction(
    text="The bridge\nÜber den Fluß", html="<p>The bridge</p>", markdown="# The bridge", title="Bridges", method="model"
)


@pytest.mark.parametrize(
    ("name", "header", "expected"),
    [
        ("text", "### a.html | Bridges", "The bridge\nÜber den Fluß"),
        ("markdown", "### a.html | Bridges", "# The bridge"),
        ("html", "<!-- a.html | Bridges -->", "<p>The bridge</p>"),
    ],
)
def test_a_single_page_has_no_header_and_each_of_several_has_one_with_its_name(name, header, expected):
    assert FORMATS[name].write(ANSWER) == expected
    assert FORMATS[name].write_part("a.html", ANSWER) == f"{header}\n{expected}\n"


def test_json_holds_the_whole_answer():
    assert json.loads(FORMATS["json"].write(ANSWER)) == ANSWER.to_dict()
    assert "Über den Fluß" in FORMATS["json"].write(ANSWER)


def test_json_of_several_pages_is_one_line_each_with_their_urls_or_names():
    line = FORMATS["json"].write_part("a.html", ANSWER)
    assert "\n" not in line
    assert json.loads(line) == {**ANSWER.to_dict(), "url": "a.html"}
    assert json.loads(FORMATS["json"].write_part("http://a/", Extraction(url="http://b/")))["url"] == "http://b/"


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_an_answer_without_content_is_printed_empty(name):
    assert FORMATS[name].write(Extraction(method="model")) == ""


@pytest.mark.parametrize("form", FORMATS.values(), ids=list(FORMATS))
def test_formats_ask_for_options_that_exist(form):
    Options().replace(**form.options)


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
    part = FORMATS["markdown"].write_part("<x>", Extraction(markdown="y", title=title))
    assert fromstring(MarkdownIt("commonmark").render(part)).text_content().startswith(f"<x> | {title}\n")


def test_the_header_of_a_page_without_a_title_is_its_name():
    assert page_header("x", "") == "### x"


# YAML 1.1, 5.1: printable characters, without those that 5.4 calls line breaks, and without the byte order mark.
PRINTABLE = re.compile("[\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
# 5.7; a pair of escaped surrogates would be two characters.
ESCAPES = re.compile(r'(?:[^\\"]|\\["\\/bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*')


def read(text: str) -> dict[str, Any]:
    """Return the values of front matter; each line is a key and a double-quoted scalar or a float."""
    first, *lines, last, rest = text.split("\n")
    assert (first, last, rest) == ("---", "---", "")
    values: dict[str, Any] = {}
    for line in lines:
        key, value = re.fullmatch(r"([a-z]+): (.+)", line).groups()
        assert key not in values
        assert PRINTABLE.fullmatch(value)
        if value.startswith('"'):
            assert ESCAPES.fullmatch(value[1:-1])
            values[key] = json.loads(value)
        else:
            assert re.fullmatch(r"\d\.\d{4}", value)
            values[key] = float(value)
    return values


def write(title: Any = None, **values: Any) -> str:
    return write_front_matter({"title": title, **values})


def test_front_matter_has_the_values_of_the_page_in_order():
    written = write("Lamp oil", url="https://a.org/?b=1#c", date="2024-03-05", language="no", confidence=0.91234)
    expected = 'url: "https://a.org/?b=1#c"', 'title: "Lamp oil"', 'date: "2024-03-05"', 'language: "no"'
    assert written.split("\n") == ["---", *expected, "confidence: 0.9123", "---", ""]


def test_front_matter_has_the_metadata_in_a_stable_order():
    values = {name: f"a {name}" for name in ("image", "description", "site_name", "author")}
    written = write_front_matter({"tags": ["a, b", "", 'c"d'], **values, "images": ["x"]})
    order = "author", "site_name", "description", "image"
    assert written.split("\n") == [
        "---",
        *(f'{name}: "a {name}"' for name in order),
        'tags: ["a, b", "c\\"d"]',
        "---",
        "",
    ]


@pytest.mark.parametrize("missing", [None, "", " \n ", "\x00", [], [""]])
def test_values_that_are_missing_are_left_out(missing):
    assert write(missing, url=missing) == "---\n---\n"


@pytest.mark.parametrize(("value", "written"), [(1e-7, "0.0000"), (1.0, "1.0000"), (0.99999, "1.0000")])
def test_a_confidence_is_a_number_in_any_yaml(value, written):
    assert write(confidence=value) == f"---\nconfidence: {written}\n---\n"


@example("a: b # c")
@example('"quoted" \\ and \\n')
@example("- [x] {y} & *z !w | > % @ `")
@example("---")
@example("a\r\n---\r\nb\u2029c\vd")
@given(st.text(st.characters() | st.sampled_from("\\\"'#:-\x7f\x85\x9f\u2028\ufeff\ud800\udfff\uffff"), max_size=30))
def test_every_text_comes_back_on_one_line(text):
    cleaned = " ".join(drop_forbidden_characters(text).split())
    assert read(write(text)) == ({"title": cleaned} if cleaned else {})
