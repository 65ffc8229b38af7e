"""Columns of the group of a block: the blocks in the same place of the page's template, and how much text they have.

Cards of a list, comments and rows of a table fill the same place again and again.
"""

from __future__ import annotations

from typing import Final

from scrapy_web2text.features.measures import MEASURES
from scrapy_web2text.features.modern.table import Table, log, log1p, ratio, value

__all__ = ["GROUPS"]


_COLUMNS: Final = (
    log("{}.log_size", "size", scale=3, why="20 blocks give 1"),
    log1p("{}.mean_words", "mean_words", scale=3, why="19 words give 1"),
    ratio("{}.word_share", "group_words", "page_words"),
    ratio("{}.link_density", "group_linked", "group_words"),
    ratio("{}.long_share", "group_long", "group_words"),
    value("{}.rank", "rank"),
    value("{}.spread", "spread"),
)


GROUPS: Final = Table("groups", MEASURES.measure_groups, _COLUMNS, variants=("tags", "classes"))
