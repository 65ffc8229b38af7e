"""The elements around slots, judged by climbing the tree for each slot."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import html_trees

from scrapy_web2text.content.structure import count_slots, elements_around, nearest_elements
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.tags import TAG_NAMES

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


@given(html=st.one_of(html_trees(), st.lists(st.sampled_from(PARTS)).map("".join)), data=st.data())
def test_elements_around_slots_are_found_as_by_climbing(html, data):
    page = tree_to_page(to_tree(f"<html><body>{html}"))
    slots = np.array(sorted(data.draw(st.sets(st.integers(0, 2 * page.n_elements - 1)))), dtype=np.int64)
    climbed = [ancestors(page, slot) for slot in slots.tolist()]
    around = [[element for element in elements if TAG_NAMES[page.tags[element]] in NAMES] for elements in climbed]
    found = elements_around(page, slots, NAMES)
    counts = Counter(element for elements in around for element in elements)
    assert found.tolist() == sorted(counts)
    assert count_slots(page, slots, found).tolist() == [counts[element] for element in found.tolist()]
    nearest = nearest_elements(page, slots[::-1], NAMES).tolist()[::-1]
    assert nearest == [next(iter(elements), -1) for elements in around]
