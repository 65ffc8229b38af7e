"""The features of a page for the modern model: dense columns, and bags of hashed words in and around each block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, FloatArray, IntArray
from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.features.hashing import to_word_numbers
from scrapy_web2text.features.modern.columns import ColumnPlan
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.tables import TABLES
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence
from scrapy_web2text.page.reader import hash_name
from scrapy_web2text.page.tree import Landmarks

_KIND_NAMES: Final = frozenset({"og:type", "generator"})
_MOST_KINDS: Final = 24
_MOST_CHARACTERS: Final = 200  # of one of these texts


def read_kinds(landmarks: Landmarks) -> list[str]:
    """Return texts that hint at the kind of a page: its ``og:type``, its generator, the class and the id of its body.

    :param landmarks: those of the whole document.
    """
    kinds = [
        meta.get("content") or ""
        for meta in watched(landmarks.metas)
        if (meta.get("name") or meta.get("property") or "").lower() in _KIND_NAMES
    ]
    for body in landmarks.bodies[:1]:
        kinds += [body.get("class") or "", body.get("id") or ""]
    return [*dict.fromkeys(kind[:_MOST_CHARACTERS] for kind in kinds if kind)][:_MOST_KINDS]


_COLUMNS: Final = ColumnPlan(TABLES)
MODERN_FEATURE_NAMES: Final = _COLUMNS.names


@dataclass(frozen=True, slots=True, eq=False)
class ModernFeatures:
    """The features of a page of n blocks and of the e elements that hold their text.

    :param dense: the columns `MODERN_FEATURE_NAMES`. *Shape:* ``(n, F)``
    :param names: hashed words of class names and the like, element by element. *Shape:* ``(t,)``
    :param n_names: number of these words of each element. *Shape:* ``(e,)``
    :param open_slots: position of each start tag among the start and end tags of these elements. *Shape:* ``(e,)``
    :param close_slots: position of each end tag among the same tags. *Shape:* ``(e,)``
    :param owners: innermost element around each block's text. *Shape:* ``(n,)``
    :param containers: innermost element that separates the block from other blocks. *Shape:* ``(n,)``
    :param words: hashed words of the blocks, block by block. *Shape:* ``(b,)``
    :param n_words: number of these words of each block. *Shape:* ``(n,)``
    :param headings: the last heading at or before each block, -1 for none. *Shape:* ``(n,)``
    :param title_words: hashed words of the page's title. *Shape:* ``(w,)``
    :param page_names: hashed words of `read_kinds`. *Shape:* ``(k,)``
    :param groups: groups of blocks in the same place of the page's template, see `Context`. *Shape:* ``(2, n)``
    :param n_tokens: number of all words of each block. *Shape:* ``(n,)``
    :param has_copies: which blocks have the same words as other blocks of the page. *Shape:* ``(n,)``
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
    has_copies: BoolArray


def modern_features(page: Page, blocks: BlockSequence) -> ModernFeatures:
    """Return the features of *page* with one or more *blocks*, cut as `MODERN_BLOCKS` says."""
    context = Context(page, blocks)
    dense = np.empty((context.n_blocks, len(MODERN_FEATURE_NAMES)), dtype=np.float32)
    _COLUMNS.fill(context, dense)
    check_time()
    elements = context.elements
    is_used = np.zeros(2 * page.n_elements, dtype=np.int64)
    is_used[page.open_slots[elements]] = is_used[page.close_slots[elements]] = 1
    places = np.cumsum(is_used) - 1
    kinds = read_kinds(page.document_landmarks)
    return ModernFeatures(
        dense=dense,
        names=context.names,
        n_names=context.n_names[elements],
        open_slots=places[page.open_slots[elements]],
        close_slots=places[page.close_slots[elements]],
        owners=np.searchsorted(elements, context.owners),
        containers=np.searchsorted(elements, context.containers),
        words=context.bags,
        n_words=context.bag_sizes,
        headings=context.headings,
        title_words=to_word_numbers(context.title_words),
        page_names=np.array([number for kind in kinds for number in hash_name(kind)], dtype=np.int64),
        groups=context.groups,
        n_tokens=context.counts["words"].astype(np.int64),
        has_copies=context.n_copies > 1,
    )
