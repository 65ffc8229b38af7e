"""Statistics of the texts of leaves, by the rules of the authors' program, and sums over the leaves below each node.

Words consist of ASCII characters, and stopwords are case-sensitive.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray, sum_spans
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.features.cdom import Cdom
from scrapy_web2text.features.hashing import number_keys
from scrapy_web2text.features.texts import read_ascii_texts
from scrapy_web2text.page.arrays import Page

# As in Java, `\b` knows the letters of all scripts here, and `\w` only the letters of ASCII.
_EMAIL = re.compile(r"\b(?a:\w+@[\w.]+)")
_URL = re.compile(r"\b(?:https?|ftp)://(?a:[^\s/$.?#]\S*)\b")
_PUNCTUATION: Final = np.array([ord(character) for character in ".,?;:!"])
COUNTS: Final = tuple(
    """n_chars n_words n_word_chars n_stopwords n_capitals n_sentences n_punctuation n_digits has_copyright has_email
    has_url has_year""".split()
)


@dataclass(frozen=True, slots=True, eq=False)
class TextStatistics:
    """Counts over the trimmed texts of k leaves.

    ``n_chars`` are code points, at least 1. Words are runs of ASCII letters, digits and underscores; ``n_word_chars``
    is their total length. ``n_sentences`` is 1 + the number of gaps of whitespace between a sentence end and an
    uppercase letter. A ``has_…`` is positive for yes, and 0 for no.

    :param counts: one row for each of `COUNTS`. *Shape:* ``(12, k)``
    :param ends: whether each text ends with punctuation, and whether it ends with a question mark. *Shape:* ``(2, k)``
    :param n_tokens: number of words of any script; in scripts without spaces, each letter is a word. *Shape:* ``(k,)``
    :param n_copies: number of leaves of the page with the same text after whitespace is collapsed but not trimmed; the
        leaf itself counts. *Shape:* ``(k,)``
    """

    counts: IntArray
    ends: BoolArray
    n_tokens: IntArray
    n_copies: IntArray


def text_statistics(texts: list[str]) -> TextStatistics:
    """Return the statistics of *texts*, one or more, each with a character other than whitespace."""
    read, last, hashes = read_ascii_texts(texts)
    counts = np.ascontiguousarray(read.T)
    # Each match contains the character that was counted. Counting it is much faster than searching for a match.
    _match(counts[9], _EMAIL, texts)
    _match(counts[10], _URL, texts)
    numbers, sizes = number_keys(hashes)
    return TextStatistics(
        counts=counts[: len(COUNTS)],
        ends=np.array([(last == _PUNCTUATION[:, None]).any(axis=0), last == ord("?")]),
        n_tokens=counts[len(COUNTS)],
        n_copies=sizes[numbers],
    )


def _match(counts: IntArray, pattern: re.Pattern[str], texts: list[str]) -> None:
    """Replace positive *counts* by whether *pattern* matches the text. *Shape:* ``(k,)``"""
    check_time()
    for i in np.flatnonzero(counts).tolist():
        counts[i] = pattern.search(texts[i]) is not None


@dataclass(frozen=True, slots=True, eq=False)
class NodeStatistics:
    """Statistics of g nodes.

    :param counts: sums of `TextStatistics.counts` over the leaves below. *Shape:* ``(12, g)``
    :param ends: `TextStatistics.ends` of the last leaf below. *Shape:* ``(2, g)``
    :param n_link_chars: characters in links that are part of the node or lie below it. *Shape:* ``(g,)``
    :param has_form: whether the node's innermost element contains an ``input``. *Shape:* ``(g,)``
    :param spans_page: whether the node covers all leaves of the page. *Shape:* ``(g,)``
    """

    counts: IntArray
    ends: BoolArray
    n_link_chars: IntArray
    has_form: BoolArray
    spans_page: BoolArray


def node_statistics(page: Page, cdom: Cdom, leaves: IntArray, texts: TextStatistics) -> NodeStatistics:
    """Return the statistics of the inner nodes of *cdom*, the CDOM of the kept *leaves* of *page*.

    On a page with a single leaf, the leaf is the root of the CDOM, and counts as an inner node here.
    """
    if not cdom.n_nodes:
        n_link_chars = texts.counts[0] * page.is_inside({"a"}, leaves)
        return NodeStatistics(texts.counts, texts.ends, n_link_chars, np.array([False]), np.array([True]))
    first, last = cdom.first_leaves, cdom.last_leaves
    bottoms = cdom.chain_elements[cdom.node_chains[:, 1] - 1]
    inputs = np.flatnonzero(page.tags_in({"input"}))
    return NodeStatistics(
        counts=sum_spans(texts.counts, first, last + 1),
        ends=texts.ends[:, last],
        n_link_chars=_count_link_chars(page, cdom, leaves, texts.counts[0]),
        has_form=np.searchsorted(inputs, page.ends[bottoms]) > np.searchsorted(inputs, bottoms + 1),
        spans_page=cdom.node_depths == 0,
    )


def _count_link_chars(page: Page, cdom: Cdom, leaves: IntArray, n_chars: IntArray) -> IntArray:
    """Return the number of characters in links that are part of each inner node or below it. *Shape:* ``(g,)``"""
    links = page.tags_in({"a"})
    n_around = page.count_enclosing(links)
    leaf_links = n_around[page.leaf_slots[leaves]]
    tops = cdom.chain_elements[cdom.node_chains[:, 0]]
    links_above = n_around[page.open_slots[tops]] - links[tops]
    counts = np.zeros(cdom.n_nodes, dtype=np.int64)
    # A leaf counts for a node if more links enclose the leaf than enclose the node. Links rarely nest, so there is one
    # round for the nodes outside links and, on few pages, a second round for the nodes inside.
    for n_above in np.unique(links_above) if links_above.any() else (0,):
        check_time()
        nodes = np.flatnonzero(links_above == n_above)
        in_links = n_chars * (leaf_links > n_above)
        counts[nodes] = sum_spans(in_links, cdom.first_leaves[nodes], cdom.last_leaves[nodes] + 1)
    return counts
