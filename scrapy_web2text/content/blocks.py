"""The blocks of a labeled page as plain data."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.budget import watched
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import Block, BlockSequence, Label, block_texts, labels_to_mask, make_blocks
from scrapy_web2text.page.paths import ElementFinder, PathFinder

__all__ = ["export_blocks"]

_LABELS: Final = tuple(Label)  # by their values
_LONGEST_TAG: Final = 100  # characters; hostile pages give many blocks one name of thousands


def export_blocks(
    page: Page,
    blocks: BlockSequence,
    labels: IntArray,
    probabilities: DoubleArray | None,
    *,
    content_only: bool,
    paths: bool = True,
) -> tuple[Block, ...]:
    """Return the blocks as plain data.

    :param labels: label of each block. *Shape:* ``(n,)``
    :param probabilities: probability of CONTENT of each block; None if the labeler has none. *Shape:* ``(n,)``
    :param content_only: whether to drop blocks of boilerplate.
    :param paths: whether each has its XPath.
    """
    if not blocks.n_blocks:
        return ()
    finder = PathFinder(page) if paths else ElementFinder(page)
    texts = block_texts(page, blocks)
    first_leaves, last_leaves = blocks.leaves[blocks.starts].tolist(), blocks.leaves[blocks.ends - 1].tolist()
    chosen = np.flatnonzero(labels_to_mask(labels)) if content_only else np.arange(blocks.n_blocks)
    names, numbers = [name[:_LONGEST_TAG] for name in page.names], page.name_numbers.tolist()
    tags, found_paths = [], []
    for i in watched(chosen.tolist()):
        first, last = first_leaves[i], last_leaves[i]
        element = finder.common_element(first, last)
        tags.append(names[numbers[element]])
        found_paths.append(finder.block_path(first, last, element) if isinstance(finder, PathFinder) else None)
    return make_blocks(
        chosen.tolist(),
        [texts[i] for i in chosen.tolist()],
        [_LABELS[label] for label in labels[chosen].tolist()],
        [None] * len(chosen) if probabilities is None else probabilities[chosen].tolist(),
        tags,
        found_paths,
    )
