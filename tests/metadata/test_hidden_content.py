from __future__ import annotations

import json

import pytest

from scrapy_web2text import extract
from scrapy_web2text.metadata.hidden_content import find_hidden_content
from scrapy_web2text.page.parse import to_tree

STORY = "The old bridge over the river was rebuilt by the people of the town. It took them all of the spring. " * 6
SHELL = "<html><head>{}</head><body><div id=root></div><noscript>Please enable scripts.</noscript></body></html>"


def shell(data: object, kind: str = "application/ld+json") -> str:
    text = data if isinstance(data, str) else json.dumps(data).replace("</", "<\\/")
    return SHELL.format(f'<script type="{kind}">{text}</script>')


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"@type": "NewsArticle", "articleBody": STORY}, "application/ld+json"),
        ({"@graph": [{"@type": "WebSite"}, {"@type": "BlogPosting", "articleBody": STORY}]}, "application/ld+json"),
        ({"props": {"pageProps": {"post": {"content": STORY}}}}, "application/json"),
    ],
    ids=["json-ld", "graph", "state"],
)
def test_content_in_scripts_is_found_and_the_answer_names_the_method(data, kind):
    extraction = extract(shell(data, kind))
    assert extraction.text == STORY.strip()
    assert extraction.method == "structured-data"
    assert (extraction.model, extraction.confidence, extraction.reason) == (None, None, "empty")
    assert not extraction.no_main_content
    assert extraction.summary["method"] == "structured-data"


def test_hidden_markup_is_written_like_that_of_a_page():
    body = f"<h2>Bridges</h2><p>{STORY}</p><ul><li><a href='/a'>One</a></li></ul><script>alert(1)</script>"
    extraction = extract(
        shell({"content": body}, "application/json"), "https://example.org/b", html=True, markdown=True, paragraphs=True
    )
    assert extraction.text == f"Bridges\n{STORY.strip()}\n- One"
    assert extraction.html is not None
    assert '<li><a href="https://example.org/a">One</a></li>' in extraction.html
    assert "alert" not in extraction.html
    assert extraction.markdown is not None
    assert extraction.markdown.startswith("## Bridges")
    assert [(p.kind, p.block_indices) for p in extraction.paragraphs] == [
        ("heading", ()),
        ("paragraph", ()),
        ("list-item", ()),
    ]


def test_the_confidence_of_the_empty_answer_is_dropped():
    extraction = extract(shell({"articleBody": STORY}), min_confidence=1)
    assert (extraction.method, extraction.low_confidence) == ("structured-data", False)


def test_visible_content_is_preferred():
    page = shell({"articleBody": STORY}).replace("<div id=root>", f"<h1>Bridges</h1><p>{'Seen by all. ' * 40}</p><div>")
    extraction = extract(page)
    assert extraction.method == "model"
    assert STORY.strip() not in extraction.text


@pytest.mark.parametrize(
    "data",
    [
        {"articleBody": "Too short."},
        {"description": STORY},
        {"articleBody": "a1b2c3 " * 200},
        {"articleBody": ".x{color:red;margin:0}" * 200},
        {"articleBody": "word " * 200},
        {"articleBody": 7},
        {"articleBody": None},
        "{broken",
        "[" * 100_000,
        "",
    ],
)
def test_only_prose_is_content(data):
    assert find_hidden_content(to_tree(shell(data))) is None
    assert extract(shell(data)).method == "model"


def test_hostile_data_is_searched_within_limits():
    deep: object = STORY
    for _ in range(300):
        deep = {"articleBody": [deep]}
    assert find_hidden_content(to_tree(shell(deep))) is not None
    many = [{"articleBody": ""}] * 300_000
    assert find_hidden_content(to_tree(shell({"a": many}))) is None
    assert find_hidden_content(to_tree(shell({"articleBody": STORY * 10_000}))) is None


def test_scripts_of_other_types_are_not_read():
    assert find_hidden_content(to_tree(shell({"articleBody": STORY}, "text/javascript"))) is None


def test_chinese_text_needs_no_spaces():
    text = "那座古老的桥在那年春天由镇上的人们重新建造。" * 30
    assert extract(shell({"articleBody": text})).text == text
