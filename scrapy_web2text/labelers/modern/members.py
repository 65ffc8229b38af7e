"""Members of one structure belong together: items of a list, terms and details, cells of a row, heading and section.

Short members have little evidence of their own. If the members of a list are likely on average, and a member or the
heading above is content, the other members need less evidence than other blocks. If most words of a row are content,
its cells need less evidence, too, and cells without words, such as check marks, need no evidence. The heading of a
section needs less evidence if the block right below it is content.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray
from scrapy_web2text.extraction import Label
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence

MEMBER_LISTS: Final = frozenset({"dl", "ol", "ul"})
_TERMS: Final = frozenset({"dl"})
_CELLS: Final = frozenset({"td", "th"})
_ROWS: Final = frozenset({"tr"})
_TABLES: Final = frozenset({"table"})
_STRUCTURES: Final = MEMBER_LISTS | _ROWS
LINKS: Final = frozenset({"a"})
MOST_LINKED: Final = 0.5  # share of links among the blocks of a list; a list with a larger share leads elsewhere
_LONGEST: Final = 100  # blocks of a list
# The odds that are needed, as a share of those of the threshold: on average in a list, and for each of its members.
_MEAN: Final = 0.6
_LEAST: Final = 0.43
_LEAST_OF_TERM: Final = 0.1  # a term means nothing without its details, and details nothing without their term
_LEAST_OF_CELL: Final = 0.1
_LEAST_OF_HEADING: Final = 0.33
_LONGEST_ROW: Final = 60  # words; a longer row lays out the page
_HIGHEST: Final = 0.9  # a higher threshold asks for blocks with strong evidence of their own
_MOST_BETWEEN: Final = 4  # blocks from a heading to the first member


class Structures(NamedTuple):
    """The structures that the n blocks of a page are members of.

    :param lists: the innermost list around each block, as a number; -1 for none. *Shape:* ``(n,)``
    :param of_terms: whether it is a list of terms and details. *Shape:* ``(n,)``
    :param rows: the row of each block that is alone in its cell, as a number; -1 for others. *Shape:* ``(n,)``
    """

    lists: IntArray
    of_terms: BoolArray
    rows: IntArray


def find_structures(page: Page, blocks: BlockSequence) -> Structures:
    """Return the structures of *page*. Long lists, and lists of links, do not count.

    A caption such as "Price:" and its value, the only blocks in some element, count as a list of terms.
    """
    lists, rows = np.full((2, blocks.n_blocks), -1)
    of_terms = np.zeros(blocks.n_blocks, dtype=bool)
    first = blocks.leaves[blocks.starts]
    slots = page.leaf_slots[first]
    owners = page.owners(slots)
    if not page.tag_names.isdisjoint(_STRUCTURES):
        lists, cells, rows, tables = (
            reader.find_nearest(page.tags_in(names), page.parents, owners)
            for names in (MEMBER_LISTS, _CELLS, _ROWS, _TABLES)
        )
        of_terms = page.tags_in(_TERMS)[lists]
        sizes = np.bincount(lists + 1)
        n_links = np.bincount(lists + 1, page.is_inside(LINKS, first))
        is_list = (sizes <= _LONGEST) & (n_links < MOST_LINKED * sizes)
        is_alone = (np.bincount(cells + 1)[cells + 1] == 1) & (cells > rows)
        n_rows = page.tags_in(_ROWS).cumsum()
        is_alone &= n_rows[page.ends[tables] - 1] > n_rows[tables] + 1  # a single row lays out the page
        lists, rows = np.where(is_list[lists + 1], lists, -1), np.where(is_alone, rows, -1)
    for i, around in _find_pairs(page, blocks, slots, owners):
        lists[i : i + 2], of_terms[i : i + 2] = around, True
    return Structures(lists, of_terms, rows)


def _find_pairs(page: Page, blocks: BlockSequence, slots: IntArray, owners: IntArray) -> Iterator[tuple[int, int]]:
    """Yield the block of each caption of a value, with the element around both.

    :param slots: the first slot of each block, and its innermost element in *owners*. *Shapes:* ``(n,)`` twice
    """
    last = map(page.texts.__getitem__, blocks.leaves[blocks.ends[:-1] - 1].tolist())
    for i in [i for i, text in enumerate(last) if text.rstrip().endswith((":", "\uff1a"))]:
        around = int(owners[i])
        while page.close_slots[around] <= slots[i + 1]:
            around = int(page.parents[around])
        start, stop = slots.searchsorted([page.open_slots[around], page.close_slots[around]]).tolist()
        if (start, stop) == (i, i + 2):
            yield i, around


def join_members(
    labels: IntArray,
    probabilities: DoubleArray,
    *,
    structures: Structures,
    n_tokens: IntArray,
    headings: IntArray,
    threshold: float,
) -> IntArray:
    """Return *labels* with CONTENT for the members of structures that belong to the content.

    *Shapes:* ``(n,)`` each.

    :param n_tokens: number of words of each block.
    :param headings: the last heading at or before each block, -1 for none.
    :param threshold: the threshold of the labels.
    """
    if threshold > _HIGHEST:
        return labels
    in_lists = _in_lists(labels, probabilities, structures, n_tokens, headings, threshold)
    in_rows = _in_rows(labels, structures.rows, n_tokens)
    odds = np.minimum(np.minimum(in_lists, in_rows), _above_content(labels, headings))
    joined = (odds < 1) & (probabilities >= scale_odds(threshold, odds))
    if (labels[joined] == Label.CONTENT).all():
        return labels
    return np.where(joined, Label.CONTENT, labels)


def _in_lists(
    labels: IntArray,
    probabilities: DoubleArray,
    structures: Structures,
    n_tokens: IntArray,
    headings: IntArray,
    threshold: float,
) -> DoubleArray:
    """Return the factor of the odds for each block, 1 outside of the lists of the content. *Shape:* ``(n,)``

    Blocks without words are not members.
    """
    lists, of_terms, _ = structures
    members = np.flatnonzero((lists >= 0) & (n_tokens > 0))
    factors = np.ones(len(labels))
    if not len(members):  # as on many pages
        return factors
    _, first, numbers, sizes = np.unique(lists[members], return_index=True, return_inverse=True, return_counts=True)
    first = members[first]
    above = headings[first]
    is_led = (above >= 0) & (first - above <= _MOST_BETWEEN) & (labels[above] == Label.CONTENT)
    is_led |= np.bincount(numbers, labels[members]) > 0
    means = np.bincount(numbers, probabilities[members]) / sizes
    is_likely = is_led & (sizes > 1) & (means >= scale_odds(threshold, _MEAN))
    factors[members] = np.where(is_likely[numbers], np.where(of_terms[members], _LEAST_OF_TERM, _LEAST), 1.0)
    return factors


def _in_rows(labels: IntArray, rows: IntArray, n_tokens: IntArray) -> DoubleArray:
    """Return the factor of the odds for each block, 1 outside of the rows of the content. *Shapes:* ``(n,)`` each"""
    words, content = np.bincount(rows + 1, n_tokens), np.bincount(rows + 1, n_tokens * labels)
    is_kept = (content > 0) & (2 * content >= words) & (words <= _LONGEST_ROW)
    is_kept[:1] = False  # the blocks in no row
    return np.where(is_kept[rows + 1], np.where(n_tokens > 0, _LEAST_OF_CELL, 0.0), 1.0)


def _above_content(labels: IntArray, headings: IntArray) -> DoubleArray:
    """Return the factor of the odds for each block, 1 for all but headings of sections. *Shapes:* ``(n,)`` each

    Such a heading has content right below it and, unlike the title, some content above it.
    """
    is_heading = headings == np.arange(len(headings))
    is_content = labels == Label.CONTENT
    is_section = np.zeros(len(labels), dtype=bool)
    is_section[:-1] = is_heading[:-1] & np.maximum.accumulate(is_content)[:-1] & ~is_heading[1:] & is_content[1:]
    return np.where(is_section, _LEAST_OF_HEADING, 1.0)


def scale_odds(probability: float, factors: DoubleArray | float) -> DoubleArray | float:
    """Return the probabilities whose odds are *factors* times those of *probability*."""
    return factors * probability / (factors * probability + 1 - probability)
