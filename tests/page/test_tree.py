"""The compiled loops over trees do what those in Python do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from strategies import html_trees
from trees import every_tree

from scrapy_web2text.features.cdom import collapse
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, SHALLOW_BLOCKS, TEXT_LEAVES, Segmentation, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.reader import IN_PYTHON
from scrapy_web2text.page.tree import iter_texts


@given(html=html_trees())
def test_the_texts_of_an_element_are_those_that_lxml_finds(html):
    for element in to_tree(f"<p>a<!--b-->c<!--d--><?e?>f{html}<!--g-->").iter(etree.Element):
        assert [*iter_texts(element)] == [text for text in element.itertext() if text]


@pytest.fixture(scope="module")
def compiled():
    return pytest.importorskip("scrapy_web2text.page._reader", reason="there is no compiled reader")


def nest(module, page: Page, segmentation: Segmentation) -> list[Any]:
    cdom = collapse(page, segment(page, segmentation), ("#comment", *(segmentation.transparent or ())))
    found = module.nest(cdom.first_leaves, cdom.last_leaves + 1, cdom.n_leaves)
    return [[values.dtype, values.shape, values.tolist()] for values in found]


def names_of(page: Page) -> np.ndarray:
    return np.array([hash(page.names[number]) & 0xFFFF for number in page.name_numbers], dtype=np.uint64)


def check_trees(compiled, root: etree._Element) -> None:
    page = tree_to_page(root)
    for segmentation in (TEXT_LEAVES, MODERN_BLOCKS, SHALLOW_BLOCKS):
        assert nest(IN_PYTHON, page, segmentation) == nest(compiled, page, segmentation)
    paths = [
        module.hash_paths(page.tags, names_of(page), page.open_slots, page.close_slots, page.slot_elements)
        for module in (IN_PYTHON, compiled)
    ]
    assert (paths[0].dtype, paths[0].tolist()) == (paths[1].dtype, paths[1].tolist())
    check_nearest(compiled, page)
    bits = 1 << (page.tags % 63)
    slow, fast = (module.unite_above(bits, page.parents) for module in (IN_PYTHON, compiled))
    assert (slow.dtype, slow.tolist()) == (fast.dtype, fast.tolist())


def check_nearest(compiled, page: Page) -> None:
    """Check which elements of every third tag are around others."""
    chosen = page.tags % 3 == 0
    owners = page.owners(np.arange(0, 2 * page.n_elements, 2))
    slow, fast = (module.find_nearest(chosen, page.parents, owners) for module in (IN_PYTHON, compiled))
    assert (slow.dtype, slow.tolist()) == (fast.dtype, fast.tolist())


@given(html=html_trees(), i=st.integers(min_value=0))
def test_the_loops_agree_on_generated_pages_and_their_elements(compiled, html, i):
    elements = [*to_tree(html).iter("*")]
    check_trees(compiled, elements[0])
    check_trees(compiled, elements[i % len(elements)])


@every_tree
def test_the_loops_agree_on_handwritten_and_hostile_pages(compiled, make_tree):
    check_trees(compiled, make_tree())


@pytest.mark.parametrize(
    "html",
    ["<b>a<p>b<i>c</i></p>d<p>e<u>f<p>g</p></u></p></b>", "<i><p>a</p><p>b</p></i>", "<i>a</i>", "<i></i>"],
    ids=["nested", "two-roots", "one-leaf", "empty"],
)
def test_the_loops_agree_where_several_nodes_are_on_top(compiled, html):
    check_trees(compiled, etree.fromstring(html))


def test_bits_are_united_down_the_tree():
    bits, parents = np.array([1, 2, 4, 8, 16]), np.array([-1, 0, 1, 0, 3])
    assert IN_PYTHON.unite_above(bits, parents).tolist() == [1, 3, 7, 9, 25]


def test_paths_have_equal_hashes_if_their_tags_are_equal():
    page = tree_to_page(to_tree("<body><p><b>a</b></p><p><b>b</b></p><b><p>c</p></b><p><b>d</b></p></body>"))
    bold = np.flatnonzero(page.tags_in({"b"}))
    names = np.where(np.arange(page.n_elements) == bold[3], np.uint64(7), np.uint64(0))
    tags, both = IN_PYTHON.hash_paths(page.tags, names, page.open_slots, page.close_slots, bold).tolist()
    assert tags[0] == tags[1] == tags[3] != tags[2]
    assert both[0] == both[1] == tags[0]
    assert both[3] not in both[:3]
