"""Copies of a text on one page: kept once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, Label

__all__ = ["are_repeats", "drop_repeats", "may_recur", "squeezed_texts"]


# A refrain or a repeated heading is shorter; a copy for small screens, or behind "read more", is longer.
_LONG_REPEAT: Final = 40  # words
_KEPT_IN: Final = frozenset({"pre", "code", "table"})


def drop_repeats(
    page: Page, blocks: BlockSequence, labels: IntArray, n_tokens: IntArray, has_copies: BoolArray
) -> IntArray:
    """Return *labels* without the content blocks that only repeat what stands above them; see `are_repeats`.

    :param has_copies: blocks that may have the text of another one; those of the others are not looked at.

    *Shapes:* ``(n,)`` each.
    """
    content = np.flatnonzero(labels == Label.CONTENT)
    if not has_copies[content].any():
        return labels
    texts: list[str | None] = [None] * len(content)
    copied = np.flatnonzero(has_copies[content])
    for i, text in zip(copied.tolist(), squeezed_texts(page, blocks, content[copied]), strict=True):
        texts[i] = text
    repeats = are_repeats(texts, may_recur(page, blocks, content), n_tokens[content])
    if not repeats.any():
        return labels
    labels = labels.copy()
    labels[content[repeats]] = Label.BOILERPLATE
    return labels


def are_repeats(texts: Sequence[str | None], may_recur: BoolArray, n_tokens: IntArray) -> BoolArray:
    """Return which of n content blocks only repeat what stands above them.

    Pages hold a text twice for wide and narrow screens, before and behind "read more", or in a carousel: runs of blocks
    whose texts have all been there before, 40 words and more in all.

    :param texts: None for one that no other block has.

    *Shapes:* ``(n,)`` each.
    """
    repeats = np.zeros(len(texts), dtype=bool)
    seen: set[str] = set()
    run: list[int] = []
    for i, (text, is_kept) in enumerate([*zip(texts, may_recur.tolist(), strict=True), (None, True)]):
        if text is not None and not is_kept and text in seen:
            run.append(i)
            continue
        if run:
            repeats[run] = n_tokens[run].sum() >= _LONG_REPEAT
            run = []
        if text is not None:
            seen.add(text)
    return repeats


def may_recur(page: Page, blocks: BlockSequence, chosen: IntArray) -> BoolArray:
    """Return which of the *chosen* blocks lie in code or in a table, where lines recur. *Shapes:* ``(c,)``"""
    first_leaves = blocks.leaves[blocks.starts[chosen]]
    return page.count_enclosing(page.tags_in(_KEPT_IN))[page.leaf_slots[first_leaves]] > 0


def squeezed_texts(page: Page, blocks: BlockSequence, chosen: IntArray) -> list[str]:
    """Return the texts of the *chosen* blocks, with single blanks."""
    starts, ends = blocks.starts[chosen].tolist(), blocks.ends[chosen].tolist()
    leaves = blocks.leaves.tolist()
    joined = (
        "".join([page.texts[leaf] for leaf in leaves[start:end]]) for start, end in zip(starts, ends, strict=True)
    )
    return [" ".join(text.split()) for text in joined]
