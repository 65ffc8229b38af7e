"""Which tables of a page hold data; all others only lay out the page."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.content.structure import Structure
from scrapy_web2text.page.arrays import HEADING_TAGS, TAG_NAMES, tag_ids

__all__ = ["Tables"]

_TABLE, _ROW, _CELL, _HEAD_CELL, _PARAGRAPH, _PRE = tag_ids(("table", "tr", "td", "th", "p", "pre")).tolist()
_IS_LAYOUT: Final = np.zeros(len(TAG_NAMES), dtype=bool)
_IS_LAYOUT[tag_ids((*HEADING_TAGS, "article", "section", "nav", "form"))] = True
# A cell with more characters is a column of the page.
_LONGEST_CELL: Final = 1_000


class Tables:
    """The tables of one page; each is judged once."""

    def __init__(self, structure: Structure) -> None:
        self._page = structure.page
        self.table_of = structure.nearest({_TABLE})
        self.row_of = structure.nearest({_ROW})
        self.cell_of = structure.nearest({_CELL, _HEAD_CELL})
        self._pre_of = structure.nearest({_PRE})
        self._hold_data: dict[int, bool] = {}

    def data_table_of(self, element: int) -> int:
        """Return the innermost table at or above *element*, if it holds data; else -1."""
        table = self.table_of(element)
        return table if table >= 0 and self.holds_data(table) else -1

    def data_tables(self) -> BoolArray:
        """Return which elements of the page are tables of data, except in code. *Shape:* ``(n,)``"""
        found = np.zeros(self._page.n_elements, dtype=bool)
        for table in watched(np.flatnonzero(self._page.tags == _TABLE).tolist()):
            found[table] = self._pre_of(table) < 0 and self.holds_data(table)
        return found

    def holds_data(self, table: int) -> bool:
        """Return whether *table* holds data; other tables are layout."""
        if table not in self._hold_data:
            self._hold_data[table] = self._has_rows_of_cells(table)
        return self._hold_data[table]

    def _has_rows_of_cells(self, table: int) -> bool:
        """Return whether *table* looks like data: no tables in it, two rows or more, 1.5 cells per row or more.

        Without ``th`` cells, it is also layout if it has headings, sections or forms, more paragraphs than cells, or a
        cell with the text of a whole column.
        """
        page = self._page
        end = int(page.ends[table])
        tags = page.tags[table + 1 : end]
        if (tags == _TABLE).any() or page.elements[table].get("role") in ("presentation", "none"):
            return False
        is_cell = (tags == _CELL) | (tags == _HEAD_CELL)
        n_cells = int(is_cell.sum())
        n_rows = int((tags == _ROW).sum())
        if n_rows < 2 or 2 * n_cells < 3 * n_rows:
            return False
        if (tags == _HEAD_CELL).any():
            return True
        if _IS_LAYOUT[tags].any() or int((tags == _PARAGRAPH).sum()) > n_cells:
            return False
        cells = np.flatnonzero(is_cell) + table + 1
        n_characters = self._n_characters
        lengths = n_characters[page.close_slots[cells]] - n_characters[page.open_slots[cells]]
        return int(lengths.max()) <= _LONGEST_CELL

    @cached_property
    def _n_characters(self) -> IntArray:
        """The number of characters of the leaves before each slot. *Shape:* ``(2n,)``"""
        page = self._page
        lengths = np.zeros(2 * page.n_elements + 1, dtype=np.int64)
        lengths[page.leaf_slots + 1] = [len(text) for text in page.texts]
        counts: IntArray = np.cumsum(lengths)[:-1]
        return counts
