"""Pages of the corpora as blocks, and the labels of blocks by alignment: what the trainings of research share."""

from __future__ import annotations

import logging
from collections.abc import Callable

from research.alignment.characters import counts_to_labels
from scrapy_web2text.common.arrays import IntArray, RealArray
from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.labelers.chain import decode
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, mask_to_labels
from scrapy_web2text.training.corpora import parse_page

logger = logging.getLogger(__name__)


def segment_page(source: CorpusPage, segment: Callable[[Page], BlockSequence]) -> tuple[Page, BlockSequence] | None:
    """Return the parsed page and its blocks, or None, which is logged, if it cannot be parsed or has no blocks.

    :param segment: cuts a page into blocks.
    """
    page = parse_page(source)
    if page is None:
        return None
    blocks = segment(page)
    if not blocks.n_blocks:
        logger.debug("Ignoring page %s: no blocks", source.id)
        return None
    return page, blocks


def leaf_counts_to_labels(blocks: BlockSequence, n_aligned: IntArray, n_characters: IntArray) -> IntArray:
    """Return the label of each block, from the counts of `align_leaves` for the leaves of its page.

    *Shapes:* ``(n_leaves of the page,)`` twice -> ``(blocks.n_blocks,)``
    """
    return counts_to_labels(blocks.sum_leaves(n_aligned), blocks.sum_leaves(n_characters))


def viterbi(unary: RealArray, pairwise: RealArray) -> IntArray:
    """Return the labels of maximum total log-potential; of several, the fewest. *Shape:* ``(n,)``"""
    return mask_to_labels(decode(unary, pairwise, decoder="viterbi", threshold=0.5)[0])
