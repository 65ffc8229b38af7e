"""Search-and-Combine Segmentation: three groups of tags, four cases of combining."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from strategies import html_trees

from research.semtext.segments import SEMTEXT_BLOCKS, block_owners, search_and_combine
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import block_texts, segment
from scrapy_web2text.page.parse import to_tree


def page_of(html):
    return tree_to_page(to_tree(html))


def blocks_of(html):
    """Return the leaves of each block, joined by a bar."""
    page = page_of(html)
    blocks = search_and_combine(page)
    leaves = [page.texts[leaf].strip() for leaf in blocks.leaves.tolist()]
    bounds = zip(blocks.starts.tolist(), blocks.ends.tolist(), strict=True)
    return ["|".join(leaves[start:end]) for start, end in bounds]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div>a<script>x</script><select><option>x</select><label>x</label></div>", ["a"]),
        ("<p>a <b>b</b> <a href=/>c</a><br>d</p>", ["a|b|c|d"]),
        ("<table><thead><tr><td>a</thead><tbody><tr><td class=x>b</tbody></table>", ["a", "b"]),
        ("<form><p>a<input value=x></p></form>", ["a"]),
        ("<div><h1>a</h1><p>b</p></div>", ["a", "b"]),
        ("<div><my-box>a</my-box><p>b</p></div>", ["a", "b"]),
    ],
    ids=["group 1", "group 2", "parts of tables", "forms", "group 3", "custom elements"],
)
def test_the_three_groups_of_tags_drop_join_and_separate(html, expected):
    assert blocks_of(f"<body>{html}</body>") == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li>a<li>b<li>c</ul>", ["a|b|c"]),
        ("<ul><li class=x>a<li class=x>b<li>c<li id=y>d</ul>", ["a|b", "c", "d"]),
        ("<div><p>a</p><p>b</p><h2>c</h2><p>d</p></div>", ["a|b", "c", "d"]),
        ("<div><p>a</p></div><div><p>b</p></div>", ["a", "b"]),
        ("<div><p>a</p><p>b<i>c</i><ul><li class=z>d</ul></p></div>", ["a|b|c", "d"]),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", ["a|b", "c|d"]),
    ],
    ids=["siblings", "names differ", "tags differ", "parents differ", "formatting inside", "cells"],
)
def test_leaf_siblings_with_the_same_tag_and_names_are_joined(html, expected):
    assert blocks_of(f"<body>{html}</body>") == expected


def test_ids_separate_siblings_unless_only_classes_count():
    page = page_of("<body><h2>t</h2><p class=x id=p1>a</p><p class=x id=p2>b</p></body>")
    assert [search_and_combine(page, with_ids=with_ids).n_blocks for with_ids in (True, False)] == [3, 2]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div>a<p>b</p></div>", ["a|b"]),
        ("<div>a<p class=x>b</p></div>", ["a", "b"]),
        ("<div>a<p>b</p>c</div>", ["a", "b", "c"]),
        ("<div>a<div><p>b</p></div></div>", ["a", "b"]),
        ("<div>a<div>b<p>c</p></div></div>", ["a|b|c"]),
        ("<div>a<p>b</p><p>c</p></div>", ["a|b|c"]),
        ("<div>a<p>b</p><h2>c</h2></div>", ["a", "b", "c"]),
        ("<div>a<hr>b</div>", ["a|b"]),
        ("<ul><li>a<p>b</p><li>c</ul>", ["a|b|c"]),
    ],
    ids=[
        "only child",
        "child with a name",
        "text after the child",
        "grandchild",
        "chain of children",
        "all children, joined first",
        "children that differ",
        "no text in between",
        "joined with its child, then a sibling",
    ],
)
def test_a_text_is_joined_with_a_single_nameless_child(html, expected):
    assert blocks_of(f"<body><div>before</div><h3>x</h3>{html}<h4>after</h4></body>")[2:-1] == expected


def test_the_owner_of_text_in_the_body_is_the_body():
    page = page_of("<body>a<p class=x>b</p></body>")
    assert block_owners(page, search_and_combine(page)).tolist() == [0, 1]


def test_a_page_without_text_has_no_blocks():
    assert search_and_combine(page_of("<body><img></body>")).n_blocks == 0


@given(html=html_trees())
def test_combining_only_removes_bounds(html):
    page = page_of(f"<body>{html}</body>")
    searched, combined = segment(page, SEMTEXT_BLOCKS), search_and_combine(page)
    assert np.array_equal(combined.leaves, searched.leaves)
    assert set(combined.starts.tolist()) <= set(searched.starts.tolist())
    assert combined.starts.tolist()[:1] == searched.starts.tolist()[:1]
    assert "".join("".join(block_texts(page, combined)).split()) == "".join(
        "".join(block_texts(page, searched)).split()
    )
