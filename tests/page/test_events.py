from __future__ import annotations

import pytest
from hypothesis import given
from lxml import etree
from mockserver import SENTENCE
from places import PAGES
from strategies import html_trees

from scrapy_web2text.extractor import extract
from scrapy_web2text.options import DEFAULT_MODEL
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.bounds import DEEPEST, build_tree, is_flattened
from scrapy_web2text.page.parse import to_tree

RULES = "shallow:numwords"


def deep(n: int, inside: str, tag: str = "div") -> bytes:
    return (
        f"<html><body><p>{SENTENCE} First.</p>{f'<{tag}>' * n}{inside}{f'</{tag}>' * n}<p>{SENTENCE} Last.</p>".encode()
    )


def lowest_of(root: etree._Element) -> tuple[etree._Element, int]:
    """Return the element around the last of the lowest level, and its level."""
    depth = 1
    while len(root) and len(root[-1]):
        root = root[-1]
        depth += 1
    return root, depth


@pytest.mark.parametrize("model", [RULES, DEFAULT_MODEL])
@pytest.mark.parametrize("tag", ["div", "b", "font", "section", "x-y", "blockquote", "li><ul"])
def test_text_below_2048_elements_is_read_with_the_reason_too_deep(model, tag):
    answer = extract(deep(3_000, f"{SENTENCE} Inside.", tag), model=model, blocks="all")
    assert answer.reason == "too_deep"
    assert answer.method == ("rules" if model == RULES else "model")
    assert [word for word in ("First.", "Inside.", "Last.") if word in answer.text] == ["First.", "Inside.", "Last."]
    assert {block.path for block in answer.blocks} == {None}


@pytest.mark.parametrize("n", [100, 1_000, 2_045, 2_046])
@pytest.mark.parametrize("inside", ["Inside.", "<!-- x -->Inside."])
def test_a_page_whose_text_is_complete_does_not_get_the_reason(n, inside):
    page = deep(n, inside).removesuffix(f"<p>{SENTENCE} Last.</p>".encode())
    for source in (page, page.removesuffix(b"</div>" * n)):
        assert extract(source, model=RULES).reason is None
        assert not is_flattened(to_tree(source))
        assert "Inside." in "".join(to_tree(source).itertext())


def test_elements_that_are_too_deep_become_siblings_in_their_order():
    root = to_tree(b"<html><body>" + b"<div>" * 2_100 + b"a<p>b<b>c</b>d</p>e<ul><li>f<li>g</ul>h")
    assert is_flattened(root)
    lowest, depth = lowest_of(root)
    assert depth == DEEPEST
    assert [(child.tag, child.text, child.tail) for child in lowest][-6:] == [
        *(("div", "a", None), ("p", "b", None), ("b", "c", "de")),
        *(("ul", None, None), ("li", "f", None), ("li", "g", "h")),
    ]


def test_the_errors_of_a_page_do_not_hide_its_depth():
    page = b"</b></i>" * 500 + deep(3_000, "Inside.")
    assert extract(page, model=RULES).reason == "too_deep"


def test_pages_of_open_tags_take_linear_time_and_have_an_answer():
    for part in (b"<b>", b"<div>x", b"<font><p>x", b"<i></b>x"):
        root = to_tree(part * (20_000 // len(part)))
        assert isinstance(root.tag, str)


def test_the_work_for_end_tags_is_bounded():
    root = build_tree(b"<div>" * 20_000 + b"x</b>" * 100_000 + b"<p>end")
    assert 0 < "".join(root.itertext()).count("x") < 50_000


def test_a_page_without_elements_has_no_tree():
    assert build_tree(b" ") is None
    assert len(to_tree(b"")) == 1


def elements_of(root: etree._Element) -> list[tuple[str, dict[str, str]]]:
    return [(node.tag, dict(node.attrib)) for node in tree_to_page(root).elements if isinstance(node.tag, str)]


def texts_of(root: etree._Element) -> list[str]:
    return "".join(tree_to_page(root).texts).split()


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_the_tree_from_events_has_the_elements_of_that_by_libxml2(path):
    source = path.read_text(encoding="utf-8" if b"charset=windows" not in path.read_bytes() else "cp1252").encode()
    expected = elements_of(to_tree(source))
    assert elements_of(build_tree(source)) == expected
    assert texts_of(build_tree(source)) == texts_of(to_tree(source))


@given(html=html_trees(with_controls=False))
def test_the_tree_from_events_has_all_text(html):
    source = f"<html><body>{html}".encode()
    assert sorted("".join(texts_of(build_tree(source)))) == sorted("".join(texts_of(to_tree(source))))


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


def test_the_path_of_a_text_with_a_comment_in_it_leads_to_it_whatever_builds_the_tree():
    page = "<p>One<!-- a -- b -->two.</p><!-- c --><p>Three.</p>"
    tag = f"<i {' '.join(f'a{n}' for n in range(3_000))}></i>"
    plain, built = (extract(page + more, model=RULES, blocks="all").blocks for more in ("<i></i>", tag))
    assert [(block.path, block.text) for block in built] == [(block.path, block.text) for block in plain]
