"""Kohlschütter's shallow-text rules: the labeler that needs no weights.

Kohlschütter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.blocks import SHALLOW_BLOCKS, BlockSequence, Segmentation, segment
from scrapy_web2text.features.text import count_tokens
from scrapy_web2text.labelers.base import UNLIMITED, Budget, Labelling
from scrapy_web2text.options import Decoder
from scrapy_web2text.page import Page

__all__ = ["NumWordsRules", "ShallowBlocks", "classify_by_n_words", "shallow_blocks"]

IntArray = NDArray[np.int64]
DoubleArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class ShallowBlocks:
    """The measures of the n blocks of a page that the rules look at.

    :param n_words: words of each block. *Shape:* ``(n,)``
    :param link_density: share of the words that stand in a link, in [0, 1]. *Shape:* ``(n,)``
    """

    n_words: IntArray
    link_density: DoubleArray


def shallow_blocks(page: Page, blocks: BlockSequence) -> ShallowBlocks:
    """Return the measures of *blocks*; link density as in section 3.3."""
    if not blocks.n_blocks:
        return ShallowBlocks(np.zeros(0, dtype=np.int64), np.zeros(0))
    tokens = count_tokens([page.texts[leaf] for leaf in blocks.leaves.tolist()])
    in_link = page.count_enclosing(page.tags_in({"a"}))[page.leaf_slots[blocks.leaves]] > 0
    n_words = np.add.reduceat(tokens, blocks.starts)
    n_linked = np.add.reduceat(tokens * in_link, blocks.starts)
    return ShallowBlocks(n_words, n_linked / np.maximum(n_words, 1))


def classify_by_n_words(measures: ShallowBlocks) -> BoolArray:
    """Return which blocks are content by Algorithm 2, written as in the paper. *Shape:* ``(n,)``

    Beyond either end of the page stands a block without words.
    """
    link_density, n_words = measures.link_density, measures.n_words
    previous_link_density = np.append(0.0, link_density[:-1])
    previous_n_words = np.append(0, n_words[:-1])
    next_n_words = np.append(n_words[1:], 0)
    after_text = np.where(
        n_words <= 16,
        np.where(next_n_words <= 15, previous_n_words > 4, True),
        True,
    )
    after_links = np.where(n_words <= 40, next_n_words > 17, True)
    is_content: BoolArray = (link_density <= 0.333333) & np.where(
        previous_link_density <= 0.555556, after_text, after_links
    )
    return is_content


class NumWordsRules:
    """Algorithm 2: number of words and link density of a block and its neighbours."""

    name: Final = "shallow:numwords"
    is_model: Final = False
    segmentation: Final[Segmentation] = SHALLOW_BLOCKS

    def label(
        self,
        page: Page,
        *,
        threshold: float | None = None,  # noqa: ARG002
        decoder: Decoder | None = None,  # noqa: ARG002
        budget: Budget = UNLIMITED,
    ) -> Labelling:
        """Return the labels of the blocks of *page*; rules know no probabilities."""
        blocks = segment(page, self.segmentation)
        budget.check_time()
        measures = shallow_blocks(page, blocks)
        labels = classify_by_n_words(measures).astype(np.int64)
        return Labelling(blocks, labels, None, measures.n_words)
