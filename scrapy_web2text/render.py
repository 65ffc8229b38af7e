"""From a labelled page to what people read: the text of its content, and its list of blocks."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.blocks import Block, BlockSequence, Label, block_texts
from scrapy_web2text.page import COMMENT, TAG_NAMES, Page, tag_ids
from scrapy_web2text.paths import PathFinder

__all__ = ["content_text", "export_blocks"]

IntArray = NDArray[np.int64]
DoubleArray = NDArray[np.float64]

# Tags that do not end a line. Unknown elements do not either, as in browsers.
_INLINE_TAGS: Final = frozenset(
    """a abbr acronym b bdi bdo big blink cite code data del dfn em font i img ins kbd label map mark nobr q rp rt
    ruby s samp script slot small span strike strong style sub sup template time tt u var wbr""".split()
)
_ENDS_LINE: Final = np.ones(len(TAG_NAMES), dtype=bool)
_ENDS_LINE[[0, COMMENT, *tag_ids(_INLINE_TAGS)]] = False


def content_text(page: Page, blocks: BlockSequence, labels: IntArray) -> str:
    """Return the text of the content blocks, one line per run of them between block-level tags.

    Leaves of one line are joined with the page's own spacing, and with a space where something was left out.

    :param labels: label of each block. *Shape:* ``(n,)``
    """
    leaves = blocks.leaves[labels[blocks.leaf_blocks] == Label.CONTENT]
    if not len(leaves):
        return ""
    slots = page.leaf_slots[leaves]
    n_line_ends = np.cumsum(_ENDS_LINE[page.tags][page.slot_elements])[slots]
    n_texts = np.cumsum(page.slot_has_text)[slots]
    new_line = np.diff(n_line_ends, prepend=n_line_ends[0]) > 0
    # A text in between is blank, or boilerplate, or of no block.
    gap = np.diff(n_texts, prepend=n_texts[0] - 1) > 1
    pieces = []
    for leaf, begins_line, has_gap in zip(leaves.tolist(), new_line.tolist(), gap.tolist(), strict=True):
        if begins_line:
            pieces.append("\0")
        elif has_gap:
            pieces.append(" ")
        pieces.append(page.texts[leaf])
    return "\n".join(" ".join(line.split()) for line in "".join(pieces).split("\0"))


def export_blocks(
    page: Page, blocks: BlockSequence, labels: IntArray, probabilities: DoubleArray | None, *, content_only: bool
) -> tuple[Block, ...]:
    """Return the blocks as plain data, with the XPath of each.

    :param labels: *Shape:* ``(n,)``; :param probabilities: *Shape:* ``(n,)``
    """
    if not blocks.n_blocks:
        return ()
    paths = PathFinder(page)
    texts = block_texts(page, blocks)
    first_leaves, last_leaves = blocks.leaves[blocks.starts].tolist(), blocks.leaves[blocks.ends - 1].tolist()
    wanted = np.flatnonzero(labels == Label.CONTENT) if content_only else np.arange(blocks.n_blocks)
    exported = []
    for i in wanted.tolist():
        first, last = first_leaves[i], last_leaves[i]
        element = paths.common_element(first, last)
        exported.append(
            Block(
                index=i,
                text=texts[i],
                label=Label(labels[i]),
                probability=None if probabilities is None else float(probabilities[i]),
                tag=str(page.elements[element].tag),
                path=paths.text_path(first) if first == last else paths.element_path(element),
            )
        )
    return tuple(exported)
