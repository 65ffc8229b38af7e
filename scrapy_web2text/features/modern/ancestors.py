"""Columns of the five nearest nodes above a block in the CDOM."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, FloatArray, IntArray
from scrapy_web2text.features.hashing import HASH_FACTORS, number_equals
from scrapy_web2text.features.modern.context import Context, share, tag_bits
from scrapy_web2text.features.modern.plan import ColumnPlan
from scrapy_web2text.features.modern.table import Rows, Table, WideTable, log, log1p, ratio, value
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.reader import READER

__all__ = ["ANCESTORS", "NODES"]

_N_LEVELS: Final = 5
# Each group of tags has a column, named for the first of them.
_TAGS: Final = (
    *(("article",), ("main",), ("section",), ("aside",), ("nav",), ("header",), ("footer",), ("form",)),
    *(("ul", "ol", "dl"), ("li", "dd", "dt"), ("table", "tbody"), ("tr", "td", "th"), ("p", "blockquote")),
)
_TAG_BITS: Final = tag_bits(_TAGS)
_BIT_NUMBERS: Final = np.arange(len(_TAGS))


_NODE_COLUMNS: Final = (
    log1p("log_words", "words", scale=4, why="54 words give 1"),
    log("log_blocks", "n_blocks", scale=3, why="20 blocks give 1"),
    log1p("log_words_per_block", "words_per_block", scale=2, why="6.4 words give 1"),
    ratio("word_share", "words", "page_words"),
    ratio("link_density", "linked_words", "words"),
    ratio("full_stops", "full_stops", "words", times=10, why="in ten words"),
    ratio("commas", "commas", "words", times=10, why="in ten words"),
    ratio("digits", "digits", "chars", times=5, why="in five characters"),
    ratio("long_share", "long_words", "words"),
    value("p_per_block"),
    value("headings_per_block"),
    value("images_per_block"),
    log1p("log_inputs", "n_inputs"),
    log("log_children", "n_children", scale=2, why="7.4 children give 1"),
    log1p("log_alike", "n_alike", scale=2, why="6.4 nodes give 1"),
    log1p("log_words_alike", "words_alike", scale=3, why="19 words give 1"),
)
# Elements that are counted below each node.
_BELOW: Final = (
    ("p",),
    ("h2", "h3", "h4"),
    ("img", "picture", "svg"),
    ("input", "select", "textarea", "button"),
)
_BELOW_BITS: Final = tag_bits(_BELOW)
_BELOW_NUMBERS: Final = np.arange(len(_BELOW))[:, None]


def _fill(context: Context, out: FloatArray) -> None:
    """Write the columns of the node at each level above each block, and how far into it the block is.

    Progress is the share of the node's words before the block or, from the second level on, before the node below it.
    Where a node is missing, all columns are 0.
    """
    cdom, words, above = context.cdom, context.words_before, context.cdom.leaf_parents
    if not cdom.n_nodes:  # a page of a single block
        out[:] = 0
        return
    rows = np.empty((cdom.n_nodes, len(_COLUMNS)), dtype=np.float32)
    _fill_nodes(context, rows[:, :-1])
    starts = words[cdom.first_leaves]
    sizes = words[cdom.last_leaves + 1] - starts
    # The values where a parent is missing, -1, are never used.
    rows[:, -1] = share(starts - starts[cdom.node_parents], sizes[cdom.node_parents])
    into_nodes = share(words[:-1] - starts[above], sizes[above])
    READER.copy_above(rows, cdom.node_parents, above, into_nodes.astype(np.float32), out)


def _fill_nodes(context: Context, out: FloatArray) -> None:
    """Write the columns of all nodes. *Shape:* ``(g, columns)``"""
    cdom = context.cdom
    sums = context.sums_before
    totals = sums.take(cdom.last_leaves + 1, axis=1) - sums.take(cdom.first_leaves, axis=1)
    _NODE_PLAN.fill(context, totals, out[:, : len(_NODE_COLUMNS)])
    tags = cdom.unite(_TAG_BITS[context.page.tags], cdom.node_chains)
    out[:, len(_NODE_COLUMNS) :] = tags[:, None] >> _BIT_NUMBERS & 1


def _measure_nodes(context: Context, rows: Rows) -> None:
    cdom, page, words = context.cdom, context.page, context.words_before
    n_words = words[cdom.last_leaves + 1] - words[cdom.first_leaves]
    n_blocks = cdom.last_leaves + 1 - cdom.first_leaves
    tops = cdom.chain_elements[cdom.node_chains[:, 0]]
    paragraphs, headings, images, inputs = _count_below(page, tops)
    n_alike, words_alike = _find_alike(context, tops, n_words)
    rows["n_blocks"] = n_blocks
    rows["words_per_block"] = n_words / n_blocks
    rows["page_words"] = words[-1]
    rows["p_per_block"] = np.minimum(paragraphs / n_blocks, 2)
    rows["headings_per_block"] = np.minimum(headings / n_blocks, 1)
    rows["images_per_block"] = np.minimum(images / n_blocks, 2)
    rows["n_inputs"] = inputs
    rows["n_children"] = np.maximum(_count_children(cdom.node_parents, cdom.leaf_parents, cdom.n_nodes), 1)
    rows["n_alike"] = n_alike
    rows["words_alike"] = words_alike


def _count_below(page: Page, tops: IntArray) -> IntArray:
    """Return the number of elements of each kind in the subtrees of *tops*. *Shapes:* ``(g,)`` -> ``(4, g)``"""
    kinds = _BELOW_BITS[page.tags]
    elements = kinds.nonzero()[0]
    n_before = np.zeros((len(_BELOW), len(elements) + 1), dtype=np.int64)
    np.cumsum(kinds[elements] >> _BELOW_NUMBERS & 1, axis=1, out=n_before[:, 1:])
    counts: IntArray = n_before[:, elements.searchsorted(page.ends[tops])] - n_before[:, elements.searchsorted(tops)]
    return counts


def _count_children(node_parents: IntArray, leaf_parents: IntArray, n_nodes: int) -> IntArray:
    # From -1 on, which is the parent of none.
    inner, leaves = (np.bincount(parents + 1, minlength=n_nodes + 1) for parents in (node_parents, leaf_parents))
    counts: IntArray = (inner + leaves)[1:]
    return counts


def _find_alike(context: Context, tops: IntArray, words: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
    """Return how many others have each node's parent, tag and class, and the mean words of the node and these others.

    *Shapes:* ``(g,)``, ``(g,)`` -> ``(g,)`` twice
    """
    keys = (
        context.parents[tops].astype(np.uint64) * HASH_FACTORS[0]
        + context.page.tags[tops].astype(np.uint64) * HASH_FACTORS[1]
        + context.attributes.classes[tops]
    )
    groups, sizes = number_equals(keys)
    mean_words = np.bincount(groups, words, minlength=len(sizes)) / sizes
    return sizes[groups] - np.float64(1), mean_words[groups]


NODES: Final = Table("nodes", _measure_nodes, _NODE_COLUMNS)
_NODE_PLAN: Final = ColumnPlan((NODES,))
_COLUMNS: Final = (*NODES.names, *(f"is_{tags[0]}" for tags in _TAGS), "progress")
ANCESTORS: Final = WideTable(
    "ancestors", tuple(f"up{level}.{name}" for level in range(1, _N_LEVELS + 1) for name in _COLUMNS), _fill
)
