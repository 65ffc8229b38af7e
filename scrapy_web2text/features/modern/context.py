"""The context of a page: counts and words of its blocks, the attributes of its elements, and other arrays that several
tables of columns need. Each is computed once.
"""

from __future__ import annotations

import re
from enum import IntFlag
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray, UintArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.features.cdom import collapse
from scrapy_web2text.features.hashing import number_keys
from scrapy_web2text.features.texts import TEXT_COUNTS, count_blocks, measure_words, read_texts
from scrapy_web2text.metadata.title import find_title
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence
from scrapy_web2text.page.reader import AttributeKind
from scrapy_web2text.page.tags import HEADING_TAGS, TAG_NAMES, tag_ids

COUNT_NAMES: Final = (*TEXT_COUNTS, "linked_words", "bold_words", "long_words")
# The bits of elements whose words are counted: 1 for links, 2 for bold text.
_COUNTED: Final = np.zeros(len(TAG_NAMES), dtype=np.int64)
_COUNTED[tag_ids(("a",))], _COUNTED[tag_ids(("b", "strong", "em", "i"))] = 1, 2


def hash_words(text: str) -> UintArray:
    """Return the hashes of the words of a text, in order. *Shape:* ``(t,)``"""
    return read_texts([text or " "])[2]  # `read_texts` does not accept empty texts


def find_copies(keys: UintArray) -> tuple[IntArray, BoolArray]:
    """Return, for each block, how many blocks have its key, and whether an earlier block has it. *Shapes:* ``(n,)``"""
    numbers, sizes = number_keys(keys)
    firsts = np.empty(len(sizes), dtype=np.int64)
    positions = np.arange(len(keys))
    firsts[numbers[::-1]] = positions[::-1]  # numpy keeps the last assignment
    return sizes[numbers], firsts[numbers] < positions


_KINDS: Final = {
    **dict.fromkeys(("id", "aria-label", "data-testid"), AttributeKind.NAME),
    **dict.fromkeys(("role", "itemprop"), AttributeKind.NAME | AttributeKind.MARK),
    **dict.fromkeys(("hidden", "aria-hidden", "style", "data-nosnippet", "itemscope"), AttributeKind.MARK),
    "class": AttributeKind.NAME | AttributeKind.WHOLE,
}
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


class ElementMark(IntFlag):
    """Properties that attributes give to an element and all below it."""

    HIDDEN = 1 << 0
    ARIA_HIDDEN = 1 << 1
    NAVIGATION = 1 << 2
    BANNER = 1 << 3
    CONTENT_INFO = 1 << 4
    COMPLEMENTARY = 1 << 5
    LIST = 1 << 6
    CONTROL = 1 << 7
    BODY_PROPERTY = 1 << 8
    ITEM_SCOPE = 1 << 9
    NO_SNIPPET = 1 << 10
    ROLE_MAIN = 1 << 11
    ROLE_SEARCH = 1 << 12
    ROLE_DIALOG = 1 << 13
    ROLE_ARTICLE = 1 << 14


_ROLES: Final = {
    "navigation": ElementMark.NAVIGATION,
    "menu": ElementMark.NAVIGATION,
    "menubar": ElementMark.NAVIGATION,
    "banner": ElementMark.BANNER,
    "contentinfo": ElementMark.CONTENT_INFO,
    "complementary": ElementMark.COMPLEMENTARY,
    "feed": ElementMark.LIST,
    "list": ElementMark.LIST,
    "listitem": ElementMark.LIST,
    "button": ElementMark.CONTROL,
    "tab": ElementMark.CONTROL,
    "tablist": ElementMark.CONTROL,
    "main": ElementMark.ROLE_MAIN,
    "search": ElementMark.ROLE_SEARCH,
    "dialog": ElementMark.ROLE_DIALOG,
    "alertdialog": ElementMark.ROLE_DIALOG,
    "article": ElementMark.ROLE_ARTICLE,
}
_BODY_PROPERTIES: Final = ("articlebody", "text", "description", "reviewbody", "commenttext")
# The marks that each value, in lower case, gives. They are plain numbers, since the operators of flags are slow.
_BY_VALUE: Final = {
    "role": {role: int(mark) for role, mark in _ROLES.items()},
    "itemprop": dict.fromkeys(_BODY_PROPERTIES, int(ElementMark.BODY_PROPERTY)),
    "aria-hidden": {"true": int(ElementMark.ARIA_HIDDEN)},
}
# Attributes that give a mark with any value.
_PRESENT: Final = {
    "hidden": int(ElementMark.HIDDEN),
    "itemscope": int(ElementMark.ITEM_SCOPE),
    "data-nosnippet": int(ElementMark.NO_SNIPPET),
}
_HIDDEN: Final = int(ElementMark.HIDDEN)


def _mark(name: str, value: str) -> int:
    if name == "style":
        lowered = value.lower()  # most styles lack both parts; this test takes a fifth of the time of the search
        return _HIDDEN if ("none" in lowered or "dden" in lowered) and _HIDING_STYLE.search(value) else 0
    return _PRESENT.get(name) or _BY_VALUE[name].get(value.lower(), 0)


class Context:
    """What several tables need to know about a page of n blocks, one or more. It never changes.

    :ivar title_words: hashes of the words of the title. *Shape:* ``(w,)``
    :ivar edges: classes and code of the first and the last character of each of the k leaves, see `read_texts`.
        *Shape:* ``(k, 3)``
    :ivar hashes: 64-bit hash of each of the t words of the blocks, in lower case, in order. *Shape:* ``(t,)``
    :ivar bounds: first word of each block, and the number of all words. *Shape:* ``(n + 1,)``
    :ivar n_stopwords, commonness, n_shared: measures of the words of blocks, see `measure_words`. *Shape:* ``(n,)``
    :ivar bags: numbers of the words that represent the blocks, see `measure_words`. *Shape:* ``(b,)``
    :ivar bag_sizes: number of these words of each block. *Shape:* ``(n,)``
    :ivar counts: the counts of blocks, see `count_blocks`, by name; rows of `count_table`. *Shape:* ``(n,)`` each
    :ivar words_before: number of words before each block, then of all words; for this, `linked_before` and
        `long_before` see `count_blocks`. *Shape:* ``(n + 1,)``
    :ivar elements: indices of the elements that hold text of blocks. *Shape:* ``(h,)``
    :ivar names: hashed words of the attributes of these elements; for this, `n_names`, `classes` and `marks` (the bits
        of `ElementMark`) see `reader.read_attributes`.
    :ivar owners: innermost element around each block's first leaf. *Shape:* ``(n,)``
    :ivar containers: innermost element around each block whose tag separates blocks. *Shape:* ``(n,)``
    :ivar container_tags: tag of each container, as a number. *Shape:* ``(n,)``
    :ivar position: number of blocks before each block. *Shape:* ``(n,)``
    :ivar n_copies: number of blocks with the same words as each, the block included. *Shape:* ``(n,)``
    :ivar is_repeat: whether an earlier block has the same words. *Shape:* ``(n,)``
    :ivar headings: the last heading at or before each block, -1 for none. *Shape:* ``(n,)``
    :ivar groups: the group of each block, see `_find_groups`. *Shape:* ``(2, n)``
    """

    def __init__(self, page: Page, blocks: BlockSequence) -> None:
        check_time()
        self.page, self.blocks, self.n_blocks = page, blocks, blocks.n_blocks
        self.position = np.arange(blocks.n_blocks)
        self.title_words = hash_words(find_title(page.document_landmarks))
        leaf_counts, self.edges, self.hashes = read_texts([page.texts[leaf] for leaf in blocks.leaves.tolist()])
        check_time()
        leaf_owners = page.owners(page.leaf_slots[blocks.leaves])
        around = reader.unite_above(_COUNTED[page.tags], page.parents)[leaf_owners]
        self.count_table, before = count_blocks(leaf_counts, blocks.starts, around)
        self.counts = dict(zip(COUNT_NAMES, self.count_table, strict=True))
        self.words_before, self.linked_before, self.long_before = before
        self.bounds = self.words_before.astype(np.int64)
        check_time()
        first, stop = page.leaf_ranges(blocks.leaves)
        self.elements = np.flatnonzero(first < stop)
        check_time()
        # Many elements, such as icons, hold no text. Reading their attributes would take as long as everything else.
        fields = reader.read_attributes(page.elements, self.elements, lambda name: _KINDS.get(name, -1), _mark)
        self.names, self.n_names, self.classes, self.marks = fields.values()
        check_time()
        transparent = MODERN_BLOCKS.transparent or frozenset()
        self.owners = leaf_owners[blocks.starts]
        self.containers = _climb(self.owners, page.parents, page.tags_in(transparent))
        self.container_tags = page.tags[self.containers]
        is_heading = page.tags_in(HEADING_TAGS)[self.containers]
        self.headings: IntArray = np.maximum.accumulate(np.where(is_heading, self.position, -1))
        self.groups = _find_groups(page, self.classes, self.containers)
        self.cdom = collapse(page, blocks, ("#comment", *transparent))
        of_words = measure_words(self.hashes, self.bounds, self.count_table[-1] > 0)
        self.n_stopwords, self.commonness, self.n_shared, keys, self.bags, self.bag_sizes = of_words
        self.n_copies, self.is_repeat = find_copies(keys)


def _climb(elements: IntArray, parents: IntArray, passed: BoolArray) -> IntArray:
    """Return the first element at or above each of *elements* that is not *passed*; else the first element of the page.

    *Shapes:* elements ``(k,)``, parents ``(n,)``, passed ``(n,)`` -> ``(k,)``
    """
    reached = np.where(passed, parents, np.arange(len(parents)))
    reached[0] = 0
    while ((further := reached[reached]) != reached).any():  # each round goes twice as far as the previous round
        reached = further
    return reached[elements]


def _find_groups(page: Page, classes: UintArray, containers: IntArray) -> IntArray:
    """Return the group of each block, as numbers from 0. *Shape:* ``(2, n)``

    The blocks of a group are in the same place of the page's template: all elements above them have the same tags or,
    for the second row of the result, the same tags and classes.
    """
    paths = page.hash_paths(classes, containers)
    check_time()
    return np.array([number_keys(hashes)[0] for hashes in paths])
