"""Members of one structure belong together: items of a list, terms and details, cells of a row, heading and section.

Short members have little evidence of their own. If the members of a list are likely on average, and a member or the
heading above is content, the other members need less evidence than other blocks. If most words of a row are content,
its cells need less evidence, too, and cells without words, such as check marks, need no evidence. The heading of a
section needs less evidence if the block right below it is content. Parts of tables, simple lists, figures and sentences
need none where what is around them is content.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray, RealArray
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, Label

_LISTS: Final = frozenset({"dl", "ol", "ul"})
_TERMS: Final = frozenset({"dl"})
_CELLS: Final = frozenset({"td", "th"})
_ROWS: Final = frozenset({"tr"})
_TABLES: Final = frozenset({"table"})
_STRUCTURES: Final = _LISTS | _ROWS
_LINKS: Final = frozenset({"a"})
_ITEMS: Final = frozenset({"dd", "dt", "li"})
_PARTS: Final = _LISTS | {"button", "figcaption", "table"}
_AROUND_PARTS: Final = tuple({name} for name in ("button", "p", "figcaption", "figure", "th", "tr", "table"))
_MOST_OTHERS: Final = 0.7  # share of the other blocks of a table or a figure
_MOST_LINKED: Final = 0.5  # share of the blocks of a list that are links; a list of links leads elsewhere
_LONGEST: Final = 100  # blocks of a list
# Factors of the odds of the threshold, for the mean probability of a list and for the probability of its members.
_MEAN: Final = 0.6
_LEAST: Final = 0.43
_LEAST_OF_TERM: Final = 0.1  # a term means nothing without its details, and details nothing without their term
_LEAST_OF_CELL: Final = 0.1
_LEAST_OF_HEADING: Final = 0.33
_LEAST_MEAN: Final = 0.1  # mean probability of a table between texts
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

    A label and its value, the only blocks in some element, count as a list of terms.
    """
    lists, rows = np.full((2, blocks.n_blocks), -1)
    of_terms = np.zeros(blocks.n_blocks, dtype=bool)
    first = blocks.leaves[blocks.starts]
    slots = page.leaf_slots[first]
    owners = page.owners(slots)
    if not page.tag_names.isdisjoint(_STRUCTURES):
        lists, cells, rows, tables = (
            reader.find_nearest(page.tags_in(names), page.parents, owners) for names in (_LISTS, _CELLS, _ROWS, _TABLES)
        )
        of_terms = page.tags_in(_TERMS)[lists]
        sizes = np.bincount(lists + 1)
        n_links = np.bincount(lists + 1, page.is_inside(_LINKS, first))
        is_list = (sizes <= _LONGEST) & (n_links < _MOST_LINKED * sizes)
        is_alone = (np.bincount(cells + 1)[cells + 1] == 1) & (cells > rows)
        n_rows = page.tags_in(_ROWS).cumsum()
        is_alone &= n_rows[page.ends[tables] - 1] > n_rows[tables] + 1  # a single row lays out the page
        lists, rows = np.where(is_list[lists + 1], lists, -1), np.where(is_alone, rows, -1)
    for i, around in _find_pairs(page, blocks, slots, owners):
        lists[i : i + 2], of_terms[i : i + 2] = around, True
    return Structures(lists, of_terms, rows)


def _find_pairs(page: Page, blocks: BlockSequence, slots: IntArray, owners: IntArray) -> Iterator[tuple[int, int]]:
    """Yield each label of a value, as the number of its block, with the element around both.

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


def join_parts(page: Page, blocks: BlockSequence, labels: IntArray, probabilities: DoubleArray) -> IntArray:
    """Return *labels* with CONTENT for parts that mean nothing without the content that they are in.

    Such parts are formulas between texts, buttons in a sentence, the parts of tables and simple lists between texts,
    and the captions and head rows of tables and figures whose other blocks are content. *Shapes:* ``(n,)`` each
    """
    is_content = labels == Label.CONTENT
    joined = _are_formulas(page, blocks)
    joined[1:-1] &= is_content[:-2] & is_content[2:]
    joined[[0, -1]] = False
    if page.tag_names.isdisjoint(_PARTS):
        return np.where(joined, Label.CONTENT, labels)
    owners = page.owners(page.leaf_slots[blocks.leaves[blocks.starts]])
    buttons, paragraphs, captions, figures, heads, rows, tables = (
        reader.find_nearest(page.tags_in(names), page.parents, owners) for names in _AROUND_PARTS
    )

    def holds_content(around: IntArray, others: BoolArray) -> BoolArray:
        """Return which blocks are in an element whose *others* are mostly content."""
        n_others, n_content = (np.bincount(around + 1, chosen) for chosen in (others, others & is_content))
        is_whole: BoolArray = (n_content > _MOST_OTHERS * n_others)[around + 1] & (around >= 0)
        return is_whole

    is_head = (np.bincount(rows + 1, heads < 0)[rows + 1] == 0) & (rows > tables) & (tables >= 0)
    joined |= is_head & holds_content(tables, ~is_head)
    joined |= (captions >= 0) & holds_content(figures, captions < 0)
    is_linked = page.is_inside(_LINKS, blocks.leaves[blocks.starts])
    joined |= _between_texts(tables, rows, is_content, is_linked, probabilities)
    lists, items = _find_simple_lists(page, owners)
    joined |= _between_texts(lists, items, is_content, is_linked, is_content)
    in_sentence = is_content[:-2] & is_content[2:] & (paragraphs[:-2] == paragraphs[2:]) & (paragraphs[2:] >= 0)
    joined[1:-1] |= in_sentence & (buttons[1:-1] > paragraphs[2:])
    return np.where(joined, Label.CONTENT, labels)


def _are_formulas(page: Page, blocks: BlockSequence) -> BoolArray:
    """Return which blocks are nothing but a formula. *Shape:* ``(n,)``"""
    if not page.formulas:  # as on most pages
        return np.zeros(blocks.n_blocks, dtype=bool)
    texts = map(page.texts.__getitem__, blocks.leaves[blocks.starts].tolist())
    is_formula = np.fromiter(map(page.formulas.__contains__, texts), dtype=bool, count=blocks.n_blocks)
    is_formula[blocks.ends - blocks.starts > 1] = False
    return is_formula


def _find_simple_lists(page: Page, owners: IntArray) -> tuple[IntArray, IntArray]:
    """Return the outermost list and the item around each block; -1 for no list, or one with items of several blocks.

    *Shapes:* ``(n,)`` each
    """
    is_list = page.tags_in(_LISTS)
    is_outermost = is_list & (page.count_enclosing(is_list)[page.open_slots] == 1)
    lists, items = (reader.find_nearest(each, page.parents, owners) for each in (is_outermost, page.tags_in(_ITEMS)))
    is_long = np.bincount(items + 1)[items + 1] > 1
    return np.where(np.bincount(lists + 1, is_long)[lists + 1] > 0, -1, lists), items


def _between_texts(
    around: IntArray, parts: IntArray, is_content: BoolArray, is_linked: BoolArray, evidence: RealArray
) -> BoolArray:
    """Return which blocks are in a table or list that is possible content, with content right before and after it.

    Tables of one row lay out the page, and tables of links lead elsewhere. Short cells have little evidence of their
    own, so such a table would lose some of its cells, or all.

    :param around, parts: the table and the row around each block, as numbers; -1 for none.
    :param evidence: the probabilities, of which a table without content needs a mean of .1; *is_content* for lists,
        which need some content.

    *Shapes:* ``(n,)`` each
    """
    numbers, first, places, sizes = np.unique(around, return_index=True, return_inverse=True, return_counts=True)
    last = len(around) - 1 - np.unique(around[::-1], return_index=True)[1]
    beside = np.concatenate([[False], is_content, [False]])
    n_content, n_linked, total = (np.bincount(places, each) for each in (is_content, is_linked, evidence))
    n_parts = np.bincount(places[np.unique(parts, return_index=True)[1]], minlength=len(numbers))
    is_whole: BoolArray = (numbers >= 0) & (last - first + 1 == sizes) & beside[first] & beside[last + 2]
    is_whole &= (n_content > 0) | (total >= _LEAST_MEAN * sizes)
    is_whole &= (n_parts > 1) & (n_linked < _MOST_LINKED * sizes)
    return is_whole[places]
