from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import assume, given
from lxml import etree
from naive.cdom import is_whitespace
from strategies import html_trees

from scrapy_web2text.page import arrays
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.invisible import drop_invisible
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.tags import COMMENT, TAG_NAMES, tag_ids


def page_of(html: str) -> Page:
    return tree_to_page(to_tree(html))


def tag_list(page: Page) -> list[str]:
    return [TAG_NAMES[number] for number in page.tags.tolist()]


def whole(root: etree._Element) -> bytes:
    """Return a whole document, including the siblings of its root."""
    return b"".join(etree.tostring(node) for node in [*root.itersiblings(preceding=True), root, *root.itersiblings()])


def test_the_examples_in_the_docstring_are_right():
    results = doctest.testmod(arrays, raise_on_error=True)
    assert results.attempted


def test_elements_and_comments_are_in_preorder():
    page = page_of("<body><p>a<b>b</b></p><!-- c --><ul><li>d</ul></body>")
    assert tag_list(page) == ["body", "p", "b", "#comment", "ul", "li"]
    assert page.parents.tolist() == [-1, 0, 1, 0, 0, 4]
    assert page.ends.tolist() == [6, 3, 3, 4, 6, 6]


def test_whitespace_is_recorded_but_is_not_a_leaf():
    page = page_of("<body><p>a</p> <p>&nbsp;\n</p><b></b>b</body>")
    assert page.texts == ["a", "b"]
    assert page.slot_has_text.tolist() == [False, True, True, True, False, False, True, False]


@pytest.mark.parametrize("tag", ["script", "style", "template"])
def test_text_of_scripts_styles_templates_and_comments_is_not_a_leaf(tag):
    page = page_of(
        f"<body>a<{tag}>no</{tag}>b<!-- no --><?no no?>c<template>no<p>no<b>no</b>no</p>no</template>d</body>"
    )
    assert page.texts == ["a", "b", "c", "d"]


def test_the_head_is_not_part_of_the_page():
    assert page_of("<html><head><title>no</title></head><body>a</body></html>").texts == ["a"]


def test_nodes_outside_of_the_body_become_its_last_children():
    page = page_of("<html><head></head><body><p>a</p>b</body>c<p>d</p>e</html>f<p>g</p>h<body>i</body>")
    assert page.texts == list("abcdefghi")
    assert page.parents[page.tags_in({"p"})].tolist() == [0, 0, 0]


def test_control_characters_outside_of_the_body_are_kept():
    page = page_of("<html><body>a</body></html>b\x0bc\x01")
    assert "".join(page.texts) == "ab\x0bc\x01"


def test_a_tree_without_a_body_is_read_from_its_root():
    page = tree_to_page(etree.fromstring("<html><p>a</p></html>"))
    assert tag_list(page) == ["html", "p"]


def test_text_after_a_part_of_a_tree_is_not_in_it():
    root = to_tree("<body>a<div>b<p>c</p>d</div>e</body>")
    (part,) = root.iter("div")
    assert tree_to_page(part).texts == ["b", "c", "d"]


def test_a_comment_as_root_has_no_text():
    page = tree_to_page(etree.Comment("no"))
    assert page.tags.tolist() == [COMMENT]
    assert page.n_leaves == 0


def test_tags_are_recognized_with_a_namespace_and_in_upper_case():
    root = etree.fromstring(
        '<HTML xmlns="http://www.w3.org/1999/xhtml"><head/><BODY>a<P>b</P><o:p xmlns:o="x"/></BODY></HTML>'
    )
    page = tree_to_page(root)
    assert tag_list(page) == ["body", "p", "p"]


def test_unknown_tags_have_number_0_and_custom_elements_share_another():
    page = page_of("<body><mrow>a</mrow><x-tag>a</x-tag><my-card>b</my-card></body>")
    assert page.tags.tolist() == tag_ids(["body", "", "#custom", "#custom"]).tolist()


def test_is_inside_finds_the_leaves_in_chosen_elements():
    page = page_of("<body>0<p>1<b>2</b></p>3<i>4</i></body>")
    assert page.is_inside({"p", "i"}, np.array([0, 2, 3, 4])).tolist() == [False, True, False, True]


def test_leaf_ranges_are_the_leaves_under_each_element():
    page = page_of("<body>0<p>1<b>2</b></p>3<i> </i><p>4</p></body>")
    assert tag_list(page) == ["body", "p", "b", "i", "p"]
    first, stop = page.leaf_ranges(np.array([1, 2, 4]))
    assert list(zip(first.tolist(), stop.tolist(), strict=True)) == [(0, 3), (0, 2), (1, 2), (2, 2), (2, 3)]


def test_slot_owners_are_the_elements_around_each_text():
    page = page_of("<body>a<p>b<b>c</b>d</p>e</body>")
    owners = page.slot_owners()
    tags = tag_list(page)
    assert page.texts == [*"abcde"]
    assert [tags[owner] for owner in owners[page.leaf_slots]] == ["body", "p", "b", "p", "body"]


def test_texts_at_slots_follow_start_and_end_tags():
    page = page_of("<body><p>b<b>c</b>d</p></body>")
    assert [page.text_at(slot) for slot in page.leaf_slots] == ["b", "c", "d"]
    assert page.is_first_text(page.leaf_slots).tolist() == [True, True, False]
    assert page.text_at(int(page.close_slots[0])) == ""


def test_a_part_of_a_page_knows_the_root_of_its_document():
    root = to_tree("<html><body><div>a</div></body></html>")
    page = tree_to_page(root[0][0])
    assert page.root is root[0][0]
    assert page.document_root is root


@given(html=html_trees())
def test_every_text_but_whitespace_is_a_leaf(html):
    root = to_tree(html)
    page = tree_to_page(root)
    outside_head = page.count_enclosing(page.tags_in({"head"}))[page.leaf_slots] == 0
    found = [text for text, is_outside in zip(page.texts, outside_head, strict=True) if is_outside]
    path = "//text()[not(ancestor::head or ancestor::script or ancestor::style or ancestor::template)]"
    expected = [drop_invisible(text) for text in root.getroottree().xpath(path) if not is_whitespace(text)]
    assert sorted(found) == sorted(expected)


@given(html=html_trees())
def test_parents_are_those_of_lxml(html):
    root = to_tree(html)
    page = tree_to_page(root)
    assume(page.original is None)
    numbers = {element: i for i, element in enumerate(page.elements)}
    expected = [numbers.get(element.getparent(), 0) for element in page.elements]
    assert page.parents.tolist() == [-1, *expected[1:]]


@given(html=html_trees())
def test_arrays_are_consistent(html):
    page = page_of(html)
    n = page.n_elements
    assert sorted([*page.open_slots.tolist(), *page.close_slots.tolist()]) == list(range(2 * n))
    assert (page.close_slots - page.open_slots == 2 * (page.ends - np.arange(n)) - 1).all()
    assert page.slot_elements[page.open_slots].tolist() == list(range(n))
    assert page.slot_elements[page.close_slots].tolist() == list(range(n))
    assert (np.diff(page.leaf_slots) > 0).all()
    assert page.slot_has_text[page.leaf_slots].all()
    assert len(page.texts) == len(page.leaf_slots)


@given(html=html_trees())
def test_the_tree_is_not_modified(html):
    root = to_tree(html)
    before = whole(root)
    tree_to_page(root)
    assert whole(root) == before
