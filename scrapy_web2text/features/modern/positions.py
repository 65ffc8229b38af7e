"""Columns of a block's position: how far down the page, how deep, and near which images, inputs and links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.features.columns import Feature
from scrapy_web2text.features.modern.context import Context, share
from scrapy_web2text.features.modern.table import Table

__all__ = ["POSITIONS"]


@dataclass(frozen=True, slots=True, eq=False)
class PositionMeasures:
    """Measures of n blocks; each array of *Shape:* ``(n,)``.

    :param position: number of blocks before the block.
    :param depth: number of elements around the block's container.
    :param images: number of images and the like between the first text of the block before and that of this one; the
        same for `inputs`, `breaks` (``br``) and `rules` (``hr``).
    :param links: number of links in the block or between the block before and this one.
    :param links_inside: number of these links that lead to a place on the same page.
    :param links_outside: number of these links whose URL has a host.
    """

    n_blocks: int
    position: IntArray
    n_words: float
    words_before: DoubleArray
    words_after: DoubleArray
    depth: IntArray
    images: IntArray
    inputs: IntArray
    breaks: IntArray
    rules: IntArray
    links: IntArray
    links_inside: IntArray
    links_outside: IntArray


_FEATURES: Final[tuple[Feature[PositionMeasures], ...]] = (
    Feature("position", lambda m: m.position / m.n_blocks),
    Feature("log_position", lambda m: np.log1p(m.position), scale=5, why="147 blocks give 1"),
    Feature("log_from_end", lambda m: np.log1p(m.n_blocks - 1 - m.position), scale=5, why="147 blocks give 1"),
    Feature("words_before", lambda m: share(m.words_before, m.n_words)),
    Feature("log_words_before", lambda m: np.log1p(m.words_before), scale=6, why="402 words give 1"),
    Feature("log_words_after", lambda m: np.log1p(m.words_after), scale=6, why="402 words give 1"),
    Feature("depth", lambda m: np.minimum(m.depth, 40), scale=20, why="20 elements give 1; few blocks are deeper"),
    Feature("log_images_since", lambda m: np.log1p(m.images)),
    Feature("log_inputs_since", lambda m: np.log1p(m.inputs)),
    Feature("breaks_since", lambda m: np.minimum(m.breaks, 3), scale=2, why="2 breaks, an empty line, give 1"),
    Feature("rules_since", lambda m: np.minimum(m.rules, 1)),
    Feature("log_links", lambda m: np.log1p(m.links)),
    Feature("links_inside", lambda m: share(m.links_inside, m.links)),
    Feature("links_outside", lambda m: share(m.links_outside, m.links)),
)


def _measure(context: Context) -> PositionMeasures:
    n, page, attributes, words = context.n_blocks, context.page, context.attributes, context.words_before
    first_slots = page.leaf_slots[context.blocks.leaves[context.blocks.starts]]
    last_slots = page.leaf_slots[context.blocks.leaves[context.blocks.ends - 1]]

    def elements_since(*tags: str) -> IntArray:
        """Return the number of elements between the first texts of the block before, if any, and of this one."""
        before = np.searchsorted(page.open_slots[page.tags_in(tags)], first_slots)
        return np.diff(before, prepend=0)

    links = np.flatnonzero(page.tags_in({"a"}))
    block_of_link = np.minimum(np.searchsorted(last_slots, page.open_slots[links]), n - 1)
    return PositionMeasures(
        n_blocks=n,
        position=np.arange(n),
        n_words=float(words[-1]),
        words_before=words[:-1],
        words_after=words[-1] - words[1:],
        depth=context.depths[context.containers],
        images=elements_since("img", "picture", "svg", "video", "iframe"),
        inputs=elements_since("input", "select", "textarea"),
        breaks=elements_since("br"),
        rules=elements_since("hr"),
        links=np.bincount(block_of_link, minlength=n),
        links_inside=np.bincount(block_of_link[attributes.leads_inside[links]], minlength=n),
        links_outside=np.bincount(block_of_link[attributes.leads_outside[links]], minlength=n),
    )


POSITIONS: Final = Table(_measure, _FEATURES)
