"""The features of the modern model: dense columns of every block, and bags of hashed words around it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from lxml import etree

from scrapy_web2text.arrays import AnyArray, BoolArray, FloatArray, IntArray, UintArray
from scrapy_web2text.features.modern.attributes import N_NAME_HASHES, hash_names
from scrapy_web2text.features.modern.context import Context, make_context
from scrapy_web2text.features.modern.hints import PageHints, hint_features, read_hints
from scrapy_web2text.features.modern.nodes import (
    ancestor_features,
    candidate_features,
    page_features,
    transition_features,
)
from scrapy_web2text.features.modern.own import own_features, title_features
from scrapy_web2text.features.modern.place import (
    group_features,
    heading_features,
    inside_features,
    last_headings,
    position_features,
    slot_groups,
)
from scrapy_web2text.features.modern.words import N_WORD_HASHES, hash_words, to_word_numbers, word_bags
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, segment

__all__ = [
    "N_NAME_HASHES",
    "N_WORD_HASHES",
    "ModernFeatures",
    "PageHints",
    "modern_feature_names",
    "modern_features",
    "read_hints",
]


@dataclass(frozen=True, slots=True, eq=False)
class ModernFeatures:
    """The features of a page of n blocks, and e elements that hold them.

    :param dense: columns `modern_feature_names`. *Shape:* ``(n, F)``
    :param names: hashed words of class names and the like, element by element. *Shape:* ``(t,)``
    :param n_names: number of them of each element. *Shape:* ``(e,)``
    :param open_slots: places where the elements open, in the order of all places. *Shape:* ``(e,)``
    :param close_slots: places where they close. *Shape:* ``(e,)``
    :param owners: innermost element around each block's text. *Shape:* ``(n,)``
    :param containers: innermost element that separates the block from others. *Shape:* ``(n,)``
    :param words: hashed words of the blocks, block by block. *Shape:* ``(b,)``
    :param n_words: number of them of each block. *Shape:* ``(n,)``
    :param headings: the last heading at or before each block, -1 for none. *Shape:* ``(n,)``
    :param title_words: hashed words of the page's title. *Shape:* ``(w,)``
    :param page_names: hashed words of what the page says it is. *Shape:* ``(k,)``
    :param groups: which blocks have the same tags, and which also the same classes, in all elements above them: numbers
        from 0. *Shape:* ``(2, n)``
    :param n_tokens: all words of each block. *Shape:* ``(n,)``
    """

    dense: FloatArray
    names: IntArray
    n_names: IntArray
    open_slots: IntArray
    close_slots: IntArray
    owners: IntArray
    containers: IntArray
    words: IntArray
    n_words: IntArray
    headings: IntArray
    title_words: IntArray
    page_names: IntArray
    groups: IntArray
    n_tokens: IntArray

    @property
    def has_copies(self) -> BoolArray:
        """Which blocks have the same words as others of the page. *Shape:* ``(n,)``"""
        return self.dense[:, modern_feature_names().index("log_copies")] > 0


def modern_features(page: Page, blocks: BlockSequence, hints: PageHints) -> ModernFeatures:
    """Return the features of *page* cut into *blocks* of `MODERN_BLOCKS`, at least one.

    :param hints: what the page says of itself, as far as known.
    """
    context = make_context(page, blocks)
    said = _hash_hints(hints)
    groups = slot_groups(context)
    columns = np.array([*_columns(context, said, groups).values()], dtype=np.float32)
    words, n_words = word_bags(context.words)
    elements = context.elements
    is_used = np.zeros(2 * page.n_elements, dtype=np.int64)
    is_used[page.open_slots[elements]] = is_used[page.close_slots[elements]] = 1
    places = np.cumsum(is_used) - 1
    return ModernFeatures(
        dense=np.ascontiguousarray(columns.T),
        names=context.attributes.names,
        n_names=context.attributes.n_names[elements],
        open_slots=places[page.open_slots[elements]],
        close_slots=places[page.close_slots[elements]],
        owners=np.searchsorted(elements, context.owners),
        containers=np.searchsorted(elements, context.containers),
        words=words,
        n_words=n_words,
        headings=last_headings(context),
        title_words=to_word_numbers(said["title"]),
        page_names=hash_names(hints.kinds)[0],
        groups=groups,
        n_tokens=context.counts.words.astype(np.int64),
    )


@cache
def modern_feature_names() -> tuple[str, ...]:
    """Return the names of the dense columns."""
    body = etree.Element("body")
    body.text = "A word."
    page = tree_to_page(body)
    context = make_context(page, segment(page, MODERN_BLOCKS))
    return tuple(_columns(context, _hash_hints(PageHints()), slot_groups(context)))


def _hash_hints(hints: PageHints) -> dict[str, UintArray]:
    """Return the hashes of the words of the page's title and descriptions."""
    names = ("title", "summary", "bodies", "descriptions")
    return dict(zip(names, hash_words(*(getattr(hints, name) for name in names)), strict=True))


def _columns(context: Context, said: dict[str, UintArray], groups: IntArray) -> dict[str, AnyArray]:
    return {
        **own_features(context),
        **title_features(context, said["title"]),
        **inside_features(context),
        **heading_features(context),
        **position_features(context),
        **group_features(context, groups),
        **hint_features(context, {name: said[name] for name in ("summary", "bodies", "descriptions")}),
        **candidate_features(context),
        **transition_features(context),
        **ancestor_features(context),
        **page_features(context),
    }
