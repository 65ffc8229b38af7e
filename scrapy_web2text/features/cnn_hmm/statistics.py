"""Statistics of the inner nodes of a CDOM: sums over the leaves below them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_web2text.arrays import BoolArray, IntArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.cnn_hmm.text import TextStatistics
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.cdom import Cdom

__all__ = ["NodeStatistics", "leaf_as_node", "node_statistics"]


_SUMMED = (
    "n_chars",
    "n_words",
    "n_word_chars",
    "n_stopwords",
    "n_capitals",
    "n_sentences",
    "n_punctuation",
    "n_digits",
    "has_copyright",
    "has_email",
    "has_url",
    "has_year",
)


@dataclass(frozen=True, slots=True, eq=False)
class NodeStatistics:
    """Statistics of g nodes; each of *Shape:* ``(g,)``.

    The fields of `TextStatistics` cover the leaves below: counts are sums, a ``has_…`` is true if it is true of some
    leaf, and an ``ends_with_…`` if it is true of the last.

    :param n_link_chars: characters in links that are part of the node or lie below it.
    :param has_form: whether the node's innermost element contains an ``input``.
    :param spans_page: whether the node covers all leaves of the page.
    """

    n_chars: IntArray
    n_words: IntArray
    n_word_chars: IntArray
    n_stopwords: IntArray
    n_capitals: IntArray
    n_sentences: IntArray
    n_punctuation: IntArray
    n_digits: IntArray
    has_copyright: BoolArray
    has_email: BoolArray
    has_url: BoolArray
    has_year: BoolArray
    ends_with_punctuation: BoolArray
    ends_with_question_mark: BoolArray
    n_link_chars: IntArray
    has_form: BoolArray
    spans_page: BoolArray


def node_statistics(page: Page, cdom: Cdom, leaves: IntArray, texts: TextStatistics) -> NodeStatistics:
    """Return the statistics of the inner nodes of *cdom*, the CDOM of the kept *leaves* of *page*."""
    first, last = cdom.first_leaves, cdom.last_leaves
    sums = np.zeros((len(_SUMMED), cdom.n_leaves + 1), dtype=np.int64)
    for row, name in zip(sums, _SUMMED, strict=True):
        row[1:] = getattr(texts, name)
    np.cumsum(sums, axis=1, out=sums)
    totals = dict(zip(_SUMMED, sums[:, last + 1] - sums[:, first], strict=True))
    bottoms = cdom.chain_elements[cdom.node_chains[:, 1] - 1]
    inputs = np.flatnonzero(page.tags_in({"input"}))
    return NodeStatistics(
        **{name: total > 0 if name.startswith("has_") else total for name, total in totals.items()},
        ends_with_punctuation=texts.ends_with_punctuation[last],
        ends_with_question_mark=texts.ends_with_question_mark[last],
        n_link_chars=_count_link_chars(page, cdom, leaves, texts.n_chars),
        has_form=np.searchsorted(inputs, page.ends[bottoms]) > np.searchsorted(inputs, bottoms + 1),
        spans_page=cdom.node_depths == 0,
    )


def leaf_as_node(page: Page, leaf: int, texts: TextStatistics) -> NodeStatistics:
    """Return the statistics of the root of a page whose only kept leaf, *leaf*, is the root."""
    in_link = page.is_inside({"a"}, np.array([leaf]))
    return NodeStatistics(
        **{name: getattr(texts, name) for name in _SUMMED},
        ends_with_punctuation=texts.ends_with_punctuation,
        ends_with_question_mark=texts.ends_with_question_mark,
        n_link_chars=texts.n_chars * in_link,
        has_form=np.array([False]),
        spans_page=np.array([True]),
    )


def _count_link_chars(page: Page, cdom: Cdom, leaves: IntArray, n_chars: IntArray) -> IntArray:
    """Return the characters of each inner node in links that are part of it or lie below it. *Shape:* ``(g,)``"""
    links = page.tags_in({"a"})
    n_around = page.count_enclosing(links)
    leaf_links = n_around[page.leaf_slots[leaves]]
    tops = cdom.chain_elements[cdom.node_chains[:, 0]]
    links_above = n_around[page.open_slots[tops]] - links[tops]
    counts = np.zeros(cdom.n_nodes, dtype=np.int64)
    # A leaf counts for a node if more links enclose the leaf than enclose the node. Links rarely nest, so there is one
    # round for the nodes outside links and one for those inside.
    for n_above in np.unique(links_above):
        check_time()
        nodes = np.flatnonzero(links_above == n_above)
        sums = np.zeros(len(leaves) + 1, dtype=np.int64)
        np.cumsum(n_chars * (leaf_links > n_above), out=sums[1:])
        counts[nodes] = sums[cdom.last_leaves[nodes] + 1] - sums[cdom.first_leaves[nodes]]
    return counts
