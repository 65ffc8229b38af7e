"""Members of one list: items, terms and their details. Where a list belongs to the content, all of it does.

Short members have little evidence of their own. Where the members of a list are likely on average, and one of them or
the heading above is content, the others need less evidence than other blocks.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, Label

LISTS: Final = frozenset({"dl", "ol", "ul"})
_TERMS: Final = frozenset({"dl"})
_LINKS: Final = frozenset({"a"})
_MOST_LINKED: Final = 0.5  # share of the blocks of a list that are links; a list of links leads elsewhere
_LONGEST: Final = 100  # blocks of a list
# Factors of the odds of the threshold, for the mean probability of a list and for the probability of its members.
_MEAN: Final = 0.6
_LEAST: Final = 0.43
_LEAST_OF_TERM: Final = 0.1  # a term means nothing without its details, and details nothing without their term
_MOST_BETWEEN: Final = 4  # blocks from a heading to the first member


class Lists(NamedTuple):
    """The innermost list around each block.

    :param numbers: the list; -1 for none. *Shape:* ``(n,)``
    :param of_terms: whether it is a list of terms and details. *Shape:* ``(n,)``
    """

    numbers: IntArray
    of_terms: BoolArray


def find_lists(page: Page, blocks: BlockSequence) -> Lists:
    """Return the lists of *page*. Long lists, and lists of links, do not count."""
    first = blocks.leaves[blocks.starts]
    lists: IntArray = reader.find_nearest(page.tags_in(LISTS), page.parents, page.owners(page.leaf_slots[first]))
    sizes = np.bincount(lists + 1)
    n_links = np.bincount(lists + 1, page.is_inside(_LINKS, first))
    is_list = (sizes <= _LONGEST) & (n_links < _MOST_LINKED * sizes)
    return Lists(np.where(is_list[lists + 1], lists, -1), page.tags_in(_TERMS)[lists])


def join_members(
    labels: IntArray,
    probabilities: DoubleArray,
    *,
    lists: Lists,
    n_tokens: IntArray,
    headings: IntArray,
    threshold: float,
) -> IntArray:
    """Return *labels* with CONTENT for the members of lists that belong to the content.

    *Shapes:* ``(n,)`` each.

    :param lists: see `find_lists`.
    :param n_tokens: number of words of each block; blocks without words are not members.
    :param headings: the last heading at or before each block, -1 for none.
    :param threshold: the threshold of the labels.
    """
    members = np.flatnonzero((lists.numbers >= 0) & (n_tokens > 0))
    _, first, numbers, sizes = np.unique(
        lists.numbers[members], return_index=True, return_inverse=True, return_counts=True
    )
    first = members[first]
    above = headings[first]
    is_led = (above >= 0) & (first - above <= _MOST_BETWEEN) & (labels[above] == Label.CONTENT)
    is_led |= np.bincount(numbers, labels[members]) > 0
    means = np.bincount(numbers, probabilities[members]) / sizes
    is_likely = is_led & (sizes > 1) & (means >= _scale_odds(threshold, _MEAN))
    least = np.where(lists.of_terms[members], _scale_odds(threshold, _LEAST_OF_TERM), _scale_odds(threshold, _LEAST))
    joined = members[is_likely[numbers] & (probabilities[members] >= least)]
    if (labels[joined] == Label.CONTENT).all():
        return labels
    labels = labels.copy()
    labels[joined] = Label.CONTENT
    return labels


def _scale_odds(probability: float, factor: float) -> float:
    """Return the probability whose odds are *factor* times those of *probability*."""
    return factor * probability / (factor * probability + 1 - probability)
