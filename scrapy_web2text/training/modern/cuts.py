"""Short pages, cut from pages of the corpora, since hardly any page of the corpora has fewer than fifty words.

Networks that have seen only long pages label a single sentence beside a login box as boilerplate. A cut page is a page
of a corpus from whose tree most blocks were removed: it keeps at most one run of content, and a few pieces of
boilerplate. Its features are computed from the smaller tree. Pages with little content and all of the boilerplate do
harm: when they were half of the cut pages, documentation lost .015 of word F1 (240 pages of unseen sites, three
trainings).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.extraction import Label
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.corpora import number_of_text

# The share of cut pages that keep a run of content; the others have none.
_WITH_CONTENT: Final = 0.75
# The share of pages whose run begins with the first content block, which has titles and leads; else it begins anywhere.
_FROM_THE_START: Final = 0.6
# The smallest and the largest number of words in a run. The number is drawn evenly on a log scale.
_WORDS: Final = (4.0, 60.0)
# The largest number of pieces of boilerplate that are kept, and the largest number of blocks in a piece.
_PIECES: Final = 4
_PIECE_BLOCKS: Final = 6
# Elements without text that separate texts. They stay if the element around them stays.
_SEPARATORS: Final = ("br", "hr")


def random_of(page_id: str) -> np.random.Generator:
    """Return the generator of random numbers for a page, which depends only on the id of the page."""
    return np.random.default_rng(number_of_text(page_id))


def cut_page(
    html: bytes | str, labels: IntArray, n_words: IntArray, seed: str
) -> tuple[Page, BlockSequence, IntArray] | None:
    """Return a page cut from *html*, its blocks and their labels; None if no block is left.

    The result is also None if the blocks of the cut page are not the kept blocks. A noscript element, for example, is
    shown or hidden depending on the texts beside it.

    :param labels: the labels of the blocks of *html*. *Shape:* ``(n,)``
    :param n_words: number of words of each block. *Shape:* ``(n,)``
    :param seed: text that determines the random numbers.
    """
    root = to_tree(html)
    page = tree_to_page(root)
    blocks = segment(page, MODERN_BLOCKS)
    block_of_leaf = np.full(page.n_leaves, -1)
    block_of_leaf[blocks.leaves] = blocks.leaf_blocks
    kept_blocks = choose_kept(labels, n_words, random_of(seed))
    is_kept = (block_of_leaf >= 0) & kept_blocks[block_of_leaf]
    _remove_texts(page, is_kept)
    smaller = tree_to_page(root)
    smaller_blocks = segment(smaller, MODERN_BLOCKS)
    if not smaller_blocks.n_blocks or smaller.n_leaves != np.count_nonzero(is_kept):
        return None
    leaf_labels = labels[block_of_leaf[is_kept]][smaller_blocks.leaves]
    return smaller, smaller_blocks, np.maximum.reduceat(leaf_labels, smaller_blocks.starts)


def choose_kept(labels: IntArray, n_words: IntArray, random: np.random.Generator) -> BoolArray:
    """Return which blocks of a page a cut page keeps. *Shapes:* ``(n,)`` each"""
    has_content = random.random() < _WITH_CONTENT
    kept = np.zeros(len(labels), dtype=bool)
    for _ in range(int(random.integers(_PIECES + 1))):
        start = int(random.integers(len(kept)))
        kept[start : start + 1 + int(random.integers(_PIECE_BLOCKS))] = True
    kept[labels == Label.CONTENT] = False
    content = np.flatnonzero(labels == Label.CONTENT)
    if has_content and len(content):
        kept[_run(content, n_words, random)] = True
    return kept


def _run(content: IntArray, n_words: IntArray, random: np.random.Generator) -> IntArray:
    """Return successive *content* blocks with a random number of words. *Shapes:* ``(c,)``, ``(n,)`` -> ``(k,)``"""
    first = 0 if random.random() < _FROM_THE_START else int(random.integers(len(content)))
    run = content[first:]
    n_wanted = np.exp(random.uniform(*np.log(_WORDS)))
    is_near: BoolArray = np.cumsum(n_words[run]) - n_words[run] < n_wanted
    return run[is_near]


def _remove_texts(page: Page, is_kept: BoolArray) -> None:
    """Remove all leaves that are not kept from the tree of *page*, then elements without text. *Shape:* ``(m,)``"""
    slots = page.leaf_slots[~is_kept]
    for slot, is_first in zip(slots.tolist(), page.is_first_text(slots).tolist(), strict=True):
        node = page.elements[page.slot_elements[slot]]
        if is_first:
            node.text = None
        else:
            node.tail = None
    has_kept_text = np.zeros(len(page.slot_elements), dtype=bool)
    has_kept_text[page.leaf_slots[is_kept]] = True
    first, stop = page.leaf_ranges(np.flatnonzero(is_kept))
    # An element before a kept text stays, since lxml removes the text after an element together with the element.
    is_empty = (first == stop) & ~has_kept_text[page.close_slots] & ~page.tags_in(_SEPARATORS)
    for number in np.flatnonzero(is_empty).tolist():
        element = page.elements[number]
        parent = element.getparent()
        if parent is not None and number:  # neither the body, nor a comment outside of it
            parent.remove(element)
