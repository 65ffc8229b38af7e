"""The 25 edge features of Web2Text: of each pair of neighboring blocks."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import FloatArray, IntArray
from scrapy_web2text.features.cnn_hmm.breaks import line_breaks
from scrapy_web2text.features.cnn_hmm.measures import NODE_COLUMNS
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.cdom import Cdom

__all__ = ["EDGE_FEATURE_NAMES", "edge_features"]


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
