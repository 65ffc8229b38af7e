"""What networks are fitted to: features and labels of many pages, one page after another."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_web2text.alignment.characters import align_page
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.features.cnn_hmm import page_features
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment
from scrapy_web2text.page.parse import to_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_web2text.arrays import FloatArray, IntArray
    from scrapy_web2text.evaluation.corpora import LabeledPage
    from scrapy_web2text.page.arrays import Page
    from scrapy_web2text.page.blocks import BlockSequence


__all__ = ["LabeledRows", "Sequences", "cut_page", "label_pages"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """Rows of many pages, one page after another, with the class of each row.

    *Shapes:* features ``(n_rows, F)``, targets ``(n_rows,)``, lengths ``(n_pages,)``.

    :param lengths: number of rows of each page.
    """

    features: FloatArray
    targets: IntArray
    lengths: IntArray

    @property
    def starts(self) -> IntArray:
        """The first row of each page. *Shape:* ``(n_pages,)``"""
        starts: IntArray = np.cumsum(self.lengths) - self.lengths
        return starts


@dataclass(frozen=True, slots=True, eq=False)
class LabeledRows:
    """Features and labels of the blocks and edges of pages that all have blocks, one page after another.

    *Shapes:* lengths ``(n_pages,)``, labels ``(n_blocks,)``, block features ``(n_blocks, F)``, edge features
    ``(n_blocks - n_pages, E)``.

    :param lengths: number of blocks of each page.
    """

    lengths: IntArray
    labels: IntArray
    block_features: FloatArray
    edge_features: FloatArray

    @property
    def blocks(self) -> Sequences:
        """The blocks with their labels."""
        return Sequences(self.block_features, self.labels, self.lengths)

    @property
    def edges(self) -> Sequences:
        """The edges with 0 to 3 for the label pairs 00, 01, 10 and 11."""
        pairs = 2 * self.labels[:-1] + self.labels[1:]
        inside = np.ones(len(pairs), dtype=bool)
        inside[np.cumsum(self.lengths)[:-1] - 1] = False
        return Sequences(self.edge_features, pairs[inside], self.lengths - 1)

    @classmethod
    def join(cls, parts: Sequence[LabeledRows]) -> LabeledRows:
        """Return the rows of all *parts*.

        :raises ValueError: if there are none.
        """
        if not parts:
            raise ValueError("expected one or more pages with blocks, found none")
        return cls(
            np.concatenate([part.lengths for part in parts]),
            np.concatenate([part.labels for part in parts]),
            np.concatenate([part.block_features for part in parts]),
            np.concatenate([part.edge_features for part in parts]),
        )


def label_pages(pages: Iterable[LabeledPage]) -> LabeledRows:
    """Return the features of *pages*, and the labels that their clean texts give them.

    Pages that cannot be parsed, or have no blocks, are left out.

    :raises ValueError: if no page is left.
    """
    return LabeledRows.join([rows for rows in map(_label_page, pages) if rows is not None])


def _label_page(labeled: LabeledPage) -> LabeledRows | None:
    cut = cut_page(labeled, lambda page: segment(page, TEXT_LEAVES))
    if cut is None:
        return None
    page, blocks = cut
    features = page_features(page, blocks)
    labels = align_page(page, blocks, labeled.text)
    return LabeledRows(np.array([blocks.n_blocks]), labels, features.blocks, features.edges)


def cut_page(
    labeled: LabeledPage, segment_page: Callable[[Page], BlockSequence]
) -> tuple[Page, BlockSequence] | None:
    """Return a page and its blocks, as *segment_page* cuts it; None, which is logged, if there is nothing to learn."""
    try:
        page = tree_to_page(to_tree(labeled.html))
    except PageError as error:
        logger.warning("Page %s is left out of the training: %s", labeled.id, error)
        return None
    blocks = segment_page(page)
    if not blocks.n_blocks:
        logger.debug("Page %s is left out of the training: it has no blocks", labeled.id)
        return None
    return page, blocks
