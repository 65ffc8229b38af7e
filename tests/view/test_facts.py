from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from scrapy_web2text import Options, extract
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.reasons import REASONS
from scrapy_web2text.view.seen import facts_of_item, link_text, see_page

PAGES = ROOT / "tests" / "pages"
SENTENCE = "This is a sentence of the main content, which is long enough for all of the models and rules."


def see(name, **options):
    return see_page((PAGES / name).read_bytes(), name, Options(**options))


def test_a_page_has_its_answer_its_markup_and_its_chain():
    answer = extract((PAGES / "faq.html").read_bytes())
    page = see("faq.html")
    assert page["texts"] == [block.text for block in answer.blocks]
    assert page["labels"] == [block.label for block in answer.blocks]
    assert page["paths"] == [block.path for block in answer.blocks]
    assert page["facts"]["confidence"] == round(answer.confidence, 4)
    assert "".join(text for _, text in page["pieces"]) == answer.text
    assert page["html"].count("data-b=") >= answer.n_blocks
    assert len(page["chain"]["odds"]) == answer.n_blocks == len(page["chain"]["pairs"][0]) + 1
    assert json.loads(json.dumps(page, allow_nan=False))["chain"]["decoder"] in ("marginal", "viterbi")


def test_selected_elements_have_no_chain():
    page = see("faq.html", include=("body",))
    assert (page["chain"], page["probabilities"]) == (None, None)
    assert page["html"] is not None


def test_a_page_without_blocks_is_its_answer():
    page = see_page(b"", "empty", Options())
    assert (page["html"], page["reason"]) == (None, REASONS["empty_body"])


def test_content_from_a_script_has_no_blocks_on_the_page():
    body = json.dumps({"@type": "Article", "headline": "A title", "articleBody": f"{SENTENCE} " * 20})
    html = f'<html><body><p>Loading</p><script type="application/ld+json">{body}</script></body></html>'
    page = see_page(html.encode(), "page", Options())
    assert page["facts"]["method"] == "structured-data"
    assert "".join(text for _, text in page["pieces"]).startswith(SENTENCE)


def test_pages_without_content_by_their_kind_say_so():
    page = see("cookie-wall.html")
    assert page["emptied"] == "verdict"
    assert set(page["drop_reasons"]) <= {"", "verdict"}
    assert 1 not in page["labels"]


def test_excluded_blocks_say_so():
    html = f"<html><body><article><p>{SENTENCE}</p><p class=x>{SENTENCE[::-1]} <b>bold</b></p>" + (
        "".join(f"<p>{i}. {SENTENCE}</p>" for i in range(9)) + "</article></body></html>"
    )
    page = see_page(html.encode(), "page", Options(exclude=("b",)))
    assert [text for text, reason in zip(page["texts"], page["drop_reasons"], strict=True) if reason == "excluded"] == [
        "bold"
    ]
    assert page["chain"]["origins"] == [0, 1, 1, *range(2, 11)]


def test_copies_say_so(monkeypatch):
    def drop_all_but_the_first(texts, labels, n_tokens, **facts):
        labels = labels.copy()
        labels[labels.nonzero()[0][1:]] = 0
        return labels

    monkeypatch.setattr("scrapy_web2text.labelers.modern.decisions.drop_repeats", drop_all_but_the_first)
    page = see("blog-many-comments.html")
    assert page["drop_reasons"].count("copy") > 0
    assert page["emptied"] is None


def test_an_unlikely_answer_says_so(monkeypatch):
    monkeypatch.setattr(
        "scrapy_web2text.labelers.modern.decisions.drop_unlikely_content", lambda labels, *_: labels * 0
    )
    page = see_page(f"<html><body><h1>A title</h1><p>{SENTENCE}</p></body></html>".encode(), "page", Options())
    assert page["emptied"] == "unlikely"
    assert "unlikely" in page["drop_reasons"]
    assert 1 not in page["labels"]


@pytest.mark.parametrize("name", ["add_page", "show_look"])
def test_a_page_that_takes_too_long_to_show_is_its_answer(monkeypatch, name):
    def fail(*_: object) -> None:
        raise PageError("timeout", "late")

    monkeypatch.setattr(f"scrapy_web2text.view.seen.{name}", fail)
    page = see("faq.html")
    assert "look" not in page
    assert (page["html"] is None) == (name == "add_page")
    assert page["texts"]


BLOCK = {"text": "words", "label": "content", "probability": 0.9, "tag": "p", "path": "/html/body/p"}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"text": "words", "blocks": [BLOCK]}, ([1], [0.9], [(0, "words")])),
        ({"text": "words", "blocks": [{**BLOCK, "probability": None}]}, ([1], None, [(0, "words")])),
        ({"text": "words", "blocks": [{**BLOCK, "label": "boilerplate"}]}, ([0], [0.9], [(-1, "words")])),
        ({"text": "words"}, ([], None, [(-1, "words")])),
        ({"text": 5, "blocks": 7}, ([], None, [])),
        ({"blocks": [3, BLOCK]}, ([1], [0.9], [])),
    ],
)
def test_an_item_shows_what_it_has(item, expected):
    page = facts_of_item(item, "name")
    assert (page["labels"], page["probabilities"], page["pieces"]) == expected


@pytest.mark.parametrize("key", ["summary", "web2text"])
def test_the_summary_of_an_item_may_be_in_a_field(key):
    page = facts_of_item({key: {"confidence": 0.5, "reason": "timeout"}, "url": "https://x.example/"}, "name")
    assert page["facts"] == {"url": "https://x.example/", "confidence": 0.5, "reason": "timeout"}
    assert page["reason"] == REASONS["timeout"]


def test_the_text_of_a_crawl_is_found():
    assert facts_of_item({"main_content": "a"}, "name")["pieces"] == [(-1, "a")]
    assert facts_of_item({"main_content": "a", "text": "b"}, "name")["pieces"] == [(-1, "b")]
    assert facts_of_item({"main_content": None}, "name")["pieces"] == []


def test_long_paths_show_their_end():
    page = facts_of_item({"blocks": [{**BLOCK, "path": f"/{'div/' * 500}p"}]}, "name")
    assert (len(page["paths"][0]), page["paths"][0][-6:]) == (501, "/div/p")


@pytest.mark.parametrize("path", sorted((PAGES / "hostile").iterdir()), ids=lambda path: path.name)
def test_every_hostile_page_is_shown(path):
    page = see_page(path.read_bytes(), path.name, Options())
    data = json.loads(json.dumps(page, allow_nan=False))
    assert "".join(text for _, text in data["pieces"]) == extract(path.read_bytes()).text
    if data["html"] is not None:
        marked = {int(number) for number in re.findall(r'<span data-b="(\d+)">', data["html"])}
        assert marked == {*range(len(data["labels"]))}
        assert not re.search(r"<[^>]*\s(?!data-[bt]=|colspan=|rowspan=)[\w-]+=", data["html"])


@pytest.mark.parametrize(
    ("text", "texts", "expected"),
    [
        ("", [], []),
        ("one", [], [(-1, "one")]),
        ("one\ntwo", [(3, "one"), (5, "two")], [(3, "one\n"), (5, "two")]),
        ("Title\none", [(1, "one")], [(-1, "Title\n"), (1, "one")]),
        ("- one\n- two", [(0, "one"), (1, "two")], [(0, "- one\n"), (1, "- two")]),
        ("a\tb", [(0, "a"), (1, "b")], [(0, "a\t"), (1, "b")]),
        ("one\n two", [(0, "one two")], [(0, "one\n two")]),
        ("one\nthree", [(0, "one"), (1, "two"), (2, "three")], [(0, "one\n"), (2, "three")]),
        ("one", [(0, "")], [(-1, "one")]),
        ("one\nUse\ntwo", [(0, "one"), (1, "Use[edit]"), (2, "two")], [(0, "one\n"), (1, "Use\n"), (2, "two")]),
        ("Useful\ntwo", [(0, "Use[edit]"), (1, "Useful"), (2, "two")], [(1, "Useful\n"), (2, "two")]),
        (f"{SENTENCE} So.\ntwo", [(0, f"{SENTENCE}[1] So."), (1, "two")], [(0, f"{SENTENCE} So.\n"), (1, "two")]),
    ],
    ids=[
        "empty",
        "unknown",
        "lines",
        "title",
        "marks",
        "cells",
        "spaces",
        "missing",
        "without text",
        "link after it",
        "another word",
        "note in it",
    ],
)
def test_each_part_of_the_text_is_from_its_block(text, texts, expected):
    assert link_text(text, texts) == expected


@given(st.lists(st.text("ab \n", max_size=5), max_size=6), st.text("ab \n-", max_size=30))
def test_the_parts_make_up_the_text(blocks, text):
    pieces = link_text(text, [*enumerate(blocks)])
    assert "".join(part for _, part in pieces) == text
    numbers = [number for number, _ in pieces if number >= 0]
    assert numbers == sorted(set(numbers))


def test_all_blocks_of_a_page_are_found():
    html = """<html><body><h1>A title of this page</h1><ul><li>One item <b>here</b></li><li>Another</li></ul>
    <table><tr><td>left</td><td>right</td></tr></table><pre>some  code\n  more</pre><p>The last words<br>of it.</p>"""
    answer = extract(html, fragment=True)
    pieces = link_text(answer.text, [(block.index, block.text) for block in answer.blocks])
    assert [number for number, _ in pieces] == [*range(answer.n_blocks)]
