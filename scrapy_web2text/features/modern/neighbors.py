"""Columns of a block's place in the tree, relative to the blocks before and after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, DoubleArray
from scrapy_web2text.features.columns import Feature
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.table import Table

__all__ = ["NEIGHBORS"]


@dataclass(frozen=True, slots=True, eq=False)
class NeighborMeasures:
    """Measures of the pairs of each block and the one before it, and after it; each of *Shape:* ``(2, n)``.

    :param up: levels from the first block of the pair up to the lowest common node; 0 at the ends of the page.
    :param down: levels from there down to the second.
    :param is_alike: whether both have the same container tag and the same depth below that node.
    """

    up: DoubleArray
    down: DoubleArray
    is_alike: BoolArray


_FEATURES: Final[tuple[Feature[NeighborMeasures], ...]] = (
    Feature("up_{}", lambda m: np.minimum(m.up, 8), scale=4, why="4 levels give 1; more than 5 are rare"),
    Feature("down_{}", lambda m: np.minimum(m.down, 8), scale=4, why="4 levels give 1; more than 5 are rare"),
    Feature("siblings_{}", lambda m: (m.up == 1) & (m.down == 1)),
    Feature("alike_{}", lambda m: m.is_alike),
)


def _measure(context: Context) -> NeighborMeasures:
    cdom, n, tags = context.cdom, context.n_blocks, context.container_tags
    depth = np.append(cdom.node_depths, -1)[cdom.leaf_parents] + 1
    meeting = np.append(cdom.node_depths, 0)[cdom.common_ancestors] if n > 1 else np.zeros(0)
    # Pair i is that of blocks i - 1 and i; the first and the last lack a block.
    up, down = np.zeros((2, n + 1))
    up[1:-1], down[1:-1] = depth[:-1] - meeting, depth[1:] - meeting
    is_alike = np.zeros(n + 1, dtype=bool)
    is_alike[1:-1] = (tags[1:] == tags[:-1]) & (up[1:-1] == down[1:-1])
    return NeighborMeasures(*(np.stack([pairs[:-1], pairs[1:]]) for pairs in (up, down, is_alike)))


NEIGHBORS: Final = Table(_measure, _FEATURES, variants=("before", "behind"))
