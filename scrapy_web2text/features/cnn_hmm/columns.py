"""The standardized columns of leaves and inner nodes, each as a row of one matrix.

Constants, limits and special cases are taken from the authors' program, which made the published figures. Its integer
divisions are kept, and with them two columns that hardly vary. A missing value is 0.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray
from scrapy_web2text.features.cnn_hmm.statistics import NodeStatistics, TextStatistics


class ScaledColumn(NamedTuple):
    """A column with its mean and its scale; the defaults turn no and yes into -1 and 1."""

    name: str
    mean: float = 0.5
    scale: float = 0.5

    def standardize(self, values: DoubleArray) -> DoubleArray:
        """Return *values* without the mean, in units of the scale. *Shapes:* any, the same"""
        return (values - self.mean) / self.scale


class _Columns:
    """Columns that are computed together, as the rows of one matrix."""

    def __init__(self, *columns: ScaledColumn) -> None:
        self.columns = columns
        self.names = [column.name for column in columns]
        self._means = np.array([[column.mean] for column in columns])
        self._scales = np.array([[column.scale] for column in columns])

    def empty(self, n_values: int) -> tuple[DoubleArray, dict[str, DoubleArray]]:
        """Return a matrix for *n_values* of each column, and its rows by name. *Shape:* ``(c, n_values)``"""
        values = np.empty((len(self.names), n_values))
        return values, dict(zip(self.names, values, strict=True))

    def standardize(self, values: DoubleArray) -> None:
        """Subtract the means from *values* and divide them by the scales, in place. *Shape:* ``(c, n)``"""
        values -= self._means
        values /= self._scales


_SHARED: Final = _Columns(
    ScaledColumn("average_word_length", 4.910001, 1.905709),
    ScaledColumn("has_stopword"),
    ScaledColumn("stopword_ratio", 0.374, 0.1529),
    ScaledColumn("log_punctuation_ratio", -3.338525, 0.6058926),
    ScaledColumn("has_digit", -0.5900983, 0.8073342),
    ScaledColumn("digit_ratio", 0.2655969, 0.3052819),
    ScaledColumn("log_sentence_length", 3.109, 1.011),
    ScaledColumn("ends_with_punctuation"),
    ScaledColumn("ends_with_question_mark"),
    ScaledColumn("has_copyright"),
    ScaledColumn("has_email"),
    ScaledColumn("has_url"),
    ScaledColumn("has_year"),
    ScaledColumn("capital_ratio", 0.4475758, 0.4129316),
    ScaledColumn("capital_ratio_squared", 0.3708354, 0.4334037),
    ScaledColumn("capital_ratio_cubed", 0.340843, 0.4404389),
)
_OF_LEAVES: Final = _Columns(
    ScaledColumn("has_duplicate"),
    ScaledColumn("has_10_duplicates"),
    ScaledColumn("same_class_path_ratio", 0, 1),
    ScaledColumn("has_word", 0.8255, 0.5643817),
    ScaledColumn("log_n_words", 1.5086, 1.205),
    ScaledColumn("log_n_chars", 3.392, 1.06445),
    ScaledColumn("has_punctuation"),
    ScaledColumn("n_punctuation", 0.06938, 0.4083676),
    ScaledColumn("has_several_sentences"),
    ScaledColumn("relative_position", 0.5198038, 0.2996195),
    ScaledColumn("relative_position_squared", 0.3599672, 0.3157282),
)
_OF_NODES: Final = _Columns(
    ScaledColumn("body_percentage", 0, 1),
    ScaledColumn("link_density"),
    ScaledColumn("log_n_chars", 6, 2.14),
    ScaledColumn("has_form"),
)

# Names in the order of the authors' program.
LEAF_COLUMNS: Final = tuple(
    """has_duplicate has_10_duplicates same_class_path_ratio has_word log_n_words average_word_length has_stopword
    stopword_ratio log_n_chars has_punctuation n_punctuation log_punctuation_ratio has_digit digit_ratio
    log_sentence_length has_several_sentences relative_position relative_position_squared ends_with_punctuation
    ends_with_question_mark has_copyright has_email has_url has_year capital_ratio capital_ratio_squared
    capital_ratio_cubed""".split()
)
NODE_COLUMNS: Final = tuple(
    """body_percentage link_density average_word_length has_stopword stopword_ratio log_n_chars log_punctuation_ratio
    has_digit digit_ratio log_sentence_length ends_with_punctuation ends_with_question_mark has_copyright has_email
    has_url has_year capital_ratio capital_ratio_squared capital_ratio_cubed has_form""".split()
)
# The columns by name, with the constants of the authors' program.
LEAF_SCALES: Final = {column.name: column for column in (*_OF_LEAVES.columns, *_SHARED.columns)}
NODE_SCALES: Final = {column.name: column for column in (*_OF_NODES.columns, *_SHARED.columns)}


def shared_columns(counts: IntArray, ends: BoolArray) -> DoubleArray:
    """Return the shared columns of leaves and nodes. *Shapes:* ``(12, r)``, ``(2, r)`` -> ``(16, r)``

    :param counts: the counts of `TextStatistics`, for leaves and nodes.
    :param ends: the ends of `TextStatistics`, for leaves and nodes.
    """
    chars, words, word_chars, stopwords, capitals, sentences, punctuation, digits = counts[:8]
    columns, row = _SHARED.empty(counts.shape[1])
    at_least_one_word = np.maximum(words, 1)
    lengths = row["average_word_length"]
    np.floor_divide(word_chars, at_least_one_word, out=lengths)
    np.minimum(np.maximum(lengths, 3, out=lengths), 15, out=lengths)
    np.greater(stopwords, 0, out=row["has_stopword"])
    np.divide(stopwords, at_least_one_word, out=row["stopword_ratio"])
    np.divide(np.maximum(punctuation, 1), chars, out=row["log_punctuation_ratio"])
    np.copyto(row["has_digit"], np.where(digits > 0, 1, -1))
    np.divide(digits, chars, out=row["digit_ratio"])
    np.maximum(chars // sentences, 1, out=row["log_sentence_length"])
    columns[_ENDS] = ends
    np.greater(counts[8:], 0, out=columns[_HAS_COLUMNS])
    np.divide(capitals, at_least_one_word, out=row["capital_ratio"])
    np.square(row["capital_ratio"], out=row["capital_ratio_squared"])
    np.multiply(row["capital_ratio_squared"], row["capital_ratio"], out=row["capital_ratio_cubed"])
    _clip_log(row["log_punctuation_ratio"], -4, -2.5)
    _clip_log(row["log_sentence_length"], 2, 5)
    _SHARED.standardize(columns)
    wordless = np.flatnonzero(words == 0)
    row["average_word_length"][wordless] = -1
    columns[_RATIO_ROWS, wordless] = 0
    row["log_punctuation_ratio"][punctuation == 0] = 0
    return columns


def leaf_columns(texts: TextStatistics, shared: DoubleArray) -> DoubleArray:
    """Return `LEAF_COLUMNS`. *Shapes:* the shared columns of the leaves, ``(16, k)`` -> ``(27, k)``"""
    chars, words, *_, sentences, punctuation, _ = texts.counts[:8]
    columns, row = _OF_LEAVES.empty(len(chars))
    np.greater(texts.n_copies, 1, out=row["has_duplicate"])
    np.greater(texts.n_copies, 10, out=row["has_10_duplicates"])
    # The share of leaves with the same path. The integer division makes it 1 on a page with one leaf, else 0.
    row["same_class_path_ratio"][:] = len(chars) == 1
    np.copyto(row["has_word"], np.where(words > 0, 1, -1))
    np.maximum(words, 1, out=row["log_n_words"])
    _clip_log(row["log_n_words"], 0, 3.5)
    np.copyto(row["log_n_chars"], chars)
    _clip_log(row["log_n_chars"], 2.5, 5.5)
    np.greater(punctuation, 0, out=row["has_punctuation"])
    np.minimum(punctuation, 10, out=row["n_punctuation"])
    np.greater(sentences, 1, out=row["has_several_sentences"])
    # The authors' program uses source offsets, which lxml does not know. Counting the text before the middle of the
    # block instead costs no F1.
    ends = np.cumsum(chars)
    np.divide(ends - chars / 2, ends[-1], out=row["relative_position"])
    np.square(row["relative_position"], out=row["relative_position_squared"])
    _OF_LEAVES.standardize(columns)
    row["log_n_words"][words == 0] = 0
    return np.concatenate([columns, shared])[_LEAF_ORDER]


def node_columns(nodes: NodeStatistics, shared: DoubleArray) -> DoubleArray:
    """Return `NODE_COLUMNS`. *Shapes:* the shared columns of the nodes, ``(16, g)`` -> ``(20, g)``"""
    chars = nodes.counts[0]
    columns, row = _OF_NODES.empty(len(chars))
    # The share of the page's text. The integer division makes it 0 for all nodes except the root.
    np.copyto(row["body_percentage"], nodes.spans_page)
    np.divide(nodes.n_link_chars, chars, out=row["link_density"])
    np.copyto(row["log_n_chars"], chars)
    _clip_log(row["log_n_chars"], 2.5, 10)
    np.copyto(row["has_form"], nodes.has_form)
    _OF_NODES.standardize(columns)
    return np.concatenate([columns, shared])[_NODE_ORDER]


def _clip_log(values: DoubleArray, low: float, high: float) -> None:
    """Replace positive *values* by their natural logarithms, clipped to [low, high]."""
    np.log(values, out=values)
    np.maximum(values, low, out=values)
    np.minimum(values, high, out=values)


_NAMES: Final = _SHARED.names
_LEAF_ORDER: Final = [[*_OF_LEAVES.names, *_NAMES].index(name) for name in LEAF_COLUMNS]
_NODE_ORDER: Final = [[*_OF_NODES.names, *_NAMES].index(name) for name in NODE_COLUMNS]
_ENDS: Final = slice(_NAMES.index("ends_with_punctuation"), _NAMES.index("ends_with_question_mark") + 1)
_HAS_COLUMNS: Final = slice(_NAMES.index("has_copyright"), _NAMES.index("has_year") + 1)
_RATIOS: Final = ("stopword_ratio", "capital_ratio", "capital_ratio_squared", "capital_ratio_cubed")
_RATIO_ROWS: Final = np.array([[_NAMES.index(name)] for name in _RATIOS])
