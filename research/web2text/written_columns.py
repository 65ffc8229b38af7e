"""The columns of Web2Text as its paper describes them, where its program computes others.

Each difference between the two has a name here, and can be made alone. Places in the paper are those of the list of
features in its appendix, b1 to b128. The blocks are always those of the program.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray
from scrapy_web2text.features.cdom import Cdom, collapse
from scrapy_web2text.features.characters import CharacterClass, classes_in
from scrapy_web2text.features.cnn_hmm.columns import (
    LEAF_COLUMNS,
    LEAF_SCALES,
    NODE_COLUMNS,
    NODE_SCALES,
    ScaledColumn,
    leaf_columns,
    node_columns,
    shared_columns,
)
from scrapy_web2text.features.cnn_hmm.page import (
    BLOCK_FEATURE_NAMES,
    EDGE_FEATURE_NAMES,
    PageFeatures,
    block_features,
    edge_features,
)
from scrapy_web2text.features.cnn_hmm.statistics import (
    COUNTS,
    NodeStatistics,
    TextStatistics,
    node_statistics,
    text_statistics,
)
from scrapy_web2text.features.hashing import STOPWORDS as STOPWORD_LIST
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence
from scrapy_web2text.page.reader import AttributeKind

STANDARDIZATION: Final = "standardization"  # 3.3: of each column that is not binary, on the training pages
CONSTANT: Final = "constant columns"  # b3, b29, b49, b70, b90: shares, which the program rounds down to 0
STOPWORDS: Final = "stopwords"  # b7, b8: in any case
SCRIPTS: Final = "scripts"  # b4 to b8 and b20 to b22: words of all scripts
FLAGS: Final = "flags"  # binary columns are 1 and 0, not 1 and -1
LIMITS: Final = "limits"  # b5, b10: the logarithm of 0 is clipped; b34: clipped as b9
TREE: Final = "tree"  # b30: links around the node, b48: all controls of forms, b26: where the block begins
FRACTIONS: Final = "fractions"  # b6, b13: averages are not rounded down
LINE_BREAKS: Final = "line breaks"  # edges: as in an unstyled page
DIFFERENCES: Final = (
    *(STANDARDIZATION, CONSTANT, STOPWORDS, SCRIPTS, FLAGS, LIMITS, TREE, FRACTIONS),
    LINE_BREAKS,
)

_BINARY: Final = ("has_", "is_", "ends_with_", "tree_distance_", "line_break")
_CONTROLS: Final = frozenset({"form", "input", "select", "textarea", "button"})
# What the HTML standard's style sheet shows as blocks, list items, tables and rows, and the line break itself.
_LINE_TAGS: Final = frozenset(
    """address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary
    table tbody tfoot thead tr ul""".split()
)

Rows = dict[str, DoubleArray]


def _is_binary(name: str) -> bool:
    return name.rpartition(".")[2].startswith(_BINARY)


BINARY_BLOCKS: Final = np.array([*map(_is_binary, BLOCK_FEATURE_NAMES)])
BINARY_EDGES: Final = np.array([*map(_is_binary, EDGE_FEATURE_NAMES)])


def written_features(page: Page, blocks: BlockSequence, differences: Collection[str]) -> PageFeatures:
    """Return the features of a page with *differences* from the program; without any, those of the program.

    `STANDARDIZATION` needs all training pages, so it is not made here.

    :param blocks: at least one, each a single leaf.
    """
    leaves = blocks.leaves
    cdom = collapse(page, blocks)
    raw_texts = [page.texts[leaf] for leaf in leaves.tolist()]
    texts = text_statistics(raw_texts)
    if {STOPWORDS, SCRIPTS} & {*differences}:
        words = _count_words(raw_texts, any_case=STOPWORDS in differences, all_scripts=SCRIPTS in differences)
        texts = replace(texts, counts=_replace_counts(texts.counts, words))
    nodes = node_statistics(page, cdom, leaves, texts)
    if TREE in differences and cdom.n_nodes:
        n_link_chars = _sum_below(cdom, texts.counts[0] * page.is_inside({"a"}, leaves))
        nodes = replace(nodes, n_link_chars=n_link_chars, has_form=_has_control(page, cdom))
    shared = shared_columns(np.hstack([texts.counts, nodes.counts]), np.hstack([texts.ends, nodes.ends]))
    leaf_matrix = leaf_columns(texts, shared[:, : len(leaves)])
    node_matrix = node_columns(nodes, shared[:, len(leaves) :])
    leaf_rows = dict(zip(LEAF_COLUMNS, leaf_matrix, strict=True))
    node_rows = dict(zip(NODE_COLUMNS, node_matrix, strict=True))
    _rewrite(leaf_rows, node_rows, texts, nodes, differences)
    if CONSTANT in differences:
        leaf_rows["same_class_path_ratio"][:] = _path_shares(page, leaves)
    leaf_values, node_values = (matrix.T.astype(np.float32) for matrix in (leaf_matrix, node_matrix))
    block_rows = block_features(page, cdom, leaf_values, node_values)
    edge_rows = edge_features(page, cdom, leaves, node_values)
    if LINE_BREAKS in differences:
        edge_rows[:, EDGE_FEATURE_NAMES.index("line_break")] = _line_breaks(page, leaves)
    if FLAGS in differences:
        for rows, is_binary in ((block_rows, BINARY_BLOCKS), (edge_rows, BINARY_EDGES)):
            rows[:, is_binary] = rows[:, is_binary] > 0
    return PageFeatures(block_rows, edge_rows, texts.n_tokens)


def _rewrite(
    leaf_rows: Rows, node_rows: Rows, texts: TextStatistics, nodes: NodeStatistics, differences: Collection[str]
) -> None:
    """Replace the rows that follow from counts alone, in place."""
    n_chars = texts.counts[0]
    for rows, counts, scales in ((leaf_rows, texts.counts, LEAF_SCALES), (node_rows, nodes.counts, NODE_SCALES)):
        if FRACTIONS in differences:
            _keep_fractions(rows, counts, scales)
        if LIMITS in differences:
            _set(rows, scales["log_punctuation_ratio"], -4, where=counts[COUNTS.index("n_punctuation")] == 0)
    if LIMITS in differences:
        _set(leaf_rows, LEAF_SCALES["log_n_words"], 0, where=texts.counts[COUNTS.index("n_words")] == 0)
        _set(node_rows, LEAF_SCALES["log_n_chars"], np.clip(np.log(nodes.counts[0]), 2.5, 5.5))
    if CONSTANT in differences:
        _set(node_rows, NODE_SCALES["body_percentage"], nodes.counts[0] / n_chars.sum())
    if TREE in differences:
        starts = (np.cumsum(n_chars) - n_chars) / n_chars.sum()
        _set(leaf_rows, LEAF_SCALES["relative_position"], starts)
        _set(leaf_rows, LEAF_SCALES["relative_position_squared"], starts**2)


def _keep_fractions(rows: Rows, counts: IntArray, scales: Mapping[str, ScaledColumn]) -> None:
    """Replace the average lengths of words and sentences, in place; the former only where there are words."""
    count = dict(zip(COUNTS, counts, strict=True))
    with_words = count["n_words"] > 0
    words = count["n_word_chars"][with_words] / count["n_words"][with_words]
    _set(rows, scales["average_word_length"], np.clip(words, 3, 15), where=with_words)
    sentences = np.log(count["n_chars"] / count["n_sentences"])
    _set(rows, scales["log_sentence_length"], np.clip(sentences, 2, 5))


def _set(rows: Rows, column: ScaledColumn, values: DoubleArray | float, where: BoolArray | slice = slice(None)) -> None:
    """Replace a row, or a part of it, by *values* in the units of *column*."""
    rows[column.name][where] = column.standardize(np.asarray(values))


def _count_words(texts: list[str], *, any_case: bool, all_scripts: bool) -> dict[str, IntArray]:
    """Return the counts of words of each text that depend on what a word and a stopword is, by name. *Shapes:* ``(k,)``

    With *all_scripts*, each letter is a word in scripts without spaces.
    """
    capital = CharacterClass.UPPER if all_scripts else CharacterClass.CAPITAL
    counts = []
    for text in texts:
        classes = classes_in(text)[[*map(ord, text)]].tolist()
        spans = _find_words(classes, all_scripts=all_scripts)
        words = [text[span.start : span.stop] for span in spans]
        n_stopwords = sum((word.lower() if any_case else word) in STOPWORD_LIST for word in words)
        n_capitals = sum(bool(classes[span.start] & capital) for span in spans)
        counts.append((len(words), sum(map(len, words)), n_stopwords, n_capitals))
    names = ("n_words", "n_word_chars", "n_stopwords", "n_capitals")
    return dict(zip(names, np.array(counts, dtype=np.int64).T, strict=True))


def _find_words(classes: list[int], *, all_scripts: bool) -> list[range]:
    """Return the places of the words among characters of these classes."""
    wanted = CharacterClass.TOKEN if all_scripts else CharacterClass.WORD

    def find_word(position: int) -> int:
        if all_scripts and classes[position] & CharacterClass.UNSPACED:
            return position + 1  # a word of its own
        return -1 if classes[position] & wanted else 0

    found = ([*group] for word, group in groupby(range(len(classes)), find_word) if word)
    return [range(group[0], group[-1] + 1) for group in found]


def _replace_counts(counts: IntArray, words: Mapping[str, IntArray]) -> IntArray:
    replaced = counts.copy()
    for name, values in words.items():
        replaced[COUNTS.index(name)] = values
    return replaced


def _sum_below(cdom: Cdom, values: IntArray) -> IntArray:
    """Return the sums of *values* over the leaves below each inner node. *Shapes:* ``(k,)`` -> ``(g,)``"""
    sums = np.append(0, np.cumsum(values))
    return sums[cdom.last_leaves + 1] - sums[cdom.first_leaves]


def _has_control(page: Page, cdom: Cdom) -> BoolArray:
    """Return which inner nodes have a form or a control of one in or below any element of their chains."""
    controls = np.flatnonzero(page.tags_in(_CONTROLS))
    tops = cdom.chain_elements[cdom.node_chains[:, 0]]
    return np.searchsorted(controls, page.ends[tops]) > np.searchsorted(controls, tops)


def _path_shares(page: Page, leaves: IntArray) -> DoubleArray:
    """Return the share of the leaves on a path of the same tags and classes, for each leaf. *Shape:* ``(k,)``"""
    elements = np.arange(page.n_elements)
    kind_of = {"class": AttributeKind.WHOLE}.get
    fields = reader.read_attributes(page.elements, elements, lambda name: kind_of(name, -1), lambda *_: 0)
    hashes = page.hash_paths(fields["classes"], page.owners(page.leaf_slots[leaves]))[1]
    _, positions, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return counts[positions] / len(leaves)


def _line_breaks(page: Page, leaves: IntArray) -> BoolArray:
    """Return whether a tag that ends a line lies between neighboring leaves. *Shape:* ``(k - 1,)``"""
    is_line = page.tags_in(_LINE_TAGS)
    breaks = np.zeros(2 * page.n_elements, dtype=np.int64)
    breaks[page.open_slots] = is_line
    breaks[page.close_slots] = is_line
    counts = np.cumsum(breaks)[page.leaf_slots[leaves]]
    return counts[1:] > counts[:-1]
