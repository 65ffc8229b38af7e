from __future__ import annotations

import pytest
from lxml import etree
from mockserver import SENTENCE

from scrapy_web2text.extractor import extract
from scrapy_web2text.options import DEFAULT_MODEL
from scrapy_web2text.page.parse import to_tree

RULES = "shallow:numwords"


def deep(n: int, inside: str, tag: str = "div") -> bytes:
    return (
        f"<html><body><p>{SENTENCE} First.</p>{f'<{tag}>' * n}{inside}{f'</{tag}>' * n}<p>{SENTENCE} Last.</p>".encode()
    )


@pytest.mark.parametrize("model", [RULES, DEFAULT_MODEL])
@pytest.mark.parametrize("tag", ["div", "b", "font", "section", "x-y", "blockquote", "li><ul"])
def test_a_page_of_more_than_2048_levels_is_read_up_to_there_with_the_reason_too_deep(model, tag):
    answer = extract(deep(3_000, f"{SENTENCE} Inside.", tag), model=model)
    assert answer.reason == "too_deep"
    assert answer.method == ("rules" if model == RULES else "model")
    assert [word for word in ("First.", "Inside.", "Last.") if word in answer.text] == ["First."]


@pytest.mark.parametrize("n", [100, 1_000, 2_045])
@pytest.mark.parametrize("inside", ["Inside.", "<!-- x -->Inside."])
def test_a_page_whose_text_is_complete_does_not_get_the_reason(n, inside):
    page = deep(n, inside).removesuffix(f"<p>{SENTENCE} Last.</p>".encode())
    for source in (page, page.removesuffix(b"</div>" * n)):
        assert extract(source, model=RULES).reason is None
        assert "Inside." in "".join(to_tree(source).itertext())


def test_the_errors_of_a_page_do_not_hide_its_depth():
    page = b"</b></i>" * 500 + deep(3_000, "Inside.")
    assert extract(page, model=RULES).reason == "too_deep"


def test_pages_of_open_tags_take_linear_time_and_have_an_answer():
    for part in (b"<b>", b"<div>x", b"<font><p>x", b"<i></b>x"):
        root = to_tree(part * (20_000 // len(part)))
        assert isinstance(root.tag, str)


def test_a_page_without_elements_has_an_empty_tree():
    assert len(to_tree(b"")) == 1


def test_a_tree_of_the_caller_can_be_deeper_than_libxml2_builds_them():
    root = etree.fromstring("<html><body><div/></body></html>")
    below = root[0][0]
    for _ in range(10_000):
        below = etree.SubElement(below, "div")
    etree.SubElement(below, "p").text = f"{SENTENCE} {SENTENCE} {SENTENCE}"
    for model in (RULES, DEFAULT_MODEL):
        answer = extract(root, model=model, html=True, markdown=True, paragraphs=True)
        assert SENTENCE in answer.text
        assert answer.reason is None
