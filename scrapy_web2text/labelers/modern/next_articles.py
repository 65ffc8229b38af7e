"""Articles after the article of a page, as where a page goes on with the next one while a reader scrolls."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import IntArray
from scrapy_web2text.labelers.modern.repeats import collapsed_texts
from scrapy_web2text.metadata.title import fold_title
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, Label

_LEAST_WORDS: Final = 100  # of the content of an article
# What an article says of itself, in a class or a property of microdata. Chapters and sections do not.
_DATED: Final = re.compile(r"(?:(?<![a-z])[ad]|[AD])(?:uthor|ate)(?![a-z]{3})|byline|[Pp]ublished|timestamp")


def drop_next_articles(
    page: Page,
    blocks: BlockSequence,
    labels: IntArray,
    *,
    n_tokens: IntArray,
    places: IntArray,
    headings: IntArray,
    headline: int,
) -> IntArray:
    """Return *labels* with BOILERPLATE for the articles after the one that the page is about.

    The next article begins with a heading in the same place of the template as the headline, in an element of its own
    beside the one of the first article. Both have a date or an author, and enough content. The headlines of a list of
    articles are links to them.

    :param n_tokens: number of words of each block.
    :param places: the place of each block in the template of the page, as a number.
    :param headings: the last heading at or before each block, -1 for none.
    :param headline: the block of the headline, 0 for none.

    *Shapes:* ``(n,)`` each.
    """
    is_alike = (places == places[headline]) & (headings == np.arange(len(places)))
    both = is_alike[headline:].nonzero()[0][:2] + headline
    if not headline or len(both) < 2:  # as on nearly all pages
        return labels
    first_leaves = blocks.leaves[blocks.starts]
    title, later = map(fold_title, collapsed_texts(page, blocks, both))
    if title in later or page.is_inside({"a"}, first_leaves[both[:1]]).any():  # an answer to the first text, or a list
        return labels
    slots = page.leaf_slots[first_leaves]
    one, other = page.owners(slots[both]).tolist()
    second = _outermost_without(page, other, one)
    words = np.where(labels == Label.CONTENT, n_tokens, 0)
    for article in (_outermost_without(page, one, other), second):
        is_own = (slots >= page.open_slots[article]) & (slots < page.close_slots[article])
        if words[is_own].sum() < _LEAST_WORDS or not _is_dated(page, article):
            return labels
    is_later = (slots >= page.open_slots[second]) & (slots < page.close_slots[page.parents[second]])
    return np.where(is_later, Label.BOILERPLATE, labels)


def _outermost_without(page: Page, element: int, other: int) -> int:
    """Return *element* or the outermost element around it that is not around *other*."""
    around = int(page.parents[element])
    while not around <= other < page.ends[around]:
        element, around = around, int(page.parents[around])
    return element


def _is_dated(page: Page, article: int) -> bool:
    """Return whether an element states a date or an author."""
    inside = np.arange(article, page.ends[article])
    if page.tags_in({"time"})[inside].any():
        return True
    return any(
        _DATED.search(value)
        for column in page.read_attributes(inside, "class", "itemprop")
        for value in column.values()
    )
