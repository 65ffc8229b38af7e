"""Columns of a block's place in the tree, relative to the blocks before and after it."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.features.modern.context import Context, append
from scrapy_web2text.features.modern.table import Rows, Table, value

__all__ = ["NEIGHBORS"]


_COLUMNS: Final = (
    value("up_{}", "up", scale=4, why="4 levels give 1; more than 5 are rare"),
    value("down_{}", "down", scale=4, why="4 levels give 1; more than 5 are rare"),
    value("siblings_{}", "are_siblings"),
    value("alike_{}", "are_alike"),
)


def _measure(context: Context, rows: Rows) -> None:
    """Measure the pairs of each block and the one before it, and after it.

    These are the levels from the first block of the pair up to the lowest common node, 0 at the ends of the page, and
    from there down to the second; and whether both have the same container tag and the same depth below that node.
    """
    cdom, n, tags = context.cdom, context.n_blocks, context.container_tags
    depth = append(cdom.node_depths, -1)[cdom.leaf_parents] + 1
    meeting = append(cdom.node_depths, 0)[cdom.common_ancestors] if n > 1 else np.zeros(0)
    # Pair i is that of blocks i - 1 and i; the first and the last lack a block.
    up, down = np.zeros((2, n + 1))
    up[1:-1], down[1:-1] = depth[:-1] - meeting, depth[1:] - meeting
    is_alike = np.zeros(n + 1, dtype=bool)
    is_alike[1:-1] = (tags[1:] == tags[:-1]) & (up[1:-1] == down[1:-1])
    pairs = {
        "up": np.minimum(up, 8),
        "down": np.minimum(down, 8),
        "are_siblings": (up == 1) & (down == 1),
        "are_alike": is_alike,
    }
    places = np.array([context.position, context.position + 1])
    for name, values in pairs.items():
        rows[name] = values[places]


NEIGHBORS: Final = Table("neighbors", _measure, _COLUMNS, variants=("before", "behind"))
