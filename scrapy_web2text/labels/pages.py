"""The blocks of a page as labels name them: pages are labeled, trained on and judged by these blocks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scrapy_web2text.content.text import write_blocks
from scrapy_web2text.extraction import Block
from scrapy_web2text.labelers.modern.repeats import collapsed_texts
from scrapy_web2text.labels.files import PageLabels
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.paths import export_blocks
from scrapy_web2text.sources.files import read_whole_page


@dataclass(frozen=True, slots=True, eq=False)
class PageBlocks:
    """A page and its n blocks.

    :param texts: the texts of the blocks as labels hash them, without the spaces that answers add between links.
        *Shape:* ``(n,)``
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
        """Return the blocks in the form of an answer, all labeled as boilerplate."""
        labels = np.zeros(self.blocks.n_blocks, dtype=np.int64)
        texts = write_blocks(self.page, self.blocks)
        return export_blocks(self.page, self.blocks, labels, None, texts, content_only=False)

    @property
    def paths(self) -> tuple[str, ...]:
        """XPath of each block; empty where it has none. *Shape:* ``(n,)``"""
        return tuple(block.path or "" for block in self.export())


def read_blocks(html: str | bytes) -> PageBlocks:
    """Return the blocks of a page.

    :raises PageError: if the page cannot be parsed.
    """
    return PageBlocks.of(tree_to_page(to_tree(html)))


def read_labeled_page(labels: PageLabels, folder: Path) -> bytes:
    """Return the page that *labels* belong to. Its file is relative to *folder*.

    The first folders of its name may be left out, so that *folder* is also the folder that was labeled.

    :raises ValueError: if the page cannot be read; the message says why.
    """
    if labels.file is None:
        raise ValueError("no file is named")
    parts = Path(labels.file).parts or (labels.file,)
    places = [folder.joinpath(*parts[n:]) for n in range(len(parts))]
    return read_whole_page(next(filter(os.path.exists, places), places[0]))
