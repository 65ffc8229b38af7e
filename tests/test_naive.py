"""The naive twin, on pages small enough to work out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from naive.cdom import Node, tree_to_cdom
from naive.features import block_features, edge_features, list_leaves

from scrapy_web2text.page.parse import to_tree

if TYPE_CHECKING:
    from collections.abc import Sequence


def cdom(html: str) -> Node:
    node = tree_to_cdom(to_tree(html))
    assert node is not None
    return node


def rows(html: str) -> list[list[float]]:
    return block_features(list_leaves(cdom(html)))


def outline(node: Node) -> object:
    """Return the node's chain and, unless it is a leaf, the outlines of its children."""
    chain = "/".join(node.tags)
    return [chain, *map(outline, node.children)] if node.children else chain


def breaks(html: str) -> list[tuple[str, bool, bool]]:
    return [(leaf.text, leaf.breaks_before, leaf.breaks_after) for leaf in list_leaves(cdom(html))]


def column(rows: Sequence[Sequence[float]], index: int) -> list[float]:
    return [row[index] for row in rows]


def test_single_child_chains_collapse_so_that_list_items_share_their_list() -> None:
    html = "<body><div><div><h1>Title</h1><ul><li><a><b>One</b></a></li> <li>Two</li></ul></div></div></body>"
    assert outline(cdom(html)) == ["body/div/div", "h1/#text", ["ul", "li/a/b/#text", "li/#text"]]
    leaves = list_leaves(cdom(html))
    assert [leaf.text for leaf in leaves] == ["Title", "One", "Two"]
    assert column(rows(html), 54) == [-1, 1, 1]  # the parent is a ul
    assert column(rows(html), 62) == [-1, 1, 1]  # the same once more
    assert column(rows(html), 68) == [0, 1, 1]  # has a grandparent
    assert [row[:4] for row in edge_features(leaves)] == [[-1, 1, -1, -1], [1, -1, -1, -1]]  # distances 3 and 2


def test_the_breaks_of_a_merged_element_replace_those_of_its_child() -> None:
    assert breaks("<body>x<a><div>y</div></a>z</body>") == [("x", True, False), ("y", False, False), ("z", False, True)]
    assert breaks("<body>x<div><a>y</a></div>z</body>") == [("x", True, True), ("y", True, True), ("z", True, True)]


def test_a_break_is_pushed_down_to_the_first_and_last_leaf() -> None:
    found = breaks("<body>v<div><span><b>w</b><i>x</i></span><i>y</i></div>z</body>")
    assert found == [("v", True, True), ("w", True, False), ("x", False, False), ("y", False, True), ("z", True, True)]


def test_a_skipped_neighbor_breaks_a_block_but_a_comment_does_not() -> None:
    assert breaks("<body><b>a</b>x<br>y<!-- -->z<img>w<b>b</b></body>")[1:5] == [
        ("x", False, True),
        ("y", True, False),
        ("z", False, False),
        ("w", False, False),
    ]


def test_the_form_flag_is_lost_in_a_merged_chain() -> None:
    branching = rows("<body><form><input><p>a</p><p>b</p></form><p>c</p></body>")
    assert column(branching, 47) == [1, 1, 1]  # the parent contains a form
    merged = rows("<body><form><input><div><p>a</p><p>b</p></div></form><p>c</p></body>")
    assert column(merged, 47) == [-1, -1, 1]
    assert column(merged, 108) == [1, 1, 1]  # the root contains a form


def test_link_characters_follow_merges_and_sums() -> None:
    html = "<body><p><a><b>12</b></a>345</p><a><p>67</p>89</a></body>"
    root = cdom(html)
    assert root.counts["n_link_chars"] == 6
    assert [child.counts["n_link_chars"] for child in root.children] == [2, 4]
    assert column(rows(html), 29) == pytest.approx([(2 / 5 - 0.5) / 0.5] * 2 + [1.0, 1.0])


def test_a_page_of_one_leaf_has_no_parents_and_no_edges() -> None:
    leaf = cdom("<body><p> Hello the\n world. </p></body>")
    assert (leaf.text, leaf.tags) == (" Hello the world. ", ["body", "p", "#text"])
    assert edge_features([leaf]) == []
    (row,) = block_features([leaf])
    assert row[:27] == pytest.approx(
        [
            *(-1, -1, 1),  # duplicates; the path that all leaves share
            *(0.309188, -0.340239, -0.477513, 1, -0.265969),  # 3 words of 13 characters, 1 stopword
            *(-0.581907, 1, 2.278878, 0.934054),  # 16 characters, 1 of them punctuation
            *(-0.507724, -0.870005, -0.332749, -1),  # no digit, 1 sentence
            *(-0.066096, -0.348297),  # the middle of the page
            *(1, -1, -1, -1, -1, -1),
            *(-0.276663, -0.599259, -0.689775),  # one capital
        ],
        abs=1e-5,
    )
    assert row[27:89] == [0.0] * 62
    assert row[89:109] == pytest.approx(
        [
            *(1, -1, -0.477513, 1, -0.265969, -1.508136),
            *(0.934054, -0.507724, -0.870005, -0.332749),
            *(1, -1, -1, -1, -1, -1, -0.276663, -0.599259, -0.689775, -1),
        ],
        abs=1e-5,
    )
    assert row[109:] == [-1, 1, *[-1] * 17]


def test_duplicates_compare_untrimmed_texts() -> None:
    found = rows("<body><p>a</p><p>a</p><p>a </p></body>")
    assert column(found, 0) == [1, 1, -1]
    assert column(found, 1) == [-1, -1, -1]
    found = rows("<body>" + "<p>a</p>" * 11 + "</body>")
    assert column(found, 1) == [1] * 11


def test_relative_positions_are_middles_of_trimmed_lengths() -> None:
    found = rows("<body><p> ab </p><p>cdefgh</p></body>")
    expected = [(0.125 - 0.5198038) / 0.2996195, (0.625 - 0.5198038) / 0.2996195]
    assert column(found, 16) == pytest.approx(expected)
