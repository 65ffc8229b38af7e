from __future__ import annotations

import pytest
from lxml import etree

from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.tree import list_roots, local_name


def names(elements: list[etree._Element]) -> list[str]:
    return [local_name(element.tag) or "#comment" for element in elements]


def test_the_root_of_a_page_is_its_body():
    roots, stray_texts = list_roots(to_tree("<head><title>no</title><body><p>a<b>b</b></p></body>"))
    assert (names(roots), stray_texts) == (["body"], {})


def test_nodes_outside_of_the_body_are_roots_too():
    root = to_tree("<html><head><title>no</title></head><body>a</body>b<p>c</p>d</html>e<i>f</i>")
    roots, stray_texts = list_roots(root)
    assert names(roots) == ["body", "#comment", "p", "#comment", "i"]
    assert stray_texts == {1: "b", 3: "e"}  # "d" is the tail of the p


def test_a_part_of_a_tree_is_its_own_root():
    root = to_tree("<body><div>a<p>b</p></div><p>c</p></body>")
    assert names(list_roots(root.find(".//div"))[0]) == ["div"]


@pytest.mark.parametrize(
    ("tag", "name"),
    [("p", "p"), ("P", "p"), ("{http://www.w3.org/1999/xhtml}Body", "body"), (etree.Comment, "")],
    ids=["lower", "upper", "namespace", "comment"],
)
def test_the_local_name_has_no_namespace_and_is_in_lower_case(tag, name):
    assert local_name(tag) == name
