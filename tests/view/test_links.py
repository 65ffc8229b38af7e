from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text import extract
from scrapy_web2text.view.links import link_text


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
    ],
    ids=["empty", "unknown", "lines", "title", "marks", "cells", "spaces", "missing", "without text"],
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
