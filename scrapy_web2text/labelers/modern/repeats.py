"""Repeated texts: if a page contains a long text twice, only the first copy is content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.budget import batches
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, Label, labels_to_mask

__all__ = ["collapsed_texts", "drop_repeats", "find_repeats", "is_in_code_or_table"]


# Words. A refrain or a repeated heading is shorter; a copy for small screens, or after "read more", is longer.
_LONG_REPEAT: Final = 40
_CODE_OR_TABLE: Final = frozenset({"pre", "code", "table"})


def drop_repeats(
    page: Page, blocks: BlockSequence, labels: IntArray, n_tokens: IntArray, has_copies: BoolArray
) -> IntArray:
    """Return *labels* with BOILERPLATE for the content blocks that only repeat earlier ones; see `find_repeats`.

    :param has_copies: which blocks may have the same text as another one; the others are not examined.

    *Shapes:* ``(n,)`` each.
    """
    content = np.flatnonzero(labels_to_mask(labels))
    copied = np.flatnonzero(has_copies[content])
    if n_tokens[content[copied]].sum() < _LONG_REPEAT:
        return labels
    texts: list[str | None] = [None] * len(content)
    for i, text in zip(copied.tolist(), collapsed_texts(page, blocks, content[copied]), strict=True):
        texts[i] = text
    is_repeat = find_repeats(texts, is_in_code_or_table(page, blocks, content), n_tokens[content])
    if not is_repeat.any():
        return labels
    labels = labels.copy()
    labels[content[is_repeat]] = Label.BOILERPLATE
    return labels


def find_repeats(texts: Sequence[str | None], is_exempt: BoolArray, n_tokens: IntArray) -> BoolArray:
    """Return which of n content blocks only repeat earlier ones.

    Some pages contain a text twice: for wide and narrow screens, before and after "read more", or in a carousel. A
    repeat is a run of blocks whose texts have all occurred before, with at least 40 words in all.

    :param texts: None for a text that no other block has.
    :param is_exempt: blocks that are never repeats, see `is_in_code_or_table`.

    *Shapes:* ``(n,)`` each.
    """
    is_repeat = np.zeros(len(texts), dtype=bool)
    seen: set[str] = set()
    run: list[int] = []
    for i, (text, exempt) in enumerate([*zip(texts, is_exempt.tolist(), strict=True), (None, True)]):
        if text is not None and not exempt and text in seen:
            run.append(i)
            continue
        if run:
            is_repeat[run] = n_tokens[run].sum() >= _LONG_REPEAT
            run = []
        if text is not None:
            seen.add(text)
    return is_repeat


def is_in_code_or_table(page: Page, blocks: BlockSequence, chosen: IntArray) -> BoolArray:
    """Return which of the *chosen* blocks are in code or a table, where lines may well be equal. *Shapes:* ``(c,)``"""
    return page.is_inside(_CODE_OR_TABLE, blocks.leaves[blocks.starts[chosen]])


def collapsed_texts(page: Page, blocks: BlockSequence, chosen: IntArray) -> list[str]:
    """Return the texts of the *chosen* blocks for comparison, with whitespace collapsed to single spaces."""
    starts, ends = blocks.starts[chosen].tolist(), blocks.ends[chosen].tolist()
    leaves = blocks.leaves.tolist()
    texts = page.texts
    joined = (
        texts[leaves[start]] if end - start == 1 else "".join([texts[leaf] for leaf in leaves[start:end]])
        for start, end in zip(starts, ends, strict=True)
    )
    return [" ".join(text.split()) for batch in batches(joined) for text in batch]
