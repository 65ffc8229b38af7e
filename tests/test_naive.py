"""The naive twin, on pages small enough to work out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from naive import html_to_naive_page, html_to_tree
from naive.cdom import Node, tree_to_cdom
from naive.features import list_leaves
from naive.text import count_text

if TYPE_CHECKING:
    from collections.abc import Sequence


def cdom(html: str) -> Node:
    root = html_to_tree(html)
    assert root is not None
    node = tree_to_cdom(root)
    assert node is not None
    return node


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
    page = html_to_naive_page(html)
    assert page.texts == ["Title", "One", "Two"]
    assert column(page.block_rows, 54) == [-1, 1, 1]  # the parent is a ul
    assert column(page.block_rows, 62) == [-1, 1, 1]  # the same once more
    assert column(page.block_rows, 68) == [0, 1, 1]  # has a grandparent
    assert [row[:4] for row in page.edge_rows] == [[-1, 1, -1, -1], [1, -1, -1, -1]]  # distances 3 and 2


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
    branching = html_to_naive_page("<body><form><input><p>a</p><p>b</p></form><p>c</p></body>").block_rows
    assert column(branching, 47) == [1, 1, 1]  # the parent contains a form
    merged = html_to_naive_page("<body><form><input><div><p>a</p><p>b</p></div></form><p>c</p></body>").block_rows
    assert column(merged, 47) == [-1, -1, 1]
    assert column(merged, 108) == [1, 1, 1]  # the root contains a form


def test_link_characters_follow_merges_and_sums() -> None:
    html = "<body><p><a><b>12</b></a>345</p><a><p>67</p>89</a></body>"
    root = cdom(html)
    assert root.counts.link_chars == 6
    assert [child.counts.link_chars for child in root.children] == [2, 4]
    assert column(html_to_naive_page(html).block_rows, 29) == pytest.approx([(2 / 5 - 0.5) / 0.5] * 2 + [1.0, 1.0])


def test_text_is_counted_by_the_rules_of_the_original() -> None:
    counts = count_text(" The café is on. It was ©1999? Mail me@x.org\xa0! ")
    assert (counts.chars, counts.words, counts.word_chars, counts.stopwords) == (45, 11, 29, 4)
    assert (counts.capitals, counts.sentences, counts.punctuation, counts.digits) == (3, 3, 4, 4)
    assert (counts.has_copyright, counts.has_year, counts.has_email, counts.has_url) == (True, True, True, False)
    assert (counts.ends_with_punctuation, counts.ends_with_question_mark) == (True, False)


@pytest.mark.parametrize(
    ("text", "email", "url", "year"),
    [
        ("see (http://a.b/c)", False, True, False),
        ("xhttp://a.b", False, False, False),
        ("ftp://#", False, False, False),
        ("éa@b", False, False, False),
        ("a@é", False, False, False),
        ("in 12345 or é1999", False, False, False),
        ("1999-2001", False, False, True),
        ("٢٠٠٧", False, False, False),
    ],
)
def test_email_url_and_year_are_ascii_between_unicode_boundaries(text: str, email: bool, url: bool, year: bool) -> None:
    counts = count_text(text)
    assert (counts.has_email, counts.has_url, counts.has_year) == (email, url, year)


def test_a_page_of_one_leaf_has_no_parents_and_no_edges() -> None:
    page = html_to_naive_page("<body><p> Hello the\n world. </p></body>")
    assert page.texts == [" Hello the world. "]
    assert page.tags == [["body", "p", "#text"]]
    assert page.edge_rows == []
    (row,) = page.block_rows
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
    rows = html_to_naive_page("<body><p>a</p><p>a</p><p>a </p></body>").block_rows
    assert column(rows, 0) == [1, 1, -1]
    assert column(rows, 1) == [-1, -1, -1]
    rows = html_to_naive_page("<body>" + "<p>a</p>" * 11 + "</body>").block_rows
    assert column(rows, 1) == [1] * 11


def test_relative_positions_are_middles_of_trimmed_lengths() -> None:
    rows = html_to_naive_page("<body><p> ab </p><p>cdefgh</p></body>").block_rows
    expected = [(0.125 - 0.5198038) / 0.2996195, (0.625 - 0.5198038) / 0.2996195]
    assert column(rows, 16) == pytest.approx(expected)
