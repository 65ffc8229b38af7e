"""The 128 block features of Web2Text: of the leaf, its parent, its grandparent and the root of the CDOM."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import FloatArray, IntArray
from scrapy_web2text.features.cnn_hmm.measures import LEAF_COLUMNS, NODE_COLUMNS
from scrapy_web2text.page.arrays import TAG_NAMES, Page
from scrapy_web2text.page.cdom import Cdom

__all__ = ["BLOCK_FEATURE_NAMES", "block_features"]


# The original's list of parent tags has `ul` twice.
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
    """Return the block features of the k leaves of *cdom*. *Shape:* ``(k, 128)``

    :param leaves: `LEAF_COLUMNS` of the leaves. *Shape:* ``(k, 27)``
    :param nodes: `NODE_COLUMNS` of the inner nodes or, if there are none, of the only leaf. *Shape:* ``(g, 20)``
    """
    n_nodes = cdom.n_nodes
    tag_bits = _TAG_BITS[page.tags]
    ancestors = np.zeros((n_nodes + 1, 1 + len(NODE_COLUMNS) + len(PARENT_TAGS)), dtype=np.float32)
    n_columns = 1 + nodes.shape[1]
    ancestors[:n_nodes, 0] = 1
    ancestors[:n_nodes, 1:n_columns] = nodes[:n_nodes]
    ancestors[:n_nodes, n_columns:] = _tag_flags(cdom.unite(tag_bits, cdom.node_chains), _PARENT_BITS)
    parents = cdom.leaf_parents  # a missing one, -1, is the last row, which is all zeros
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
    """Return 1 for each of *tags* that is in a chain, else -1. *Shapes:* ``(rows,)``, ``(t,)`` -> ``(rows, t)``"""
    flags: FloatArray = np.where(bits[:, None] & tags, np.float32(1), np.float32(-1))
    return flags
