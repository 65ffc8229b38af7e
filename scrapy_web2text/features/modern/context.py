"""What the families of modern features share: a page's blocks with their counts, elements and tree."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from scrapy_web2text.arrays import AnyArray, BoolArray, DoubleArray, IntArray
from scrapy_web2text.features.characters import CharacterClass, Characters, join_texts
from scrapy_web2text.features.modern.attributes import ElementAttributes, read_attributes
from scrapy_web2text.features.modern.words import Words, list_words
from scrapy_web2text.page.arrays import TAG_NAMES, Page, tag_ids
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence
from scrapy_web2text.page.cdom import Cdom, collapse

__all__ = ["BlockCounts", "Context", "make_context", "prefix_sums", "share", "tag_bits"]


_LONG_BLOCK: Final = 15  # words


@dataclass(frozen=True, slots=True, eq=False)
class BlockCounts:
    """Counts of the n blocks; each of *Shape:* ``(n,)``."""

    chars: DoubleArray
    words: DoubleArray
    linked_words: DoubleArray
    bold_words: DoubleArray
    letters: DoubleArray
    upper: DoubleArray
    digits: DoubleArray
    marks: DoubleArray
    commas: DoubleArray
    full_stops: DoubleArray
    currency: DoubleArray
    long_words: DoubleArray  # words, if the block is long, has a full stop and is no link

    def stack(self) -> DoubleArray:
        """Return all counts. *Shape:* ``(12, n)``"""
        return np.stack([getattr(self, name) for name in self.__slots__])


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """A page seen as n blocks and e elements.

    :param elements: the elements that hold blocks, as indices. *Shape:* ``(h,)``
    :param owners: innermost element around each block's first leaf. *Shape:* ``(n,)``
    :param containers: innermost element around each block that separates blocks. *Shape:* ``(n,)``
    :param parents: parent of each element, -1 for the first. *Shape:* ``(e,)``
    :param depths: number of elements above each element. *Shape:* ``(e,)``
    """

    page: Page
    blocks: BlockSequence
    characters: Characters
    words: Words
    attributes: ElementAttributes
    cdom: Cdom
    counts: BlockCounts
    elements: IntArray
    owners: IntArray
    containers: IntArray
    parents: IntArray
    depths: IntArray

    @property
    def n(self) -> int:
        """Number of blocks."""
        return self.blocks.n_blocks

    def ancestor_unions(self, bits: IntArray) -> IntArray:
        """Return the bitwise union of *bits* over each element and all above it. *Shapes:* ``(e,)`` -> ``(e,)``"""
        united: IntArray = bits.copy()
        order = np.argsort(self.depths, kind="stable")
        bounds = np.cumsum(np.bincount(self.depths)).tolist()
        for start, end in pairwise(bounds):
            level = order[start:end]
            united[level] |= united[self.parents[level]]
        return united

    def path_sums(self, values: AnyArray) -> AnyArray:
        """Return the sums of *values* over each element and all above it. *Shapes:* ``(e, …)`` -> ``(e, …)``"""
        steps = np.zeros((2 * self.page.n_elements, *values.shape[1:]), dtype=values.dtype)
        steps[self.page.open_slots] = values
        steps[self.page.close_slots] = np.negative(values)
        np.cumsum(steps, axis=0, out=steps)
        sums: AnyArray = steps[self.page.open_slots]
        return sums


def make_context(page: Page, blocks: BlockSequence) -> Context:
    """Return the context of *page* cut into *blocks*, of which there is one at least."""
    characters = join_texts([page.texts[leaf] for leaf in blocks.leaves.tolist()])
    tokens = characters.tokens()
    words = list_words(characters, tokens, np.append(blocks.starts, len(blocks.leaves)))
    parents = page.parents()
    slots = page.leaf_slots[blocks.leaves[blocks.starts]]
    owners = page.slot_owners(parents)[slots]
    first, stop = page.leaf_ranges(blocks.leaves)
    elements = np.flatnonzero(first < stop)
    transparent = MODERN_BLOCKS.transparent or frozenset()
    return Context(
        page=page,
        blocks=blocks,
        characters=characters,
        words=words,
        attributes=read_attributes(page, elements),
        cdom=collapse(page, blocks, ("#comment", *transparent)),
        counts=_count(page, blocks, characters, words, characters.count_positions(tokens[0])),
        elements=elements,
        owners=owners,
        containers=_climb(owners, parents, _is_transparent(transparent)[page.tags]),
        parents=parents,
        depths=2 * np.arange(page.n_elements) - page.open_slots,
    )


def tag_bits(groups: Sequence[Collection[str]]) -> IntArray:
    """Return, for each tag number, one bit for each group of tags that it is in. *Shape:* ``(len(TAG_NAMES),)``"""
    bits = np.zeros(len(TAG_NAMES), dtype=np.int64)
    for bit, names in enumerate(groups):
        bits[tag_ids(names)] |= 1 << bit
    return bits


def prefix_sums(values: AnyArray) -> DoubleArray:
    """Return the sums before each column, and of all. *Shapes:* ``(…, n)`` -> ``(…, n + 1)``"""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums


def share(part: AnyArray, whole: AnyArray) -> DoubleArray:
    """Return part / whole, 0 where the whole is 0."""
    return np.divide(part, np.maximum(whole, 1e-9)) * (np.asarray(whole) > 0)


def _is_transparent(tags: frozenset[str]) -> BoolArray:
    are_transparent = np.zeros(len(TAG_NAMES), dtype=bool)
    are_transparent[[0, *tag_ids(tags)]] = True
    return are_transparent


def _climb(elements: IntArray, parents: IntArray, passed: BoolArray) -> IntArray:
    """Return the first element at or above each of *elements* that is not *passed*, or the first of the page."""
    elements = elements.copy()
    while True:
        moving = passed[elements] & (elements > 0)
        if not moving.any():
            return elements
        elements[moving] = parents[elements[moving]]


def _count(
    page: Page, blocks: BlockSequence, characters: Characters, words: Words, leaf_words: IntArray
) -> BlockCounts:
    leaf_slots = page.leaf_slots[blocks.leaves]

    def by_block(counts: AnyArray) -> DoubleArray:
        return np.add.reduceat(counts, blocks.starts).astype(np.float64)

    def words_inside(tags: tuple[str, ...]) -> DoubleArray:
        return by_block(leaf_words * (page.count_enclosing(page.tags_in(tags))[leaf_slots] > 0))

    def of_class(wanted: CharacterClass) -> DoubleArray:
        return by_block(characters.count(characters.are(wanted)))

    n_words = (words.ends - words.starts).astype(np.float64)
    linked, full_stops = words_inside(("a",)), of_class(CharacterClass.FULL_STOP)
    is_long = (n_words >= _LONG_BLOCK) & (full_stops > 0) & (linked < n_words / 2)
    return BlockCounts(
        chars=by_block(characters.ends - characters.starts),
        words=n_words,
        linked_words=linked,
        bold_words=words_inside(("b", "strong", "em", "i")),
        letters=of_class(CharacterClass.LETTER),
        upper=of_class(CharacterClass.UPPER),
        digits=of_class(CharacterClass.DIGIT),
        marks=of_class(CharacterClass.MARK),
        commas=of_class(CharacterClass.COMMA),
        full_stops=full_stops,
        currency=of_class(CharacterClass.CURRENCY),
        long_words=n_words * is_long,
    )
