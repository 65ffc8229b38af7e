"""Copies of a text on one page: kept once."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.blocks import BlockSequence, Label
from scrapy_web2text.page import Page

__all__ = ["drop_repeats"]

IntArray = NDArray[np.int64]

# A refrain or a repeated heading is shorter; a copy for small screens, or behind "read more", is longer.
_LONG_REPEAT: Final = 40  # words
_KEPT_IN: Final = frozenset({"pre", "code", "table"})


def drop_repeats(page: Page, blocks: BlockSequence, labels: IntArray, n_tokens: IntArray) -> IntArray:
    """Return *labels* without the content blocks that only repeat what stands above them.

    Pages hold a text twice for wide and narrow screens, before and behind "read more", or in a carousel. Runs of
    content blocks whose texts have all been content before, 40 words and more in all, become BOILERPLATE. Code and
    tables, where lines recur, are left alone.

    *Shapes:* labels and n_tokens ``(n,)`` -> ``(n,)``.
    """
    content = np.flatnonzero(labels == Label.CONTENT)
    texts = _content_texts(page, blocks, content)
    if len(set(texts)) == len(texts):
        return labels
    first_leaves = blocks.leaves[blocks.starts[content]]
    may_recur = page.count_enclosing(page.tags_in(_KEPT_IN))[page.leaf_slots[first_leaves]] > 0
    labels = labels.copy()
    seen: set[str] = set()
    run: list[int] = []
    for block, text, is_kept in [*zip(content.tolist(), texts, may_recur.tolist(), strict=True), (-1, "", True)]:
        if not is_kept and text in seen:
            run.append(block)
            continue
        if n_tokens[run].sum() >= _LONG_REPEAT:
            labels[run] = Label.BOILERPLATE
        run = []
        seen.add(text)
    return labels


def _content_texts(page: Page, blocks: BlockSequence, content: IntArray) -> list[str]:
    starts, ends = blocks.starts[content].tolist(), blocks.ends[content].tolist()
    leaves = blocks.leaves.tolist()
    joined = (
        "".join([page.texts[leaf] for leaf in leaves[start:end]]) for start, end in zip(starts, ends, strict=True)
    )
    return [" ".join(text.split()) for text in joined]
