from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from naive.cdom import Node, tree_to_cdom
from naive.features import common_ancestor, list_leaves
from strategies import html_trees

from scrapy_web2text.features.cdom import Cdom, collapse
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, TEXT_LEAVES, BlockSequence, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.tags import COMMENT

if TYPE_CHECKING:
    from lxml import etree


def collapsed(root: etree._Element) -> tuple[Page, Cdom]:
    page = tree_to_page(root)
    return page, collapse(page, segment(page, TEXT_LEAVES))


def chain_of(page: Page, cdom: Cdom, bounds: np.ndarray) -> list[str]:
    return [page.elements[i].tag for i in cdom.chain_elements[slice(*bounds)]]


def outline(page: Page, cdom: Cdom) -> list[object]:
    """Return each inner node's chain, leaves and depth, and each leaf's chain."""
    nodes = [
        (chain_of(page, cdom, bounds), first, last, depth)
        for bounds, first, last, depth in zip(
            cdom.node_chains,
            cdom.first_leaves.tolist(),
            cdom.last_leaves.tolist(),
            cdom.node_depths.tolist(),
            strict=True,
        )
    ]
    return [nodes, [chain_of(page, cdom, bounds) for bounds in cdom.leaf_chains]]


def naive_outline(root: Node | None) -> list[object]:
    if root is None:
        return [[], []]
    leaves = list_leaves(root)
    nodes = []

    def visit(node: Node, depth: int) -> None:
        if node.children:
            below = list_leaves(node)
            nodes.append((node.tags, leaves.index(below[0]), leaves.index(below[-1]), depth))
        for child in node.children:
            visit(child, depth + 1)

    visit(root, 0)
    return [nodes, [leaf.tags[:-1] for leaf in leaves]]


def test_a_chain_of_single_children_is_one_node():
    page, cdom = collapsed(to_tree("<body><div><div><h1>a</h1><ul><li><a><b>b</b></a></li><li>c</li></ul></div></div>"))
    assert outline(page, cdom) == [
        [(["body", "div", "div"], 0, 2, 0), (["ul"], 1, 2, 1)],
        [["h1"], ["li", "a", "b"], ["li"]],
    ]
    assert cdom.node_parents.tolist() == [-1, 0]
    assert cdom.leaf_parents.tolist() == [0, 1, 1]
    assert cdom.common_ancestors.tolist() == [0, 1]
    assert cdom.tree_distances.tolist() == [3, 2]


def test_a_text_in_a_branching_element_has_an_empty_chain():
    page, cdom = collapsed(to_tree("<body>a<b>b</b>c</body>"))
    assert outline(page, cdom)[1] == [[], ["b"], []]


def test_dropped_leaves_do_not_branch():
    page = tree_to_page(to_tree("<body><div><p>a</p><p>b</p></div><p>c</p></body>"))
    cdom = collapse(page, BlockSequence(np.array([0, 2]), np.array([0, 1])))
    assert outline(page, cdom) == [[(["body"], 0, 1, 0)], [["div", "p"], ["p"]]]


def test_a_single_leaf_has_no_parent():
    page, cdom = collapsed(to_tree("<body><p>a</p></body>"))
    assert outline(page, cdom) == [[], [["body", "p"]]]
    assert cdom.leaf_parents.tolist() == [-1]
    assert cdom.common_ancestors.tolist() == cdom.tree_distances.tolist() == []


def test_without_leaves_the_cdom_is_empty():
    _, cdom = collapsed(to_tree("<body><p></p></body>"))
    assert (cdom.n_nodes, cdom.n_leaves) == (0, 0)
    assert cdom.tree_distances.tolist() == []


@pytest.mark.parametrize("depth", [1, 50, 2000])
def test_a_long_chain_needs_no_recursion(depth):
    _, cdom = collapsed(to_tree("<div>" * depth + "a<p>b</p>" + "</div>" * depth))
    assert (cdom.n_nodes, cdom.n_leaves) == (1, 2)
    assert cdom.node_chains.tolist() == [[0, depth + 1]]


def test_unite_is_the_union_over_each_chain():
    page, cdom = collapsed(to_tree("<body><div><p>a</p>b</div></body>"))
    flags = np.array([1, 2, 4])
    assert [element.tag for element in page.elements] == ["body", "div", "p"]
    assert cdom.unite(flags, cdom.node_chains).tolist() == [3]
    assert cdom.unite(flags, cdom.leaf_chains).tolist() == [4, 0]


def test_unite_of_no_chains_is_empty():
    _, cdom = collapsed(to_tree(""))
    assert cdom.unite(np.array([1]), cdom.node_chains).tolist() == []


def test_a_block_of_several_texts_is_one_leaf():
    page = tree_to_page(to_tree("<body><div><a><p>a <a>b</a></p></a><p>c</p></div>d</body>"))
    cdom = collapse(page, segment(page, SHALLOW_BLOCKS), transparent={"a"})
    assert outline(page, cdom) == [[(["body"], 0, 2, 0), (["div"], 0, 1, 1)], [["p"], ["p"], []]]
    assert cdom.tree_distances.tolist() == [2, 3]


@given(html=html_trees())
def test_blocks_of_several_texts_form_a_tree_too(html):
    page = tree_to_page(to_tree(html))
    blocks = segment(page, SHALLOW_BLOCKS)
    cdom = collapse(page, blocks, transparent={"a"})
    assert cdom.n_leaves == blocks.n_blocks
    assert (cdom.first_leaves < cdom.last_leaves).all()
    assert (cdom.leaf_parents >= 0).all() or cdom.n_leaves == 1
    assert (cdom.tree_distances >= 2).all()


@given(html=html_trees())
def test_the_cdom_is_that_of_the_naive_twin(html):
    root = to_tree(html)
    page, cdom = collapsed(root)
    assume(page.original is None)
    assert outline(page, cdom) == naive_outline(tree_to_cdom(root))


@given(html=html_trees())
def test_common_ancestors_and_distances_are_those_of_the_naive_twin(html):
    root = to_tree(html)
    page, cdom = collapsed(root)
    assume(page.original is None)  # the twin follows the tree
    twin = tree_to_cdom(root)
    leaves = list_leaves(twin)
    found = zip(
        cdom.first_leaves[cdom.common_ancestors].tolist(),
        cdom.last_leaves[cdom.common_ancestors].tolist(),
        cdom.tree_distances.tolist(),
        strict=True,
    )
    expected = []
    for a, b in pairwise(leaves):
        ancestor, distance = common_ancestor(a, b)
        below = list_leaves(ancestor)
        expected.append((leaves.index(below[0]), leaves.index(below[-1]), distance))
    assert list(found) == expected


def test_comments_are_in_no_chain():
    page, cdom = collapsed(to_tree("<body><p><!-- x -->a</p><p>b<!-- y --></p></body>"))
    assert COMMENT not in page.tags[cdom.chain_elements]
