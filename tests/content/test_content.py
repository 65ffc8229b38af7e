"""The text of a page is at most three times as long as the page."""

from __future__ import annotations

import pytest
from contents import content_html, content_paragraphs, select
from hypothesis import given
from hypothesis import strategies as st
from strategies import html_trees

from scrapy_web2text.content.text import content_text
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS
from scrapy_web2text.page.parse import to_tree


def test_content_holds_the_leaves_of_content_blocks_and_their_blocks():
    content = select("<p>X</p><p>a <b>b</b></p>")
    assert (content.leaves.tolist(), content.leaf_blocks.tolist()) == ([1, 2], [1, 2])
    assert [*content.texts.values()] == ["a ", "b"]
    assert [*content.texts] == content.slots.tolist() == content.page.leaf_slots[1:].tolist()


def test_links_of_headings_to_themselves_are_not_content():
    assert [*select("<h2>a<a href=#a>¶</a></h2>").texts.values()] == ["a"]


def test_images_have_a_line_but_no_text():
    content = select("<p>a</p><p><img src=i.png></p><p>b</p>")
    assert [len(line.slots) for line in content.lines] == [1, 1]
    assert [slot in content.texts for line in content.lines_with_images for slot in line.slots] == [True, False, True]


def test_the_structure_is_read_once_for_all_forms(monkeypatch):
    read = []
    owners = Page.slot_owners
    monkeypatch.setattr(Page, "slot_owners", lambda page: read.append(page) or owners(page))
    content = select("<ul><li>a<li><ul><li>b</ul></ul><table><tr><td>c<td>d</table><pre>e</pre>")
    for write in (content_text, content_html, content_paragraphs):
        write(content)
    assert read == [content.page]


@pytest.mark.parametrize("first", [content_text, content_html, content_paragraphs])
def test_forms_do_not_depend_on_each_other(first):
    page = "<ul><li><ul><li>a</ul><li>b<li><ol><li>c</ol></ul><p>d <img src=i.png></p><p>e</p><p>X</p>"
    shared = select(page)
    first(shared)
    for write in (content_text, content_html, content_paragraphs):
        assert write(shared) == write(select(page))


def test_the_structure_of_a_page_without_content_is_not_read(monkeypatch):
    monkeypatch.setattr(Page, "slot_owners", None)
    content = select("<p>X</p>")
    assert (content_text(content), content_html(content), content_paragraphs(content)) == ("", "", ())


def test_the_base_is_that_of_the_document():
    other = to_tree("<html><head><base href='/c/'></head><body>a</body></html>")
    hidden = select("<base href='/d/'><a href=e>a</a>", base_root=other, url="https://example.org/")
    assert hidden.base == "https://example.org/c/"
    assert hidden.is_from_script
    assert [paragraph.block_indices for paragraph in content_paragraphs(hidden)] == [()]
    shown = select("<base href='/d/'><a href=e>a</a>", url="https://example.org/")
    assert shown.base == "https://example.org/d/"
    assert not shown.is_from_script


START = "<html><body>"
LISTS = "<ul><li>x" * 12
NUMBERED = "<ol start=900000><li>x" * 12


@pytest.mark.parametrize("part", ["<br>x", "<p>x", "<li>x", "<div>x</div>", "<pre>" + "x\n" * 50 + "</pre>", "x\n"])
@pytest.mark.parametrize("lists", [LISTS, NUMBERED, LISTS + "<pre>", NUMBERED + "<pre>", "<ol start=100000><li><pre>"])
def test_indented_items_do_not_make_a_text_longer_than_three_pages(lists, part):
    source = START + lists + part * (5_000 // len(part))
    assert len(content_text(select(source, "", MODERN_BLOCKS))) <= 3 * len(source.encode())


PARTS = (
    *("<ul>", "<ol>", "<ol start=999999>", "<li>", "<li>x", "x\n", "<br>", "<p>", "<pre>", "</pre>", "<td>"),
    "<table><tr>",
)


@given(parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=30), n=st.integers(1, 20))
def test_no_mix_of_lists_makes_a_text_longer_than_three_pages(parts, n):
    source = START + "".join(parts) * n
    assert len(content_text(select(source, "", MODERN_BLOCKS))) <= 3 * len(source.encode())


@given(html=html_trees())
def test_no_page_has_a_text_longer_than_three_pages(html):
    assert len(content_text(select(html, "", MODERN_BLOCKS))) <= 3 * len(html.encode()) + 3


def test_items_of_ordinary_lists_are_indented_ten_levels_deep():
    source = "".join(f"<ul><li>An item of level {level}" for level in range(13))
    indents = [len(line) - len(line.lstrip()) for line in content_text(select(source, "", MODERN_BLOCKS)).split("\n")]
    assert indents == [*range(0, 20, 2), 20, 20, 20]
