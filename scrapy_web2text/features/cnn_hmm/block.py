"""The 128 block features of Web2Text: of the leaf, its parent, its grandparent and the root of the CDOM.

Constants, limits and special cases are those of the authors' program, from which the published figures come. Integer
divisions are kept, and with them two columns that never vary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from scrapy_web2text.arrays import AnyArray, DoubleArray, FloatArray, IntArray
from scrapy_web2text.features.cnn_hmm.statistics import NodeStatistics, leaf_as_node
from scrapy_web2text.features.cnn_hmm.text import TextStatistics
from scrapy_web2text.features.columns import Feature, feature_table, sign
from scrapy_web2text.page.arrays import TAG_NAMES, Page
from scrapy_web2text.page.cdom import Cdom

__all__ = ["BLOCK_FEATURE_NAMES", "NODE_FEATURES", "block_features", "node_features"]

Statistics = TextStatistics | NodeStatistics


def _clipped_log(values: AnyArray, low: float, high: float) -> DoubleArray:
    """Return the natural logarithm of positive *values*, clipped to [low, high]. *Shapes:* ``(n,)`` -> ``(n,)``"""
    return np.minimum(np.maximum(np.log(values), low), high)


def _ratio(part: AnyArray, whole: AnyArray, otherwise: float) -> DoubleArray:
    """Return *part* / *whole*, and *otherwise* where *whole* is 0. *Shapes:* ``(n,)`` each"""
    return np.where(whole > 0, part / np.maximum(whole, 1), otherwise)


def _average_word_length(rows: Statistics) -> DoubleArray:
    lengths = np.minimum(np.maximum(rows.n_word_chars // np.maximum(rows.n_words, 1), 3), 15)
    return np.where(rows.n_words > 0, lengths, 4.910001 - 1.905709)  # without words, -1 once standardized


def _stopword_ratio(rows: Statistics) -> DoubleArray:
    return _ratio(rows.n_stopwords, rows.n_words, 0.374)


def _log_punctuation_ratio(rows: Statistics) -> DoubleArray:
    ratios = _clipped_log(np.maximum(rows.n_punctuation, 1) / rows.n_chars, -4, -2.5)
    return np.where(rows.n_punctuation > 0, ratios, -3.338525)


def _log_sentence_length(rows: Statistics) -> DoubleArray:
    return _clipped_log(np.maximum(rows.n_chars // rows.n_sentences, 1), 2, 5)


def _capital_ratio(power: int) -> Callable[[Statistics], DoubleArray]:
    mean = {1: 0.4475758, 2: 0.3708354, 3: 0.340843}[power]

    def compute(rows: Statistics) -> DoubleArray:
        return np.where(rows.n_words > 0, _ratio(rows.n_capitals, rows.n_words, 0) ** power, mean)

    return compute


def _relative_positions(rows: TextStatistics) -> DoubleArray:
    # The original uses source offsets, which lxml does not know. Counting the text before the block's middle instead
    # costs no F1.
    ends = np.cumsum(rows.n_chars)
    positions: DoubleArray = (ends - rows.n_chars / 2) / ends[-1]
    return positions


_CAPITAL_RATIOS: Final = (
    Feature("capital_ratio", _capital_ratio(1), 0.4475758, 0.4129316),
    Feature("capital_ratio_squared", _capital_ratio(2), 0.3708354, 0.4334037),
    Feature("capital_ratio_cubed", _capital_ratio(3), 0.340843, 0.4404389),
)

LEAF_FEATURES: Final[tuple[Feature[TextStatistics], ...]] = (
    sign("has_duplicate", lambda rows: rows.n_copies > 1),
    sign("has_10_duplicates", lambda rows: rows.n_copies > 10),
    # The share of leaves with the same path. By an integer division it is 1 on a page with one leaf, else 0.
    Feature("same_class_path_ratio", lambda rows: np.full(len(rows.n_chars), len(rows.n_chars) == 1)),
    Feature("has_word", lambda rows: np.where(rows.n_words > 0, 1, -1), 0.8255, 0.5643817),
    Feature(
        "log_n_words",
        lambda rows: np.where(rows.n_words > 0, _clipped_log(np.maximum(rows.n_words, 1), 0, 3.5), 1.5086),
        1.5086,
        1.205,
    ),
    Feature("average_word_length", _average_word_length, 4.910001, 1.905709),
    sign("has_stopword", lambda rows: rows.n_stopwords > 0),
    Feature("stopword_ratio", _stopword_ratio, 0.374, 0.1529),
    Feature("log_n_chars", lambda rows: _clipped_log(rows.n_chars, 2.5, 5.5), 3.392, 1.06445),
    sign("has_punctuation", lambda rows: rows.n_punctuation > 0),
    Feature("n_punctuation", lambda rows: np.minimum(rows.n_punctuation, 10), 0.06938, 0.4083676),
    Feature("log_punctuation_ratio", _log_punctuation_ratio, -3.338525, 0.6058926),
    Feature("has_digit", lambda rows: np.where(rows.n_digits > 0, 1, -1), -0.5900983, 0.8073342),
    Feature("digit_ratio", lambda rows: rows.n_digits / rows.n_chars, 0.2655969, 0.3052819),
    Feature("log_sentence_length", _log_sentence_length, 3.109, 1.011),
    sign("has_several_sentences", lambda rows: rows.n_sentences > 1),
    Feature("relative_position", _relative_positions, 0.5198038, 0.2996195),
    Feature("relative_position_squared", lambda rows: _relative_positions(rows) ** 2, 0.3599672, 0.3157282),
    sign("ends_with_punctuation", lambda rows: rows.ends_with_punctuation),
    sign("ends_with_question_mark", lambda rows: rows.ends_with_question_mark),
    sign("has_copyright", lambda rows: rows.has_copyright),
    sign("has_email", lambda rows: rows.has_email),
    sign("has_url", lambda rows: rows.has_url),
    sign("has_year", lambda rows: rows.has_year),
    *_CAPITAL_RATIOS,
)

_HAS_FORM: Final[Feature[NodeStatistics]] = sign("has_form", lambda rows: rows.has_form)
NODE_FEATURES: Final[tuple[Feature[NodeStatistics], ...]] = (
    # The share of the page's text. By an integer division it is 0 for all nodes but the root.
    Feature("body_percentage", lambda rows: rows.spans_page),
    Feature("link_density", lambda rows: rows.n_link_chars / rows.n_chars, 0.5, 0.5),
    Feature("average_word_length", _average_word_length, 4.910001, 1.905709),
    sign("has_stopword", lambda rows: rows.n_stopwords > 0),
    Feature("stopword_ratio", _stopword_ratio, 0.374, 0.1529),
    Feature("log_n_chars", lambda rows: _clipped_log(rows.n_chars, 2.5, 10), 6, 2.14),
    Feature("log_punctuation_ratio", _log_punctuation_ratio, -3.338525, 0.6058926),
    Feature("has_digit", lambda rows: np.where(rows.n_digits > 0, 1, -1), -0.5900983, 0.8073342),
    Feature("digit_ratio", lambda rows: rows.n_digits / rows.n_chars, 0.2655969, 0.3052819),
    Feature("log_sentence_length", _log_sentence_length, 3.109, 1.011),
    sign("ends_with_punctuation", lambda rows: rows.ends_with_punctuation),
    sign("ends_with_question_mark", lambda rows: rows.ends_with_question_mark),
    sign("has_copyright", lambda rows: rows.has_copyright),
    sign("has_email", lambda rows: rows.has_email),
    sign("has_url", lambda rows: rows.has_url),
    sign("has_year", lambda rows: rows.has_year),
    *_CAPITAL_RATIOS,
    _HAS_FORM,
)

# The original's list of parent tags has `ul` twice.
PARENT_TAGS: Final = tuple("td div p tr table body ul span li blockquote b small a ol ul i form dl strong pre".split())
LEAF_TAGS: Final = tuple("a p td b li span i tr div strong em h3 h2 table h4 small sup h1 blockquote".split())

BLOCK_FEATURE_NAMES: Final = (
    *(f"leaf.{feature.name}" for feature in LEAF_FEATURES),
    "has_parent",
    *(f"parent.{feature.name}" for feature in NODE_FEATURES),
    *(f"parent.is_{tag}_{i}" if tag == "ul" else f"parent.is_{tag}" for i, tag in enumerate(PARENT_TAGS)),
    "has_grandparent",
    *(f"grandparent.{feature.name}" for feature in NODE_FEATURES),
    *(f"root.{feature.name}" for feature in NODE_FEATURES),
    *(f"leaf.is_{tag}" for tag in LEAF_TAGS),
)


def node_features(statistics: NodeStatistics) -> FloatArray:
    """Return the features of nodes and, for the index -1 of a missing node, a row of zeros. *Shape:* ``(g + 1, 20)``"""
    n_nodes = len(statistics.n_chars)
    return np.append(feature_table(NODE_FEATURES, statistics, n_nodes), _zeros(len(NODE_FEATURES)), axis=0)


def block_features(page: Page, cdom: Cdom, leaves: IntArray, texts: TextStatistics, nodes: FloatArray) -> FloatArray:
    """Return the block features of the kept *leaves* of *page*. *Shape:* ``(k, 128)``

    :param nodes: features of the inner nodes, from `node_features`. *Shape:* ``(g + 1, 20)``
    """
    n_leaves = len(leaves)
    tag_bits = _TAG_BITS[page.tags]
    parents = cdom.leaf_parents
    grandparents = np.append(cdom.node_parents, -1)[parents]
    parent_tags = np.append(
        _tag_flags(cdom.unite(tag_bits, cdom.node_chains), PARENT_TAGS), _zeros(len(PARENT_TAGS)), axis=0
    )
    root = nodes[0] if cdom.n_nodes else node_features(leaf_as_node(page, leaves[0], texts))[0]
    return np.concatenate(
        [
            feature_table(LEAF_FEATURES, texts, n_leaves),
            parents[:, None] >= 0,
            nodes[parents],
            parent_tags[parents],
            grandparents[:, None] >= 0,
            nodes[grandparents],
            np.broadcast_to(root, (n_leaves, len(root))),
            _tag_flags(cdom.unite(tag_bits, cdom.leaf_chains), LEAF_TAGS),
        ],
        axis=1,
        dtype=np.float32,
    )


def _zeros(n_columns: int) -> FloatArray:
    return np.zeros((1, n_columns), dtype=np.float32)


# One bit for each tag that has a column.
_BITS: Final = {tag: 1 << bit for bit, tag in enumerate(sorted({*PARENT_TAGS, *LEAF_TAGS}))}
_TAG_BITS: Final = np.array([_BITS.get(tag, 0) for tag in TAG_NAMES])


def _tag_flags(bits: IntArray, tags: tuple[str, ...]) -> FloatArray:
    """Return 1 for each of *tags* that is in a chain, else -1. *Shapes:* ``(rows,)`` -> ``(rows, len(tags))``"""
    flags: FloatArray = np.where(bits[:, None] & [_BITS[tag] for tag in tags], np.float32(1), np.float32(-1))
    return flags
