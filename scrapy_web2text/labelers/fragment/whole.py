"""Whether markup without the tags of a page is nevertheless a whole page, by its links and its copyright notice.

HTML allows a page without html, head and body tags, and some programs that store pages strip them. The limits were
chosen on the bodies of pages of the corpora, and on the elements that contain their main content.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.labelers.fragment.furniture import Furniture
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, block_texts

__all__ = ["looks_like_whole_page"]

# Links to other pages, before the first prose and after the last.
_LEAST_LINKS_AROUND: Final = 8
# Links of a page with a copyright notice. The texts of news agencies have notices, too.
_LEAST_LINKS: Final = 5
# Words outside of links. A shorter block is not prose.
_LEAST_PROSE: Final = 10
_COPYRIGHT: Final = re.compile(r"©|\bcopyright\b", re.IGNORECASE)


def looks_like_whole_page(page: Page, blocks: BlockSequence, furniture: Furniture) -> bool:
    """Return whether *page* has the frame of a whole page: links around its text, a copyright notice, or navigation.

    :param furniture: its links to share do not count, as feeds have these, too.
    """
    n_links = _count_links(page, furniture)
    if _has_frame(page):
        return True
    if not blocks.n_blocks or n_links[-1] < _LEAST_LINKS:
        return False
    if any(_COPYRIGHT.search(text) for text in watched(block_texts(page, blocks))):
        return True
    prose = np.flatnonzero(_count_prose(page, blocks, furniture) >= _LEAST_PROSE)
    if not len(prose):
        return False
    first = page.leaf_slots[blocks.leaves[blocks.starts[prose[0]]]]
    last = page.leaf_slots[blocks.leaves[blocks.ends[prose[-1]] - 1]]
    n_around: int = n_links[first] + n_links[-1] - n_links[last]
    return n_around >= _LEAST_LINKS_AROUND


def _count_links(page: Page, furniture: Furniture) -> IntArray:
    """Return the number of links to other pages up to each slot. *Shape:* ``(2n,)``"""
    links = np.flatnonzero(page.tags_in({"a"}))
    in_shares = page.count_enclosing(furniture.shares)[page.open_slots[links]] > 0
    targets = (page.elements[link].get("href") for link in links.tolist())
    leads_away = [bool(target) and not target.startswith("#") for target in watched(targets, len(links))]
    is_link = np.zeros(2 * page.n_elements, dtype=np.int64)
    is_link[page.open_slots[links[np.array(leads_away, dtype=bool) & ~in_shares]]] = 1
    return np.cumsum(is_link)


def _has_frame(page: Page) -> bool:
    """Return whether *page* has navigation, and a header or a footer, outside of articles and sections."""
    inside = (
        page.count_enclosing(page.tags_in({"article", "aside", "blockquote", "main", "section"}))[page.open_slots] > 0
    )
    frame: list[BoolArray] = [page.tags_in(tags) & ~inside for tags in ({"nav"}, {"header", "footer"})]
    return all(map(np.any, frame))


def _count_prose(page: Page, blocks: BlockSequence, furniture: Furniture) -> IntArray:
    """Return the number of words of each block outside of links. *Shape:* ``(n,)``"""
    in_links = page.is_inside({"a", "button"}, np.arange(page.n_leaves))
    return blocks.sum_leaves(np.where(in_links, 0, furniture.n_words))
