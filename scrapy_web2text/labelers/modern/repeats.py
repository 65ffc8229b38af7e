"""Repeated texts: if a page contains a long text twice, only the first copy is content."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.extraction import Label
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, labels_to_mask
from scrapy_web2text.page.reader import collapse_each

# Words. A refrain or a repeated heading is shorter; a copy for small screens, or after "read more", is longer.
_LONG_REPEAT: Final = 40
_FEWEST_DOUBLED: Final = 2
_MOST_DOUBLED: Final = 20
# Blocks. A run in the same place that has this length or more, nearly in the order of the first copy, is a second copy
# of the page.
_LONG_COPY: Final = 20
_IN_ORDER: Final = 0.9
_EXEMPT: Final = frozenset({"code", "dl", "pre", "table"})
_QUOTES: Final = frozenset({"blockquote"})


class BlockTexts:
    """The texts of the n blocks of a page, and where equal texts are normal; read when they are needed."""

    def __init__(self, page: Page, blocks: BlockSequence) -> None:
        self._page, self._blocks = page, blocks

    def read(self, chosen: IntArray) -> list[str]:
        """Return the texts of the *chosen* blocks, see `collapsed_texts`."""
        return collapsed_texts(self._page, self._blocks, chosen)

    @cached_property
    def is_exempt(self) -> BoolArray:
        """Which blocks are in code, tables or terms, where equal lines are normal. *Shape:* ``(n,)``"""
        return self._page.is_inside(_EXEMPT, self._blocks.leaves[self._blocks.starts])

    @cached_property
    def is_quoted(self) -> BoolArray:
        """Which blocks are in quotes. *Shape:* ``(n,)``"""
        return self._page.is_inside(_QUOTES, self._blocks.leaves[self._blocks.starts])


def drop_repeats(
    of_blocks: BlockTexts, labels: IntArray, n_tokens: IntArray, *, places: IntArray, has_copies: BoolArray
) -> IntArray:
    """Return *labels* with BOILERPLATE for the content blocks that only repeat earlier blocks; see `find_repeats`.

    :param places: the place of each block in the template of the page, as a number.
    :param has_copies: which blocks may have the same text as another block; the others are not examined.

    *Shapes:* ``(n,)`` each.
    """
    content = labels_to_mask(labels).nonzero()[0]
    copied = has_copies[content].nonzero()[0]
    if not len(copied):
        return labels
    texts: list[str | None] = [None] * len(content)
    for i, text in zip(copied.tolist(), of_blocks.read(content[copied]), strict=True):
        texts[i] = text
    is_exempt, is_quoted = of_blocks.is_exempt[content], of_blocks.is_quoted[content]
    is_repeat = find_repeats(texts, is_exempt, n_tokens[content], places[content])
    is_repeat |= find_doubles(texts, is_exempt | is_quoted, n_tokens[content], places[content])
    if not is_repeat.any():
        return labels
    labels = labels.copy()
    labels[content[is_repeat]] = Label.BOILERPLATE
    return labels


def find_repeats(texts: Sequence[str | None], is_exempt: BoolArray, n_tokens: IntArray, places: IntArray) -> BoolArray:
    """Return which of n content blocks only repeat earlier blocks.

    Some pages contain a text twice: for wide and narrow screens, before and after "read more", or in a carousel. A
    repeat is a run of blocks whose texts have all occurred before, with at least 40 words in all. A run in the same
    place of the template as the earlier text is not a repeat, since the page repeats it on purpose: the meals of
    another day, for example. If such a run is long and in the same order, it is a repeat all the same.

    :param texts: the text of each block; None for a text that no other block has.
    :param is_exempt: blocks that are never repeats, see `BlockTexts`.
    :param places: the place of each block in the template of the page, as a number.

    *Shapes:* ``(n,)`` each.
    """
    is_repeat = np.zeros(len(texts), dtype=bool)
    first: dict[str, int] = {}
    run: list[int] = []
    origins: list[int] = []
    for i, (text, exempt) in enumerate([*zip(texts, is_exempt.tolist(), strict=True), (None, True)]):
        if text is not None and not exempt and text in first:
            run.append(i)
            origins.append(first[text])
            continue
        if run:
            words = n_tokens[run]
            is_repeat[run] = words.sum() >= _LONG_REPEAT and not _is_intended(
                words, places[run], places[origins], origins
            )
            run, origins = [], []
        if text is not None:
            first.setdefault(text, i)
    return is_repeat


def find_doubles(texts: Sequence[str | None], is_exempt: BoolArray, n_tokens: IntArray, places: IntArray) -> BoolArray:
    """Return which of n content blocks are a short text right after its first copy, in another place of the template.

    Shops write the name of a product in a link and in a heading. See `find_repeats` for the parameters.
    """
    is_double = np.zeros(len(texts), dtype=bool)
    is_double[1:] = [text is not None and text == before for before, text in pairwise(texts)]
    is_double[1:] &= places[1:] != places[:-1]
    is_double &= (n_tokens >= _FEWEST_DOUBLED) & (n_tokens <= _MOST_DOUBLED) & ~is_exempt
    return is_double


def _is_intended(n_tokens: IntArray, places: IntArray, places_before: IntArray, origins: Sequence[int]) -> bool:
    """Return whether a page repeats a run of blocks on purpose: in the same places of its template, but not as a whole.

    :param n_tokens: number of words of each block of the run.
    :param places: the place of each block.
    :param places_before: the places of the earlier blocks with the same texts.
    :param origins: the positions of the earlier blocks.
    """
    if 2 * n_tokens[places == places_before].sum() < n_tokens.sum():
        return False
    return len(origins) < _LONG_COPY or float(np.mean(np.diff(origins) > 0)) < _IN_ORDER


def collapsed_texts(page: Page, blocks: BlockSequence, chosen: IntArray) -> list[str]:
    """Return the texts of the *chosen* blocks for comparison, with whitespace collapsed to single spaces."""
    starts, ends = blocks.starts[chosen].tolist(), blocks.ends[chosen].tolist()
    leaves = blocks.leaves.tolist()
    texts = page.texts
    joined = [
        texts[leaves[start]] if end - start == 1 else "".join([texts[leaf] for leaf in leaves[start:end]])
        for start, end in watched(zip(starts, ends, strict=True), len(starts))
    ]
    return collapse_each(joined)


def read_headings(page: Page, blocks: BlockSequence, headings: IntArray) -> tuple[IntArray, list[str]]:
    """Return the blocks that are headings, and their texts, see `collapsed_texts`. *Shapes:* ``(n,)`` -> ``(h,)``

    :param headings: the last heading at or before each block, -1 for none.
    """
    found = (headings == np.arange(len(headings))).nonzero()[0]
    return found, collapsed_texts(page, blocks, found)
