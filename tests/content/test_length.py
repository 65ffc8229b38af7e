"""The text of a page is at most three times as long as the page."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import html_trees

from scrapy_web2text.content.selection import select_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

START = "<html><body>"
LISTS = "<ul><li>x" * 12
NUMBERED = "<ol start=900000><li>x" * 12


def text_of(source: str) -> str:
    """Return the text of a page of content."""
    page = tree_to_page(to_tree(source))
    blocks = segment(page, MODERN_BLOCKS)
    return content_text(select_content(page, blocks, np.ones(blocks.n_blocks, dtype=np.int64)))


@pytest.mark.parametrize("part", ["<br>x", "<p>x", "<li>x", "<div>x</div>", "<pre>" + "x\n" * 50 + "</pre>", "x\n"])
@pytest.mark.parametrize("lists", [LISTS, NUMBERED, LISTS + "<pre>", NUMBERED + "<pre>", "<ol start=100000><li><pre>"])
def test_indented_items_do_not_make_a_text_longer_than_three_pages(lists, part):
    source = START + lists + part * (5_000 // len(part))
    assert len(text_of(source)) <= 3 * len(source.encode())


PARTS = [
    "<ul>",
    "<ol>",
    "<ol start=999999>",
    "<li>",
    "<li>x",
    "x\n",
    "<br>",
    "<p>",
    "<pre>",
    "</pre>",
    "<td>",
    "<table><tr>",
]


@given(parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=30), n=st.integers(1, 20))
def test_no_mix_of_lists_makes_a_text_longer_than_three_pages(parts, n):
    source = START + "".join(parts) * n
    assert len(text_of(source)) <= 3 * len(source.encode())


@given(html=html_trees())
def test_no_page_has_a_text_longer_than_three_pages(html):
    assert len(text_of(html)) <= 3 * len(html.encode()) + 3


def test_items_of_ordinary_lists_are_indented_ten_levels_deep():
    source = "".join(f"<ul><li>An item of level {level}" for level in range(13))
    indents = [len(line) - len(line.lstrip()) for line in text_of(source).split("\n")]
    assert indents == [*range(0, 20, 2), 20, 20, 20]
