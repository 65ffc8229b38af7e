"""Whether markup without the tags of a page is nevertheless a whole page, by its links and its copyright notice.

HTML allows a page without html, head and body tags, and some programs that store pages strip them. The limits were
chosen on the bodies of pages of the corpora, and on the elements that contain their main content.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

import numpy as np

from scrapy_web2text.arrays import IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.labelers.fragment.furniture import Furniture
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, block_texts

__all__ = ["has_frame", "looks_like_whole_page"]

# Links to other pages, before the first prose and after the last.
_LEAST_LINKS_AROUND: Final = 8
# Links of a page with a copyright notice. The texts of news agencies have notices, too.
_LEAST_LINKS: Final = 5
# Words outside of links. A shorter block is not prose.
_LEAST_PROSE: Final = 10
_BEGINNING: Final = "copyr"
_COPYRIGHT: Final = re.compile(r"\bcopyright\b", re.IGNORECASE)


def has_frame(page: Page) -> bool:
    """Return whether *page* has navigation, and a header or a footer, outside of articles and sections."""
    frame = page.tags_in({"nav"}), page.tags_in({"header", "footer"})
    if not (frame[0].any() and frame[1].any()):
        return False
    inside = page.count_enclosing(page.tags_in({"article", "aside", "blockquote", "main", "section"}))
    outside = inside[page.open_slots] == 0
    return all(bool((part & outside).any()) for part in frame)


def looks_like_whole_page(page: Page, blocks: BlockSequence, furniture: Furniture) -> bool:
    """Return whether *page*, without a frame, is a whole page: links around its text, or some and a copyright notice.

    :param furniture: its links to share do not count, as feeds have these, too.
    """
    if len(furniture.links) < _LEAST_LINKS:
        return False
    links = furniture.links[page.count_enclosing(furniture.shares)[page.open_slots[furniture.links]] == 0]
    if len(links) < _LEAST_LINKS:
        return False
    if _has_copyright(page, blocks):
        return _has_other_links(furniture, links, _LEAST_LINKS)
    prose = np.flatnonzero(blocks.sum_leaves(np.where(furniture.in_links, 0, furniture.n_words)) >= _LEAST_PROSE)
    if not len(prose):
        return False
    slots = page.open_slots[links]
    first = page.leaf_slots[blocks.leaves[blocks.starts[prose[0]]]]
    last = page.leaf_slots[blocks.leaves[blocks.ends[prose[-1]] - 1]]
    return _has_other_links(furniture, links[(slots <= first) | (slots > last)], _LEAST_LINKS_AROUND)


def _has_other_links(furniture: Furniture, links: IntArray, least: int) -> bool:
    """Return whether at least so many of *links* are not to read more, which few have to be read for."""
    others = (link for link, is_call in enumerate(furniture.find_calls_to_read(links)) if not is_call)
    return len(links) >= least and next(islice(others, least - 1, None), None) is not None


def _has_copyright(page: Page, blocks: BlockSequence) -> bool:
    texts = [page.texts[leaf] for leaf in blocks.leaves.tolist()]
    text = "".join(texts)
    if "©" in text:
        return True
    n_hits = text.lower().count(_BEGINNING)
    if not n_hits:
        return False
    hits = [i for i, text in enumerate(watched(texts)) if _BEGINNING in text.lower()]
    if n_hits == sum(texts[i].lower().count(_BEGINNING) for i in hits):  # none is in two leaves
        blocks = _take(blocks, np.unique(blocks.starts.searchsorted(hits, side="right") - 1))
    return any(_COPYRIGHT.search(text) for text in watched(block_texts(page, blocks)))


def _take(blocks: BlockSequence, chosen: IntArray) -> BlockSequence:
    """Return the *chosen* ones of *blocks*, in ascending order. *Shape:* any"""
    is_chosen = np.zeros(blocks.n_blocks, dtype=bool)
    is_chosen[chosen] = True
    sizes = (blocks.ends - blocks.starts)[chosen]
    return BlockSequence(blocks.leaves[is_chosen[blocks.leaf_blocks]], np.cumsum(sizes) - sizes)
