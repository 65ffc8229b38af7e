"""Columns of the five nearest nodes above a block in the CDOM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, FloatArray, IntArray
from scrapy_web2text.features.columns import Feature, FeatureGroup, column_names, fill_columns
from scrapy_web2text.features.modern.context import Context, prefix_sums, share, tag_bits
from scrapy_web2text.features.modern.counts import BlockCounts
from scrapy_web2text.features.modern.table import Table
from scrapy_web2text.features.modern.words import HASH_FACTORS

__all__ = ["ANCESTORS", "NODE_FEATURES"]

_N_LEVELS: Final = 5
# Each group of tags has a column, named for the first of them.
_TAGS: Final = (
    *(("article",), ("main",), ("section",), ("aside",), ("nav",), ("header",), ("footer",), ("form",)),
    *(("ul", "ol", "dl"), ("li", "dd", "dt"), ("table", "tbody"), ("tr", "td", "th"), ("p", "blockquote")),
)
_TAG_BITS: Final = tag_bits(_TAGS)
_BIT_NUMBERS: Final = np.arange(len(_TAGS))[:, None]


@dataclass(frozen=True, slots=True, eq=False)
class NodeMeasures:
    """Measures of g nodes; each array of *Shape:* ``(g,)``.

    :param page_words: number of words of the page.
    :param counts: sums over the blocks below.
    :param n_blocks: number of blocks below.
    :param n_paragraphs: number of ``p`` below the node's outermost element; the same for headings, images and inputs.
    :param n_alike: number of other nodes with the same parent, tag and class.
    :param words_alike: mean number of words of the node and these others.
    :param tags: one bit for each group of tags of the elements that the node consists of.
    """

    page_words: float
    counts: BlockCounts
    n_blocks: DoubleArray
    n_paragraphs: IntArray
    n_headings: IntArray
    n_images: IntArray
    n_inputs: IntArray
    n_children: IntArray
    n_alike: DoubleArray
    words_alike: DoubleArray
    tags: IntArray


NODE_FEATURES: Final[tuple[Feature[NodeMeasures] | FeatureGroup[NodeMeasures], ...]] = (
    Feature("log_words", lambda m: np.log1p(m.counts.words), scale=4, why="54 words give 1"),
    Feature("log_blocks", lambda m: np.log(m.n_blocks), scale=3, why="20 blocks give 1"),
    Feature("log_words_per_block", lambda m: np.log1p(m.counts.words / m.n_blocks), scale=2, why="6.4 words give 1"),
    Feature("word_share", lambda m: share(m.counts.words, m.page_words)),
    Feature("link_density", lambda m: share(m.counts.linked_words, m.counts.words)),
    Feature("full_stops", lambda m: 10 * share(m.counts.full_stops, m.counts.words)),  # in ten words
    Feature("commas", lambda m: 10 * share(m.counts.commas, m.counts.words)),  # in ten words
    Feature("digits", lambda m: 5 * share(m.counts.digits, m.counts.chars)),  # in five characters
    Feature("long_share", lambda m: share(m.counts.long_words, m.counts.words)),
    Feature("p_per_block", lambda m: np.minimum(m.n_paragraphs / m.n_blocks, 2)),
    Feature("headings_per_block", lambda m: np.minimum(m.n_headings / m.n_blocks, 1)),
    Feature("images_per_block", lambda m: np.minimum(m.n_images / m.n_blocks, 2)),
    Feature("log_inputs", lambda m: np.log1p(m.n_inputs)),
    Feature("log_children", lambda m: np.log(np.maximum(m.n_children, 1)), scale=2, why="7.4 children give 1"),
    Feature("log_alike", lambda m: np.log1p(m.n_alike), scale=2, why="6.4 nodes give 1"),
    Feature("log_words_alike", lambda m: np.log1p(m.words_alike), scale=3, why="19 words give 1"),
    FeatureGroup(tuple(f"is_{tags[0]}" for tags in _TAGS), lambda m: m.tags >> _BIT_NUMBERS & 1),
)
_NODE_COLUMNS: Final = column_names(NODE_FEATURES)


@dataclass(frozen=True, slots=True, eq=False)
class AncestorMeasures:
    """Measures of n blocks and the nodes above them.

    :param nodes: columns of each node, and zeros at -1. *Shape:* ``(columns, g + 1)``
    :param above: the node at each level above each block, -1 if there is none. *Shape:* ``(5, n)``
    :param progress: share of that node's words before the block or, from the second level on, before the node below it.
        *Shape:* ``(5, n)``
    """

    nodes: FloatArray
    above: IntArray
    progress: DoubleArray


_FEATURES: Final[tuple[Feature[AncestorMeasures] | FeatureGroup[AncestorMeasures], ...]] = (
    FeatureGroup(
        tuple(f"{{}}.{name}" for name in _NODE_COLUMNS),
        lambda m: m.nodes.take(m.above, axis=1, mode="wrap").swapaxes(0, 1),
    ),
    Feature("{}.progress", lambda m: m.progress),
)


def _measure(context: Context) -> AncestorMeasures:
    cdom, words = context.cdom, context.words_before
    nodes = np.zeros((len(_NODE_COLUMNS), cdom.n_nodes + 1), dtype=np.float32)
    fill_columns(NODE_FEATURES, _measure_nodes(context), nodes[:, :-1])
    parents = np.append(cdom.node_parents, -1)
    starts, stops = np.append(cdom.first_leaves, 0), np.append(cdom.last_leaves + 1, 0)
    above = np.empty((_N_LEVELS, context.n_blocks), dtype=np.int64)
    below = np.empty_like(above)  # first block of the child of that node on the path to the block
    node, start = cdom.leaf_parents, np.arange(context.n_blocks)
    for level in range(_N_LEVELS):
        above[level], below[level] = node, start
        start = np.where(node >= 0, starts[node], start)
        node = parents[node]
    words_before = words[below] - words[starts[above]]
    node_words = words[stops] - words[starts]
    return AncestorMeasures(nodes, above, progress=share(words_before, node_words[above]) * (above >= 0))


def _measure_nodes(context: Context) -> NodeMeasures:
    cdom, page, counts = context.cdom, context.page, context.counts
    first, stop = cdom.first_leaves, cdom.last_leaves + 1
    sums = prefix_sums(counts.stack())
    totals = BlockCounts(*(sums[:, stop] - sums[:, first]))
    tops = cdom.chain_elements[cdom.node_chains[:, 0]]
    ends = page.ends[tops]

    def elements_below(*tags: str) -> IntArray:
        elements = np.flatnonzero(page.tags_in(tags))
        return np.searchsorted(elements, ends) - np.searchsorted(elements, tops)

    n_alike, words_alike = _find_alike(context, tops, totals.words)
    return NodeMeasures(
        page_words=float(context.words_before[-1]),
        counts=totals,
        n_blocks=(stop - first).astype(np.float64),
        n_paragraphs=elements_below("p"),
        n_headings=elements_below("h2", "h3", "h4"),
        n_images=elements_below("img", "picture", "svg"),
        n_inputs=elements_below("input", "select", "textarea", "button"),
        n_children=_count_children(cdom.node_parents, cdom.leaf_parents, cdom.n_nodes),
        n_alike=n_alike,
        words_alike=words_alike,
        tags=cdom.unite(_TAG_BITS[page.tags], cdom.node_chains),
    )


def _count_children(node_parents: IntArray, leaf_parents: IntArray, n_nodes: int) -> IntArray:
    inner, leaves = node_parents[node_parents >= 0], leaf_parents[leaf_parents >= 0]
    return np.bincount(inner, minlength=n_nodes) + np.bincount(leaves, minlength=n_nodes)


def _find_alike(context: Context, tops: IntArray, words: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
    """Return how many others have each node's parent, tag and class, and the mean words of the node and these others.

    *Shapes:* ``(g,)``, ``(g,)`` -> ``(g,)`` twice
    """
    keys = (
        context.parents[tops].astype(np.uint64) * HASH_FACTORS[0]
        + context.page.tags[tops].astype(np.uint64) * HASH_FACTORS[1]
        + context.attributes.classes[tops]
    )
    _, groups, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    mean_words = np.bincount(groups, words) / sizes if len(groups) else np.zeros(0)
    return sizes[groups] - np.float64(1), mean_words[groups]


ANCESTORS: Final = Table(_measure, _FEATURES, variants=tuple(f"up{level}" for level in range(1, _N_LEVELS + 1)))
