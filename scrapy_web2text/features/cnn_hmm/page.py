"""The features of Web2Text, section 3.3: two tables of named columns, computed for a whole page at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, FloatArray, IntArray
from scrapy_web2text.features.cdom import Cdom, collapse
from scrapy_web2text.features.cnn_hmm.columns import (
    LEAF_COLUMNS,
    NODE_COLUMNS,
    leaf_columns,
    node_columns,
    shared_columns,
)
from scrapy_web2text.features.cnn_hmm.statistics import node_statistics, text_statistics
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence
from scrapy_web2text.page.tags import TAG_NAMES

# The authors' list, which lacks dt, th and caption.
_BLOCK_TAGS: Final = frozenset(
    """address article aside blockquote body br canvas center checkbox dd div dl fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe input li main nav noscript ol output p pre radio section select
    table tbody td textarea tfoot thead tr ul video""".split()
)


def line_breaks(page: Page, cdom: Cdom, leaves: IntArray) -> BoolArray:
    """Return whether a line ends between neighboring leaves. *Shapes:* leaves ``(k,)`` -> ``(max(k - 1, 0),)``

    A block element breaks the line before it. So does any other element or text that directly follows a block element.
    The line breaks before a leaf of the CDOM if the outermost element of its chain breaks the line or, for an empty
    chain, if its text does. The line also breaks there if an inner node begins with the leaf, and an element of the
    node's chain breaks the line. The same rules, mirrored, hold for the line after a leaf.
    """
    is_block = page.tags_in(_BLOCK_TAGS)
    opens = np.zeros(2 * page.n_elements + 1, dtype=bool)  # one slot more, for a tag after the last tag
    closes = np.zeros(2 * page.n_elements + 1, dtype=bool)
    opens[page.open_slots] = is_block
    closes[page.close_slots] = is_block
    # Text between two tags, even whitespace, is the neighbor of both, and text is not a block element.
    before = is_block | closes[page.open_slots - 1] & ~page.slot_has_text[page.open_slots - 1]
    after = is_block | opens[page.close_slots + 1] & ~page.slot_has_text[page.close_slots]
    slots = page.leaf_slots[leaves]
    leaf_before = _leaf_flags(cdom, before, closes[slots])
    leaf_after = _leaf_flags(cdom, after, opens[slots + 1])
    leaf_before[cdom.first_leaves[cdom.unite(before, cdom.node_chains) > 0]] = True
    leaf_after[cdom.last_leaves[cdom.unite(after, cdom.node_chains) > 0]] = True
    return leaf_after[:-1] | leaf_before[1:]


def _leaf_flags(cdom: Cdom, of_elements: BoolArray, of_texts: BoolArray) -> BoolArray:
    """Return the flag of each leaf's outermost element or, for an empty chain, of its text. *Shape:* ``(k,)``"""
    flags: BoolArray = of_texts.copy()
    starts, ends = cdom.leaf_chains.T
    with_chain = starts < ends
    flags[with_chain] = of_elements[cdom.chain_elements[starts[with_chain]]]
    return flags


# The list of parent tags in the authors' program has `ul` twice.
PARENT_TAGS: Final = tuple("td div p tr table body ul span li blockquote b small a ol ul i form dl strong pre".split())
LEAF_TAGS: Final = tuple("a p td b li span i tr div strong em h3 h2 table h4 small sup h1 blockquote".split())

BLOCK_FEATURE_NAMES: Final = (
    *(f"leaf.{name}" for name in LEAF_COLUMNS),
    "has_parent",
    *(f"parent.{name}" for name in NODE_COLUMNS),
    *(f"parent.is_{tag}_{i}" if tag == "ul" else f"parent.is_{tag}" for i, tag in enumerate(PARENT_TAGS)),
    "has_grandparent",
    *(f"grandparent.{name}" for name in NODE_COLUMNS),
    *(f"root.{name}" for name in NODE_COLUMNS),
    *(f"leaf.is_{tag}" for tag in LEAF_TAGS),
)


def block_features(page: Page, cdom: Cdom, leaves: FloatArray, nodes: FloatArray) -> FloatArray:
    """Return the block features of the k leaves of *cdom*. *Shapes:* ``(k, 27)``, ``(g, 20)`` -> ``(k, 128)``

    :param leaves: `LEAF_COLUMNS` of the leaves.
    :param nodes: `NODE_COLUMNS` of the inner nodes or, if there are none, of the only leaf.
    """
    n_nodes = cdom.n_nodes
    tag_bits = _TAG_BITS[page.tags]
    ancestors = np.zeros((n_nodes + 1, 1 + len(NODE_COLUMNS) + len(PARENT_TAGS)), dtype=np.float32)
    n_columns = 1 + nodes.shape[1]
    ancestors[:n_nodes, 0] = 1
    ancestors[:n_nodes, 1:n_columns] = nodes[:n_nodes]
    ancestors[:n_nodes, n_columns:] = _tag_flags(cdom.unite(tag_bits, cdom.node_chains), _PARENT_BITS)
    parents = cdom.leaf_parents  # -1, for no parent, is the last row, which is all zeros
    grandparents = np.append(cdom.node_parents, -1)[parents]
    parts = (
        leaves,
        ancestors.take(parents, axis=0, mode="wrap"),
        ancestors[:, :n_columns].take(grandparents, axis=0, mode="wrap"),
        np.broadcast_to(nodes[0], (len(leaves), len(NODE_COLUMNS))),
        _tag_flags(cdom.unite(tag_bits, cdom.leaf_chains), _LEAF_BITS),
    )
    return np.concatenate(parts, axis=1)


# One bit for each tag that has a column.
_BITS: Final = {tag: 1 << bit for bit, tag in enumerate(sorted({*PARENT_TAGS, *LEAF_TAGS}))}
_TAG_BITS: Final = np.array([_BITS.get(tag, 0) for tag in TAG_NAMES])
_PARENT_BITS: Final = np.array([_BITS[tag] for tag in PARENT_TAGS])
_LEAF_BITS: Final = np.array([_BITS[tag] for tag in LEAF_TAGS])


def _tag_flags(bits: IntArray, tags: IntArray) -> FloatArray:
    """Return, for each of *tags*, 1 if a chain has it, else -1. *Shapes:* ``(rows,)``, ``(t,)`` -> ``(rows, t)``"""
    return np.where(bits[:, None] & tags, np.float32(1), np.float32(-1))


EDGE_FEATURE_NAMES: Final = (
    "tree_distance_2",
    "tree_distance_3",
    "tree_distance_4",
    "tree_distance_above_4",
    "line_break",
    *(f"common_ancestor.{name}" for name in NODE_COLUMNS),
)


def edge_features(page: Page, cdom: Cdom, leaves: IntArray, nodes: FloatArray) -> FloatArray:
    """Return the edge features of the kept *leaves* of *page*. *Shape:* ``(max(k - 1, 0), 25)``

    :param nodes: `NODE_COLUMNS` of the inner nodes. *Shape:* ``(g, 20)``
    """
    ancestors = cdom.common_ancestors
    rows = np.empty((len(ancestors), len(EDGE_FEATURE_NAMES)), dtype=np.float32)
    distances = np.minimum(cdom.tree_distances, 5)
    rows[:, :4] = np.where(distances[:, None] == _DISTANCES, np.float32(1), np.float32(-1))
    rows[:, 4] = line_breaks(page, cdom, leaves)
    rows[:, 5:] = nodes.take(ancestors, axis=0)
    return rows


_DISTANCES: Final = np.array([2, 3, 4, 5])


@dataclass(frozen=True, slots=True, eq=False)
class PageFeatures:
    """The features of a page of n blocks.

    :param blocks: columns `BLOCK_FEATURE_NAMES`. *Shape:* ``(n, 128)``
    :param edges: columns `EDGE_FEATURE_NAMES` of each pair of neighboring blocks. *Shape:* ``(max(n - 1, 0), 25)``
    :param n_tokens: number of words of each block, which is not a feature but the block's weight. *Shape:* ``(n,)``
    """

    blocks: FloatArray
    edges: FloatArray
    n_tokens: IntArray


def page_features(page: Page, blocks: BlockSequence) -> PageFeatures:
    """Return the features of a page with one or more *blocks*, each a single leaf."""
    leaves = blocks.leaves
    cdom = collapse(page, blocks)
    texts = text_statistics([page.texts[leaf] for leaf in leaves.tolist()])
    nodes = node_statistics(page, cdom, leaves, texts)
    n_leaves = len(leaves)
    shared = shared_columns(
        np.concatenate([texts.counts, nodes.counts], axis=1), np.concatenate([texts.ends, nodes.ends], axis=1)
    )
    leaf_rows = leaf_columns(texts, shared[:, :n_leaves]).T.astype(np.float32)
    node_rows = node_columns(nodes, shared[:, n_leaves:]).T.astype(np.float32)
    return PageFeatures(
        block_features(page, cdom, leaf_rows, node_rows),
        edge_features(page, cdom, leaves, node_rows),
        texts.n_tokens,
    )
