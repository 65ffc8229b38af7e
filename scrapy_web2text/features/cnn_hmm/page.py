"""The features of Web2Text, section 3.3: two tables of named columns, computed for a whole page at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_web2text.arrays import FloatArray, IntArray
from scrapy_web2text.features.cnn_hmm.block import BLOCK_FEATURE_NAMES, block_features
from scrapy_web2text.features.cnn_hmm.edge import EDGE_FEATURE_NAMES, edge_features
from scrapy_web2text.features.cnn_hmm.measures import leaf_columns, node_columns, shared_columns
from scrapy_web2text.features.cnn_hmm.statistics import node_statistics
from scrapy_web2text.features.cnn_hmm.text import text_statistics
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence
from scrapy_web2text.page.cdom import collapse

__all__ = ["PageFeatures", "page_features"]


@dataclass(frozen=True, slots=True, eq=False)
class PageFeatures:
    """The features of a page of n blocks.

    :param blocks: columns `BLOCK_FEATURE_NAMES`. *Shape:* ``(n, 128)``
    :param edges: columns `EDGE_FEATURE_NAMES` of each pair of neighboring blocks. *Shape:* ``(max(n - 1, 0), 25)``
    :param n_tokens: number of words of each block; not a feature, but a weight of the block. *Shape:* ``(n,)``
    """

    blocks: FloatArray
    edges: FloatArray
    n_tokens: IntArray


def page_features(page: Page, blocks: BlockSequence) -> PageFeatures:
    """Return the features of a page whose *blocks* are single leaves."""
    leaves = blocks.leaves
    if not len(leaves):
        return PageFeatures(
            np.zeros((0, len(BLOCK_FEATURE_NAMES)), dtype=np.float32),
            np.zeros((0, len(EDGE_FEATURE_NAMES)), dtype=np.float32),
            np.zeros(0, dtype=np.int64),
        )
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
