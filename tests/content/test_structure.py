"""The spans of elements, judged by climbing the tree for each slot."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import html_trees

from scrapy_web2text.content.structure import find_spans, nearest_spans
from scrapy_web2text.page.arrays import TAG_NAMES, Page, tree_to_page
from scrapy_web2text.page.parse import to_tree

NAMES = ("li", "ul", "div", "td")
PARTS = ["<ul>", "<li>", "<div>", "<table><tr>", "<td>", "</ul>", "</div>", "</table>", "a", " b", "<p>c</p>"]


def ancestors(page: Page, slot: int) -> list[int]:
    """Return the elements around a slot, innermost first."""
    element = int(page.slot_owners()[slot])
    found = []
    while element >= 0:
        found.append(element)
        element = int(page.parents[element])
    return found


def has_name(page: Page, element: int) -> bool:
    """Return whether an element has one of the names that are searched."""
    return TAG_NAMES[page.tags[element]] in NAMES


@given(html=st.one_of(html_trees(), st.lists(st.sampled_from(PARTS)).map("".join)), data=st.data())
def test_spans_are_the_elements_around_the_slots(html, data):
    page = tree_to_page(to_tree(f"<html><body>{html}"))
    slots = np.array(sorted(data.draw(st.sets(st.integers(0, 2 * page.n_elements - 1)))), dtype=np.int64)
    around = [[element for element in ancestors(page, slot) if has_name(page, element)] for slot in slots.tolist()]
    spans = find_spans(page, slots, NAMES)
    assert spans.elements.tolist() == sorted({element for elements in around for element in elements})
    nearest, depths = nearest_spans(spans, slots)
    elements = [*spans.elements.tolist(), -1]
    assert [elements[i] for i in nearest] == [next(iter(elements), -1) for elements in around]
    assert depths == [len(elements) for elements in around]


@given(html=st.one_of(html_trees(), st.lists(st.sampled_from(PARTS)).map("".join)))
def test_spans_inside_others_are_found_alone(html):
    page = tree_to_page(to_tree(f"<html><body>{html}"))
    outer = find_spans(page, page.leaf_slots, {"ul", "div"})
    inner = find_spans(page, page.leaf_slots, {"li", "td", "div"}, outer)
    expected = [
        element
        for element in find_spans(page, page.leaf_slots, {"li", "td", "div"}).elements.tolist()
        if {*ancestors(page, int(page.open_slots[element]))[1:]} & {*outer.elements.tolist()}
    ]
    assert inner.elements.tolist() == expected
