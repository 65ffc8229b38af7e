"""The blocks of a page as labels name them: the one way from a page to what is labeled, trained on and judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_web2text.labelers.modern.repeats import collapsed_texts
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.paths import export_blocks

if TYPE_CHECKING:
    from scrapy_web2text.page.arrays import Page
    from scrapy_web2text.page.blocks import Block, BlockSequence


@dataclass(frozen=True, slots=True, eq=False)
class PageBlocks:
    """A page and its n blocks.

    :param texts: as labels hash them, without the space between links. *Shape:* ``(n,)``
    """

    page: Page
    blocks: BlockSequence
    texts: tuple[str, ...]

    @classmethod
    def of(cls, page: Page) -> PageBlocks:
        """Return the blocks of *page*."""
        blocks = segment(page, MODERN_BLOCKS)
        return cls(page, blocks, tuple(collapsed_texts(page, blocks, np.arange(blocks.n_blocks))))

    def export(self) -> tuple[Block, ...]:
        """Return the blocks as answers have them, as boilerplate."""
        labels = np.zeros(self.blocks.n_blocks, dtype=np.int64)
        return export_blocks(self.page, self.blocks, labels, None, content_only=False)

    @property
    def paths(self) -> tuple[str, ...]:
        """XPath of each block; empty where it has none. *Shape:* ``(n,)``"""
        return tuple(block.path or "" for block in self.export())


def read_blocks(html: str | bytes, *, encoding: str | None = None) -> PageBlocks:
    """Return the blocks of a page.

    :raises PageError: if the page cannot be parsed.
    """
    return PageBlocks.of(tree_to_page(to_tree(html, encoding=encoding)))
