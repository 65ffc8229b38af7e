"""Pages judged by a reading in place of their published clean text."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.modern.repeats import collapsed_texts
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.readings.fit import label_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scrapy_web2text.evaluation.corpora import LabeledPage
    from scrapy_web2text.readings.reading import Reading

__all__ = ["block_texts_for_readers", "judge_by_readings"]

logger = logging.getLogger(__name__)


def judge_by_readings(
    pages: Iterable[LabeledPage], corpus: str, readings: Mapping[tuple[str, str], Reading]
) -> Iterator[LabeledPage]:
    """Yield each of *pages*, with the content of its reading as its clean text if it has one.

    The number of pages that have one, and of readings that no longer fit their pages, is logged at the end.

    :param readings: by corpus and page id, see `read_readings`.
    """
    n_read = n_unfit = n_pages = 0
    for page in pages:
        n_pages += 1
        reading = readings.get((corpus, page.id))
        text = _read(page, reading) if reading else None
        n_read += text is not None
        n_unfit += reading is not None and text is None
        yield page if text is None else replace(page, text=text)
    if readings:
        message = "%s: %d of %d pages are judged by a reading; %d readings do not fit their pages"
        logger.warning(message, corpus, n_read, n_pages, n_unfit)


def block_texts_for_readers(html: str | bytes) -> list[str]:
    """Return the texts of the blocks of a page as readers see them, and as readings hash them.

    :raises PageError: if the page cannot be parsed.
    """
    page = tree_to_page(to_tree(html))
    blocks = segment(page, MODERN_BLOCKS)
    return collapsed_texts(page, blocks, np.arange(blocks.n_blocks))


def _read(source: LabeledPage, reading: Reading) -> str | None:
    """Return the content of a page by its *reading*, or None if the reading does not fit the page."""
    try:
        texts = block_texts_for_readers(source.html)
    except PageError:
        return None
    labels = label_all(reading, texts)
    return None if labels is None else "\n".join(texts[number] for number in np.flatnonzero(labels))
