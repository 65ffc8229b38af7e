"""The blocks of a page as readers see them, and as readings hash them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_web2text.budget import Budget
from scrapy_web2text.content.blocks import export_blocks
from scrapy_web2text.labelers.modern.repeats import collapsed_texts
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.view.markup import mark_page

__all__ = ["PageBlocks", "read_blocks", "read_page_blocks"]


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """The n blocks of a page.

    :param texts: as readings hash them, without the space between links. *Shape:* ``(n,)``
    :param shown: the same texts as answers have them. *Shape:* ``(n,)``
    :param paths: XPath of each block; empty where it has none. *Shape:* ``(n,)``
    :param tags: name of the element around each block. *Shape:* ``(n,)``
    :param html: see `mark_page`.
    """

    texts: tuple[str, ...]
    shown: tuple[str, ...]
    paths: tuple[str, ...]
    tags: tuple[str, ...]
    html: str


def read_page_blocks(html: str | bytes, *, encoding: str | None = None, timeout: float | None = None) -> PageBlocks:
    """Return the blocks of a page.

    :param timeout: CPU time in seconds.
    :raises PageError: if the page cannot be parsed, or not in time.
    """
    with Budget(timeout).running():
        page = tree_to_page(to_tree(html, encoding=encoding))
        blocks = segment(page, MODERN_BLOCKS)
        texts = collapsed_texts(page, blocks, np.arange(blocks.n_blocks))
        labels = np.zeros(blocks.n_blocks, dtype=np.int64)
        rows = export_blocks(page, blocks, labels, None, content_only=False)
        return PageBlocks(
            tuple(texts),
            tuple(row.text for row in rows),
            tuple(row.path or "" for row in rows),
            tuple(row.tag for row in rows),
            mark_page(page, blocks),
        )


def read_blocks(html: str | bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts of the blocks of a page, and their paths."""
    blocks = read_page_blocks(html)
    return blocks.texts, blocks.paths
