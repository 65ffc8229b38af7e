"""Features and labels of many pages, one page after another: the data that the networks are fitted to."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from research.alignment.characters import align_leaves
from research.pages import leaf_counts_to_labels, segment_page
from scrapy_web2text.features.cnn_hmm.page import page_features
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_web2text.common.arrays import FloatArray, IntArray
    from scrapy_web2text.evaluation.corpora import CorpusPage

_segment = partial(segment, segmentation=TEXT_LEAVES)


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
        return np.cumsum(self.lengths) - self.lengths


@dataclass(frozen=True, slots=True, eq=False)
class LabeledRows:
    """Features and labels of the blocks and edges of many pages, one page after another; each page has blocks.

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
        """The edges, with classes 0 to 3 for the label pairs 00, 01, 10 and 11."""
        pairs = 2 * self.labels[:-1] + self.labels[1:]
        inside = np.ones(len(pairs), dtype=bool)
        inside[np.cumsum(self.lengths)[:-1] - 1] = False
        return Sequences(self.edge_features, pairs[inside], self.lengths - 1)

    @classmethod
    def join(cls, parts: Sequence[LabeledRows]) -> LabeledRows:
        """Return the rows of all *parts*.

        :raises ValueError: if *parts* is empty.
        """
        if not parts:
            raise ValueError("expected one or more pages with blocks, found none")
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def label_pages(pages: Iterable[CorpusPage]) -> LabeledRows:
    """Return the features of *pages*, and the labels that follow from their clean texts.

    Pages that cannot be parsed or have no blocks are skipped.

    :raises ValueError: if no page remains.
    """
    parts = []
    for source in pages:
        segmented = segment_page(source, _segment)
        if segmented is not None:
            page, blocks = segmented
            features = page_features(page, blocks)
            labels = leaf_counts_to_labels(blocks, *align_leaves(page.texts, source.text))
            parts.append(LabeledRows(np.array([blocks.n_blocks]), labels, features.blocks, features.edges))
    return LabeledRows.join(parts)
