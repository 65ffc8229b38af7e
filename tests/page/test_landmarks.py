"""The elements that tell what a document is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from lxml import etree
from strategies import html_trees

from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.tree import Landmarks, shown_texts

XHTML = "http://www.w3.org/1999/xhtml"


def check_landmarks(root: etree._Element) -> None:
    found = Landmarks(root)
    assert found.metas == [*root.iter("{*}meta")]
    assert found.headings == [*root.iter("{*}h1")]
    assert found.titles == [*root.iter("{*}title")]
    assert found.bodies == [*root.iter("{*}body")]
    assert found.scripts == root.xpath("//script")


@given(html=html_trees())
def test_landmarks_of_generated_pages_are_found(html):
    check_landmarks(to_tree(html))


@pytest.mark.parametrize(
    "html",
    [
        "<html><head><script>1</script></head><body><script>2</script></body></html><script>3</script><p>a",
        f"<html xmlns='{XHTML}'><head><title>a</title><script>1</script></head><body><h1>b</h1></body></html>",
        "<svg><title>a</title></svg><title>b</title><h1>c</h1><h1>d</h1>",
    ],
    ids=["after-the-end", "namespace", "image"],
)
def test_landmarks_are_found_in_odd_places(html):
    check_landmarks(to_tree(html))
    check_landmarks(etree.fromstring(f"<r>{html}</r>", etree.XMLParser(recover=True)))


def test_a_page_inside_a_document_has_landmarks_of_its_own():
    root = to_tree("<title>a</title><div><h1>b</h1></div>")
    page = tree_to_page(root.find(".//div"))
    assert [element.tag for element in page.landmarks.headings + page.landmarks.titles] == ["h1"]
    assert page.document_landmarks.titles == [root.find(".//title")]
    whole = tree_to_page(root)
    assert whole.landmarks is whole.document_landmarks is whole.landmarks


@given(html=html_trees())
def test_the_shown_texts_of_an_element_are_those_without_hidden_ancestors(html):
    slow = etree.XPath(
        "descendant::text()[not(ancestor::script or ancestor::style or ancestor::svg or ancestor::template)]"
    )
    for element in to_tree(html).iter("*"):
        # Texts that are apart begin with a space.
        assert [*map(str.lstrip, shown_texts(element))] == [*map(str.lstrip, slow(element))]
