"""Blocks, the unit that is labelled: which leaves of a page are kept, and where one block ends and the next begins."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.page import COMMENT, TAG_NAMES, Page, tag_ids

__all__ = ["SHALLOW_BLOCKS", "TEXT_LEAVES", "Block", "BlockSequence", "Label", "Segmentation", "block_texts", "segment"]

IntArray = NDArray[np.int64]


class Label(IntEnum):
    """The answer for one block."""

    BOILERPLATE = 0
    CONTENT = 1


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a page with its answer.

    :param index: position in document order, from 0.
    :param text: its text, blanks collapsed and trimmed.
    :param probability: calibrated probability of CONTENT, in [0, 1]; None where the labeler knows none.
    :param tag: name of the deepest element that holds the whole block.
    :param path: XPath of that element; of the text node itself if the block is a single one.
    """

    index: int
    text: str
    label: Label
    probability: float | None
    tag: str
    path: str

    def to_dict(self) -> dict[str, Any]:
        """Return the block as JSON-ready plain data."""
        return {
            "index": self.index,
            "text": self.text,
            "label": self.label.name.lower(),
            "probability": self.probability,
            "tag": self.tag,
            "path": self.path,
        }


@dataclass(frozen=True, slots=True)
class Segmentation:
    """How a labeler cuts a page into blocks.

    :param dropped: tags whose whole subtrees are left out.
    :param transparent: tags that do not separate blocks; None makes every text leaf a block of its own.
    """

    name: str
    dropped: frozenset[str]
    transparent: frozenset[str] | None = None


# Web2Text, section 3.1; the full list is that of the authors' program.
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
)


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
        return np.append(self.starts[1:], len(self.leaves)) if len(self.starts) else self.starts

    @property
    def leaf_blocks(self) -> IntArray:
        """The block of each kept leaf. *Shape:* ``(k,)``"""
        return np.repeat(np.arange(self.n_blocks), self.ends - self.starts)


def segment(page: Page, segmentation: Segmentation) -> BlockSequence:
    """Return the blocks of *page*."""
    inside_dropped = page.count_enclosing(page.tags_in(segmentation.dropped))
    leaves = np.flatnonzero(inside_dropped[page.leaf_slots] == 0)
    if segmentation.transparent is None:
        return BlockSequence(leaves, np.arange(len(leaves)))
    separates = np.ones(len(TAG_NAMES), dtype=bool)
    separates[[COMMENT, *tag_ids(segmentation.transparent)]] = False
    # Two leaves are apart if a separating tag opens or closes behind the first and not behind the second.
    n_separators = np.cumsum(separates[page.tags][page.slot_elements])
    before = n_separators[page.leaf_slots[leaves]]
    starts = np.flatnonzero(np.diff(before, prepend=-1))
    return BlockSequence(leaves, starts)


def block_texts(page: Page, blocks: BlockSequence) -> list[str]:
    """Return the text of each block: its leaves joined with the page's own spacing, blanks collapsed and trimmed."""
    texts = [page.texts[leaf] for leaf in blocks.leaves.tolist()]
    bounds = zip(blocks.starts.tolist(), blocks.ends.tolist(), strict=True)
    return [" ".join("".join(texts[start:end]).split()) for start, end in bounds]
