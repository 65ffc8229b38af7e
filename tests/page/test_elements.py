from __future__ import annotations

import pytest
from lxml import etree

from scrapy_web2text.page.elements import list_elements, local_name
from scrapy_web2text.page.parse import to_tree


def names(elements: list[etree._Element]) -> list[str]:
    return [local_name(element.tag) or "#comment" for element in elements]


def test_elements_are_listed_in_preorder_with_the_number_of_their_children():
    elements, child_counts, stray_texts = list_elements(
        to_tree("<body><p>a<b>b</b></p><!-- c --><ul><li>d</ul></body>")
    )
    assert names(elements) == ["body", "p", "b", "#comment", "ul", "li"]
    assert child_counts.tolist() == [3, 1, 0, 0, 1, 0]
    assert stray_texts == {}


def test_nodes_outside_of_the_body_are_its_last_children():
    root = to_tree("<html><head><title>no</title></head><body>a</body>b<p>c</p>d</html>e<i>f</i>")
    elements, child_counts, stray_texts = list_elements(root)
    assert names(elements) == ["body", "#comment", "p", "#comment", "i"]
    assert child_counts.tolist() == [4, 0, 0, 0, 0]
    assert stray_texts == {1: "b", 3: "e"}  # "d" is the tail of the p


def test_a_part_of_a_tree_is_listed_from_its_root():
    root = to_tree("<body><div>a<p>b</p></div><p>c</p></body>")
    elements, child_counts, _ = list_elements(root.find(".//div"))
    assert names(elements) == ["div", "p"]
    assert child_counts.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("tag", "name"),
    [("p", "p"), ("P", "p"), ("{http://www.w3.org/1999/xhtml}Body", "body"), (etree.Comment, "")],
    ids=["lower", "upper", "namespace", "comment"],
)
def test_the_local_name_has_no_namespace_and_is_in_lower_case(tag, name):
    assert local_name(tag) == name
