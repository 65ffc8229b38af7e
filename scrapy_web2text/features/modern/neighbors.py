"""Columns of a block's place in the tree, relative to the blocks before and after it."""

from __future__ import annotations

from typing import Final

from scrapy_web2text.features.measures import MEASURES
from scrapy_web2text.features.modern.table import Table, value

__all__ = ["NEIGHBORS"]


_COLUMNS: Final = (
    value("up_{}", "up", scale=4, why="4 levels give 1; more than 5 are rare"),
    value("down_{}", "down", scale=4, why="4 levels give 1; more than 5 are rare"),
    value("siblings_{}", "are_siblings"),
    value("alike_{}", "are_alike"),
)


NEIGHBORS: Final = Table("neighbors", MEASURES.measure_neighbors, _COLUMNS, variants=("before", "behind"))
