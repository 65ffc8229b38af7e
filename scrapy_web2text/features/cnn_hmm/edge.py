"""The 25 edge features of Web2Text: of each pair of neighboring blocks."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import FloatArray, IntArray
from scrapy_web2text.features.cnn_hmm.block import NODE_FEATURES
from scrapy_web2text.features.cnn_hmm.breaks import line_breaks
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.cdom import Cdom

__all__ = ["EDGE_FEATURE_NAMES", "edge_features"]


EDGE_FEATURE_NAMES: Final = (
    "tree_distance_2",
    "tree_distance_3",
    "tree_distance_4",
    "tree_distance_above_4",
    "line_break",
    *(f"common_ancestor.{feature.name}" for feature in NODE_FEATURES),
)


def edge_features(page: Page, cdom: Cdom, leaves: IntArray, nodes: FloatArray) -> FloatArray:
    """Return the edge features of the kept *leaves* of *page*. *Shape:* ``(max(k - 1, 0), 25)``

    :param nodes: features of the inner nodes, from `node_features`. *Shape:* ``(g + 1, 20)``
    """
    distances = np.minimum(cdom.tree_distances, 5)
    return np.concatenate(
        [
            np.where(distances[:, None] == [2, 3, 4, 5], 1, -1),
            line_breaks(page, cdom, leaves)[:, None],
            nodes[cdom.common_ancestors],
        ],
        axis=1,
        dtype=np.float32,
    )
