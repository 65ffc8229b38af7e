"""Pages of a corpus, parsed and segmented for a training."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_web2text.evaluation.corpora import LabeledPage
    from scrapy_web2text.page.arrays import Page
    from scrapy_web2text.page.blocks import BlockSequence

__all__ = ["parse_page", "segment_page"]

logger = logging.getLogger(__name__)


def parse_page(source: LabeledPage) -> Page | None:
    """Return the parsed page, or None, with a warning, if it cannot be parsed."""
    try:
        return tree_to_page(to_tree(source.html))
    except PageError as error:
        logger.warning("Ignoring page %s: %s", source.id, error)
        return None


def segment_page(source: LabeledPage, segment: Callable[[Page], BlockSequence]) -> tuple[Page, BlockSequence] | None:
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
