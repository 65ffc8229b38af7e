"""The context of a page: counts and words of its blocks, and arrays that the tables of columns share, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray, UintArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.features.cdom import Cdom, collapse
from scrapy_web2text.features.hashing import number_equals
from scrapy_web2text.features.modern.attributes import ElementAttributes, read_attributes
from scrapy_web2text.features.texts import TEXT_COUNTS, count_blocks, measure_words, read_texts
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import HEADING_TAGS, TAG_NAMES, Page, tag_ids
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence

COUNT_NAMES: Final = (*TEXT_COUNTS, "linked_words", "bold_words", "long_words")
# The bits of elements whose words are counted: 1 for links, 2 for bold text.
_COUNTED: Final = np.zeros(len(TAG_NAMES), dtype=np.int64)
_COUNTED[tag_ids(("a",))], _COUNTED[tag_ids(("b", "strong", "em", "i"))] = 1, 2


def hash_words(text: str) -> UintArray:
    """Return the hashes of the words of a text, in order. *Shape:* ``(t,)``"""
    return read_texts([text or " "])[2]  # `read_texts` does not accept empty texts


def find_copies(keys: UintArray) -> tuple[IntArray, BoolArray]:
    """Return how many blocks have each one's key, and whether an earlier one has it. *Shapes:* ``(n,)`` all"""
    numbers, sizes = number_equals(keys)
    firsts = np.empty(len(sizes), dtype=np.int64)
    positions = np.arange(len(keys))
    firsts[numbers[::-1]] = positions[::-1]  # numpy keeps the last assignment
    return sizes[numbers], firsts[numbers] < positions


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """A page of n blocks and e elements.

    :param title_words: hashes of the words of the title. *Shape:* ``(w,)``
    :param edges: classes and code of the first and the last character of each of the k leaves, see `read_texts`.
        *Shape:* ``(k, 3)``
    :param hashes: 64-bit hash of each of the t words of the blocks, in lower case, in order. *Shape:* ``(t,)``
    :param bounds: first word of each block, and the number of all words. *Shape:* ``(n + 1,)``
    :param n_stopwords: see `measure_words`, also for `commonness` and `n_shared`. *Shape:* ``(n,)``
    :param bags: numbers of the words that stand for the blocks, see `measure_words`. *Shape:* ``(b,)``
    :param bag_sizes: number of these words of each block. *Shape:* ``(n,)``
    :param counts: the counts of blocks, see `count_blocks`, by name; rows of `count_table`. *Shape:* ``(n,)`` each
    :param words_before: number of words before each block, and number of all words, see `count_blocks`; also for
        `linked_before` and `long_before`. *Shape:* ``(n + 1,)``
    :param elements: indices of the elements that hold text of blocks. *Shape:* ``(h,)``
    :param owners: innermost element around each block's first leaf. *Shape:* ``(n,)``
    :param containers: innermost element around each block whose tag separates blocks. *Shape:* ``(n,)``
    :param container_tags: tag of each container, as a number. *Shape:* ``(n,)``
    :param position: number of blocks before each block. *Shape:* ``(n,)``
    :param n_copies: number of blocks with the same words as each, the block included. *Shape:* ``(n,)``
    :param is_repeat: whether an earlier block has the same words. *Shape:* ``(n,)``
    :param headings: the last heading at or before each block, -1 for none. *Shape:* ``(n,)``
    :param groups: the group of each block, see `_find_groups`. *Shape:* ``(2, n)``
    """

    page: Page
    blocks: BlockSequence
    title_words: UintArray
    edges: IntArray
    hashes: UintArray
    bounds: IntArray
    n_stopwords: DoubleArray
    commonness: DoubleArray
    n_shared: DoubleArray
    bags: IntArray
    bag_sizes: IntArray
    attributes: ElementAttributes
    cdom: Cdom
    counts: dict[str, DoubleArray]
    count_table: DoubleArray
    words_before: DoubleArray
    linked_before: DoubleArray
    long_before: DoubleArray
    elements: IntArray
    owners: IntArray
    containers: IntArray
    container_tags: IntArray
    position: IntArray
    n_copies: IntArray
    is_repeat: BoolArray
    headings: IntArray
    groups: IntArray

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return self.blocks.n_blocks


def make_context(page: Page, blocks: BlockSequence, title: str) -> Context:
    """Return the context of *page* with this *title* cut into *blocks*, at least one."""
    check_time()
    leaf_counts, edges, hashes = read_texts([page.texts[leaf] for leaf in blocks.leaves.tolist()])
    check_time()
    leaf_owners = page.owners(page.leaf_slots[blocks.leaves])
    around = reader.unite_above(_COUNTED[page.tags], page.parents)[leaf_owners]
    table, before = count_blocks(leaf_counts, blocks.starts, around)
    bounds = before[0].astype(np.int64)
    check_time()
    owners = leaf_owners[blocks.starts]
    first, stop = page.leaf_ranges(blocks.leaves)
    elements = np.flatnonzero(first < stop)
    check_time()
    attributes = read_attributes(page, elements)
    check_time()
    transparent = MODERN_BLOCKS.transparent or frozenset()
    containers = _climb(owners, page.parents, page.tags_in(transparent))
    n_stopwords, commonness, n_shared, keys, bags, bag_sizes = measure_words(hashes, bounds, table[-1] > 0)
    n_copies, is_repeat = find_copies(keys)
    position = np.arange(blocks.n_blocks)
    return Context(
        page=page,
        blocks=blocks,
        title_words=hash_words(title),
        edges=edges,
        hashes=hashes,
        bounds=bounds,
        n_stopwords=n_stopwords,
        commonness=commonness,
        n_shared=n_shared,
        bags=bags,
        bag_sizes=bag_sizes,
        attributes=attributes,
        cdom=collapse(page, blocks, ("#comment", *transparent)),
        counts=dict(zip(COUNT_NAMES, table, strict=True)),
        count_table=table,
        words_before=before[0],
        linked_before=before[1],
        long_before=before[2],
        elements=elements,
        owners=owners,
        containers=containers,
        container_tags=page.tags[containers],
        position=position,
        n_copies=n_copies,
        is_repeat=is_repeat,
        headings=np.maximum.accumulate(np.where(page.tags_in(HEADING_TAGS)[containers], position, -1)),
        groups=_find_groups(page, attributes.classes, containers),
    )


def _climb(elements: IntArray, parents: IntArray, passed: BoolArray) -> IntArray:
    """Return the first element at or above each of *elements* that is not *passed*; the page's first if all are.

    *Shapes:* elements ``(k,)``, parents ``(n,)``, passed ``(n,)`` -> ``(k,)``
    """
    reached = np.where(passed, parents, np.arange(len(parents)))
    reached[0] = 0
    while ((further := reached[reached]) != reached).any():  # twice as far each time
        reached = further
    return reached[elements]


def _find_groups(page: Page, classes: UintArray, containers: IntArray) -> IntArray:
    """Return the group of each block, as numbers from 0. *Shape:* ``(2, n)``

    A group has the blocks in the same place of the page's template: all elements above them have the same tags or, in
    the second row, the same tags and classes.
    """
    paths = page.hash_paths(classes, containers)
    check_time()
    return np.array([number_equals(hashes)[0] for hashes in paths])
