"""Blocks, the units that are labeled: which leaves of a page are kept, and where one block ends and the next begins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray, mark_changes, sum_spans
from scrapy_web2text.common.budget import batches, check_time
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.reader import collapse_each
from scrapy_web2text.page.tags import TEXT_TAGS


def mask_to_labels(is_content: BoolArray) -> IntArray:
    """Return `Label.CONTENT` where *is_content* is true, `Label.BOILERPLATE` elsewhere. *Shapes:* ``(n,)``"""
    return is_content.astype(np.int64)  # the values of the labels


def labels_to_mask(labels: IntArray) -> BoolArray:
    """Return which of *labels* are `Label.CONTENT`, faster than a comparison with an enum. *Shapes:* ``(n,)``"""
    return labels.astype(bool)  # the values of the labels


@dataclass(frozen=True, slots=True)
class Segmentation:
    """How a labeler cuts a page into blocks.

    :param dropped: tags whose subtrees are dropped.
    :param transparent: tags that do not separate blocks, ``""`` for unknown tags. None makes each leaf a block of its
        own.
    :param keeps_long_noscript: whether to keep a ``noscript`` with much text that the page does not show elsewhere;
        some forums put the whole page into such an element.
    """

    name: str
    dropped: frozenset[str]
    transparent: frozenset[str] | None = None
    keeps_long_noscript: bool = False


# Web2Text, section 3.1; the full list is from the authors' program.
TEXT_LEAVES: Final = Segmentation(
    "text-leaves",
    dropped=frozenset(
        "br checkbox head hr iframe img input meta noscript radio script select style textarea title video".split()
    ),
)
# Kohlschütter et al. 2010, section 3.3: text between tags, where `a` does not separate.
SHALLOW_BLOCKS: Final = Segmentation(
    "shallow",
    dropped=frozenset("head iframe noscript object option script select style textarea title".split()),
    transparent=frozenset({"a"}),
    keeps_long_noscript=True,
)
# web2text-2026: the paragraphs, items and cells that a reader sees. Unknown elements, such as MathML, are inline.
MODERN_BLOCKS: Final = Segmentation(
    "modern-blocks",
    dropped=frozenset(
        """audio canvas head iframe noscript object option script select style svg template textarea title
        video""".split()
    ),
    transparent=TEXT_TAGS | {""},
    keeps_long_noscript=True,
)
_NOSCRIPT: Final = frozenset({"noscript"})
_SVG: Final = frozenset({"svg"})
# Characters; about 40 words.
_LONG_NOSCRIPT: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class BlockSequence:
    """The n blocks of a page, each a run of kept leaves.

    :param leaves: the kept leaves, as indices into the page's leaves, in document order. *Shape:* ``(k,)``
    :param starts: position in ``leaves`` of each block's first leaf. *Shape:* ``(n,)``
    """

    leaves: IntArray
    starts: IntArray

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.starts)

    @property
    def ends(self) -> IntArray:
        """One past the position in ``leaves`` of each block's last leaf. *Shape:* ``(n,)``"""
        ends = np.empty_like(self.starts)
        ends[:-1] = self.starts[1:]
        ends[-1:] = len(self.leaves)
        return ends

    @property
    def leaf_blocks(self) -> IntArray:
        """The block of each kept leaf. *Shape:* ``(k,)``"""
        return np.arange(self.n_blocks).repeat((self.ends - self.starts).astype(np.intp))

    def sum_leaves(self, values: IntArray) -> IntArray:
        """Return the sum of *values* over the leaves of each block.

        *Shapes:* ``(n_leaves of the page,)`` -> ``(n,)``
        """
        starts = self.starts.astype(np.intp)
        return np.add.reduceat(values[self.leaves], starts) if self.n_blocks else starts

    def cut(self, is_chosen: BoolArray) -> BlockSequence:
        """Return these blocks, also cut between chosen leaves and others. *Shape:* ``(k,)``"""
        is_start = is_chosen.copy()
        is_start[1:] ^= is_chosen[:-1]
        is_start[self.starts] = True
        return BlockSequence(self.leaves, is_start.nonzero()[0])


def segment(page: Page, segmentation: Segmentation) -> BlockSequence:
    """Return the blocks of *page*."""
    check_time()
    dropped = page.tags_in(segmentation.dropped)
    if segmentation.keeps_long_noscript:
        dropped[_long_noscripts(page)] = False
    is_kept = page.count_enclosing(dropped)[page.leaf_slots] == 0
    if "foreignobject" in page.names:
        is_kept |= _is_in_html(page, dropped)
    leaves = is_kept.nonzero()[0]
    if segmentation.transparent is None:
        return BlockSequence(leaves, np.arange(len(leaves)))
    separates = ~page.tags_in(_joining_tags(segmentation.transparent))[page.slot_elements]
    # Two leaves are in different blocks if a separating tag opens or closes between them.
    n_before = separates.cumsum()[page.leaf_slots[leaves]]
    return BlockSequence(leaves, mark_changes(n_before).nonzero()[0])


def _is_in_html(page: Page, dropped: BoolArray) -> BoolArray:
    """Return which leaves are in HTML inside SVG images and in no other *dropped* element. *Shape:* ``(m,)``"""
    is_svg = page.tags_in(_SVG)
    is_html = page.name_numbers == page.names.index("foreignobject")
    owners = page.owners(page.leaf_slots)
    nearest = reader.find_nearest(is_svg | is_html, page.parents, owners)
    is_dropped = page.count_enclosing(dropped & ~is_svg)[page.leaf_slots] > 0
    return ~is_dropped & is_html[nearest] & (nearest >= 0)


@cache
def _joining_tags(transparent: frozenset[str] | None) -> frozenset[str]:
    return frozenset({"#comment", *(transparent or ())})


def _long_noscripts(page: Page) -> list[int]:
    """Return the ``noscript`` elements with much text that the page does not contain outside of them."""
    if page.tag_names.isdisjoint(_NOSCRIPT):
        return []
    (noscripts,) = page.tags_in(_NOSCRIPT).nonzero()
    starts = page.leaf_slots.searchsorted(page.open_slots[noscripts])
    ends = page.leaf_slots.searchsorted(page.close_slots[noscripts])
    if not (starts < ends).any():
        return []  # they have only images
    is_inside = page.is_inside(_NOSCRIPT, np.arange(page.n_leaves))
    inside = is_inside.nonzero()[0].tolist()
    if sum(len(page.texts[leaf]) for leaf in inside) < _LONG_NOSCRIPT:
        return []  # on most pages; their other texts need not be read
    check_time()
    shown = {" ".join(page.texts[leaf].split()) for leaf in (~is_inside).nonzero()[0].tolist()}
    check_time()
    texts = [" ".join(page.texts[leaf].split()) for leaf in inside]
    lengths = np.zeros(page.n_leaves, dtype=np.int64)
    lengths[is_inside] = [0 if text in shown else len(text) for text in texts]
    # Hostile pages nest thousands of these elements around the same texts.
    return noscripts[sum_spans(lengths, starts, ends) >= _LONG_NOSCRIPT].tolist()


def mark_kept_leaves(page: Page, blocks: BlockSequence) -> BoolArray:
    """Return which leaves of *page* are in one of its *blocks*. *Shape:* ``(page.n_leaves,)``"""
    is_kept = np.zeros(page.n_leaves, dtype=bool)
    is_kept[blocks.leaves] = True
    return is_kept


def block_texts(page: Page, blocks: BlockSequence) -> list[str]:
    """Return the text of each block: its leaves with the spacing of the page, whitespace collapsed and trimmed."""
    check_time()
    n_texts = page.slot_has_text.cumsum()[page.leaf_slots[blocks.leaves]]
    n_texts[1:] -= n_texts[:-1].copy()
    after_space = (n_texts > 1).tolist()  # whitespace between two leaves, as between two links
    leaves = zip(blocks.leaves.tolist(), after_space, strict=True)
    texts = [" " + page.texts[leaf] if is_after_space else page.texts[leaf] for leaf, is_after_space in leaves]
    bounds = [*zip(blocks.starts.tolist(), blocks.ends.tolist(), strict=True)]
    return collapse_each(["".join(texts[start:end]) for batch in batches(bounds) for start, end in batch])
