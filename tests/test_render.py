from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import html_trees

from scrapy_web2text.blocks import SHALLOW_BLOCKS, TEXT_LEAVES, Block, Label, Segmentation, segment
from scrapy_web2text.dom import to_tree
from scrapy_web2text.page import tree_to_page
from scrapy_web2text.render import content_text, export_blocks


def render(html: str, boilerplate: str = "", segmentation: Segmentation = TEXT_LEAVES) -> str:
    """Return the text of all blocks but those that hold one of the characters *boilerplate*."""
    page = tree_to_page(to_tree(html))
    blocks = segment(page, segmentation)
    texts = [page.texts[leaf] for leaf in blocks.leaves[blocks.starts]]
    return content_text(page, blocks, np.array([not set(text) & set(boilerplate) for text in texts], dtype=np.int64))


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a</p><p>b</p>", "a\nb"),
        ("<p>a<b>b</b>c</p>", "abc"),
        ("<p>a <b>b</b> c</p>", "a b c"),
        ("<p>a<b> b </b>c</p>", "a b c"),
        ("<p><a>a</a> <a>b</a></p>", "a b"),
        ("<p><a>a</a><a>b</a></p>", "ab"),
        ("<p>a<!-- x -->b</p>", "ab"),
        ("a<br>b", "a\nb"),
        ("<p>a<br>\n<br>b</p>", "a\nb"),
        ("<h1>a</h1>b<div>c</div>d", "a\nb\nc\nd"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a\nb"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "a\nb\nc"),
        ("<p>a\n   b\t\tc&nbsp;d</p>", "a b c d"),
        ("<p> a </p> <p> b </p>", "a\nb"),
        ("<p>a<img>b<foo>c</foo></p>", "abc"),
        ("<p>a<hr>b</p>", "a\nb"),
        ("<p>a<span><div>b</div></span>c</p>", "a\nb\nc"),
        ("<html><body><p>a</p></body>b<p>c</p></html>d", "a\nb\nc\nd"),
    ],
)
def test_lines_end_at_block_tags_and_texts_are_joined_as_the_page_has_them(html, text):
    assert render(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a</p><p>X</p><p>b</p>", "a\nb"),
        ("<p>a<i>X</i>b</p>", "a b"),
        ("<p>a <i>X</i> b</p>", "a b"),
        ("<p>a, <i>X</i>b</p>", "a, b"),
        ("<p>a</p>X<p>b</p>", "a\nb"),
        ("<p>X<i>a</i>X</p>", "a"),
        ("<p>a<script>no</script>b</p>", "ab"),
        ("<p>X</p>", ""),
        ("", ""),
    ],
)
def test_what_is_left_out_leaves_a_space_or_the_end_of_a_line(html, text):
    assert render(html, boilerplate="X") == text


def test_blocks_of_several_leaves_are_taken_whole():
    assert render("<p>a <a>b</a> <a>c</a></p><p>X <a>d</a></p>e", "X", SHALLOW_BLOCKS) == "a b c\ne"


@given(html=html_trees(), data=st.data())
def test_the_text_holds_the_letters_of_the_content_in_order(html, data):
    page = tree_to_page(to_tree(html))
    blocks = segment(page, TEXT_LEAVES)
    n = blocks.n_blocks
    labels = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), dtype=np.int64)
    text = content_text(page, blocks, labels)
    content = "".join(page.texts[leaf] for leaf in blocks.leaves[labels == 1])
    assert "".join(text.split()) == "".join(content.split())
    assert "\n\n" not in text
    assert all(line == line.strip() and "  " not in line for line in text.split("\n"))


def export(html: str, labels: list[int], segmentation: Segmentation, **options: object) -> tuple[Block, ...]:
    page = tree_to_page(to_tree(html))
    probabilities = np.linspace(0, 1, len(labels))
    return export_blocks(
        page, segment(page, segmentation), np.array(labels), probabilities, **{"content_only": False, **options}
    )


def test_a_block_of_one_leaf_has_the_path_of_its_text():
    blocks = export("<p>a <b> b </b></p>", [0, 1], TEXT_LEAVES)
    assert blocks == (
        Block(0, "a", Label.BOILERPLATE, 0.0, "p", "/html/body/p/text()[1]"),
        Block(1, "b", Label.CONTENT, 1.0, "b", "/html/body/p/b/text()[1]"),
    )


def test_a_block_of_several_leaves_has_the_path_of_the_element_around_them():
    (block,) = export("<div><p>a <a>b</a></p></div>", [1], SHALLOW_BLOCKS)
    assert (block.text, block.tag, block.path) == ("a b", "p", "/html/body/div/p")


def test_content_alone_keeps_its_numbers():
    blocks = export("<p>a<p>b<p>c", [0, 1, 1], TEXT_LEAVES, content_only=True)
    assert [(block.index, block.text, block.probability) for block in blocks] == [(1, "b", 0.5), (2, "c", 1.0)]


def test_rules_have_no_probabilities():
    page = tree_to_page(to_tree("<p>a"))
    (block,) = export_blocks(page, segment(page, SHALLOW_BLOCKS), np.array([1]), None, content_only=False)
    assert block.probability is None


def test_a_page_without_text_has_no_blocks():
    assert export("<p></p>", [], TEXT_LEAVES) == ()


def test_exported_values_are_plain():
    (block,) = export("<x-tag>a</x-tag>", [1], TEXT_LEAVES)
    assert [type(value) for value in (block.index, block.text, block.label, block.probability, block.tag)] == [
        *(int, str, Label, float, str)
    ]
