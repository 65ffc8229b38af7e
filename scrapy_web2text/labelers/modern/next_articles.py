"""The articles after the first one, on pages that load more articles while a reader scrolls."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.modern.repeats import collapsed_texts
from scrapy_web2text.metadata.title import fold_title
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

_LEAST_WORDS: Final = 100  # of the content of an article
# What an article says of itself, in a class or a property of microdata. Chapters and sections do not.
_DATED: Final = re.compile(r"(?:(?<![a-z])[ad]|[AD])(?:uthor|ate)(?![a-z]{3})|byline|[Pp]ublished|timestamp")


class NextArticles(NamedTuple):
    """Which blocks are in the article of a page, in the next article, and in all later articles. *Shapes:* ``(n,)``"""

    is_own: BoolArray
    is_next: BoolArray
    is_later: BoolArray


def find_next_articles(
    page: Page, blocks: BlockSequence, *, tag_places: IntArray, headings: IntArray, headline: int
) -> NextArticles | None:
    """Return the articles after the article that the page is about; None if there are none.

    The next article begins with a heading in the same place of the template as the headline. It has an element of its
    own, as the first article has, and both have a date or an author. In lists of articles, headlines are links.

    :param tag_places: the place of each block in the template of the page, by tags, as a number. *Shape:* ``(n,)``
    :param headings: the blocks that are headings. *Shape:* ``(h,)``
    :param headline: the block of the headline, -1 for none.
    """
    if headline < 0:
        return None
    later = headings[headings >= headline]
    both = later[tag_places[later] == tag_places[headline]][:2]
    if len(both) < 2:  # as on nearly all pages
        return None
    first_leaves = blocks.leaves[blocks.starts]
    title, following = map(fold_title, collapsed_texts(page, blocks, both))
    is_list = page.is_inside({"a"}, first_leaves[both[:1]]).any()
    if is_list or title in following:  # an answer repeats the title
        return None
    slots = page.leaf_slots[first_leaves]
    one, other = page.owners(slots[both]).tolist()
    articles = _outermost_without(page, one, other), _outermost_without(page, other, one)
    if not all(_is_dated(page, article) for article in articles):
        return None
    starts = page.open_slots[[*articles, articles[1]]]
    ends = page.close_slots[[*articles, page.parents[articles[1]]]]
    return NextArticles(*((slots >= start) & (slots < end) for start, end in zip(starts, ends, strict=True)))


def drop_next_articles(articles: NextArticles | None, labels: IntArray, n_tokens: IntArray) -> IntArray:
    """Return *labels* with BOILERPLATE for all but the first of *articles*, if the first two have enough content.

    :param n_tokens: number of words of each block. *Shape:* ``(n,)``
    """
    if articles is None:
        return labels
    words = np.where(labels == Label.CONTENT, n_tokens, 0)
    if min(words[articles.is_own].sum(), words[articles.is_next].sum()) < _LEAST_WORDS:
        return labels
    return np.where(articles.is_later, Label.BOILERPLATE, labels)


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
