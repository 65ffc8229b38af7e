"""Kohlschütter's classifiers: decision trees in the text form of the paper, evaluated for all blocks at once.

Kohlschütter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010. ``curr``, ``prev`` and
``next`` are a block and its neighbors; all measures are 0 beyond both ends of the page. A name in braces is a
threshold, and its default is the paper's value. The *leaves* of a tree are numbered from top to bottom.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, BoolArray, IntArray
from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.shallow.measures import ShallowBlocks

_LINE: Final = re.compile(r"((?:\| )*)(curr|prev|next)_(\w+) (<=|>=|<|>|=) (\S+)(?: : (CONTENT|BOILERPLATE))?")
_OPERATORS: Final[dict[str, Callable[[Any, float], BoolArray]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_MEASURES: Final = {"numWords": "n_words", "linkDensity": "link_density", "textDensity": "text_density"}


@dataclass(frozen=True)
class Tree:
    """A decision tree over the measures of a block and its neighbors.

    :param text: the tree, one condition a line; every block meets the conditions of exactly one leaf.
    :param thresholds: values for the names in braces.
    """

    text: str
    thresholds: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def _lines(self) -> list[tuple[str, ...]]:
        """Bars, block, measure, sign, limit and label of each condition; the label is empty if it is not a leaf."""
        matches = map(_LINE.fullmatch, self.text.strip().split("\n"))
        return [match.groups("") for match in matches if match]

    @cached_property
    def labels(self) -> IntArray:
        """The label of each leaf. *Shape:* ``(number of leaves,)``"""
        return np.array([Label[label] for *_, label in self._lines if label], dtype=np.int64)

    @property
    def needs_text_density(self) -> bool:
        """Whether a condition is about text density."""
        return "_textDensity" in self.text

    def with_thresholds(self, **thresholds: float) -> Tree:
        """Return the same tree with other *thresholds*.

        :raises ValueError: if a threshold is unknown.
        """
        unknown = sorted(set(thresholds) - set(self.thresholds))
        if unknown:
            raise ValueError(
                f"unknown threshold {', '.join(unknown)}; expected some of {', '.join(self.thresholds) or 'none'}"
            )
        return Tree(self.text, {**self.thresholds, **thresholds})

    def find_leaves(self, measures: ShallowBlocks) -> IntArray:
        """Return the index of the leaf of the tree that each of the n blocks reaches. *Shape:* ``(n,)``"""
        leaves = np.zeros(len(measures.n_words), dtype=np.int64)
        n_leaves = 0
        reached = [np.ones(len(leaves), dtype=bool)]  # for each level, the blocks that meet all conditions above it
        # For each level, the blocks that meet its second condition, which is the opposite of the first.
        others: dict[int, BoolArray] = {}
        for bars, block, measure, sign, limit, label in self._lines:
            level = len(bars) // 2
            meeting = others.pop(level, None)
            if meeting is None:
                values = _shift(getattr(measures, _MEASURES[measure]), block)
                threshold = self.thresholds[limit[1:-1]] if limit.startswith("{") else float(limit)
                meeting = reached[level] & _OPERATORS[sign](values, threshold)
                others[level] = reached[level] ^ meeting
            reached[level + 1 :] = [meeting]
            if label:
                leaves[reached[-1]] = n_leaves
                n_leaves += 1
        return leaves


def _shift(values: AnyArray, block: str) -> AnyArray:
    """Return, for each block, its own value, or the value of the block before or after it. *Shape:* ``(n,)``"""
    if block == "curr":
        return values
    shifted = np.zeros_like(values)
    if block == "prev":
        shifted[1:] = values[:-1]
    else:
        shifted[:-1] = values[1:]
    return shifted


# Algorithm 2, "Classifier based on Number of Words".
_NUMWORDS: Final = Tree(
    """
curr_linkDensity <= {link_density}
| prev_linkDensity <= {previous_link_density}
| | curr_numWords <= {n_words}
| | | next_numWords <= {next_n_words}
| | | | prev_numWords <= {previous_n_words} : BOILERPLATE
| | | | prev_numWords > {previous_n_words} : CONTENT
| | | next_numWords > {next_n_words} : CONTENT
| | curr_numWords > {n_words} : CONTENT
| prev_linkDensity > {previous_link_density}
| | curr_numWords <= {n_words_after_links}
| | | next_numWords <= {next_n_words_after_links} : BOILERPLATE
| | | next_numWords > {next_n_words_after_links} : CONTENT
| | curr_numWords > {n_words_after_links} : CONTENT
curr_linkDensity > {link_density} : BOILERPLATE
""",
    {
        "link_density": 0.333333,
        "previous_link_density": 0.555556,
        "n_words": 16,
        "next_n_words": 15,
        "previous_n_words": 4,
        "n_words_after_links": 40,
        "next_n_words_after_links": 17,
    },
)
# Algorithm 1, "Densitometric Classifier".
_DENSITY: Final = Tree(
    """
curr_linkDensity <= {link_density}
| prev_linkDensity <= {previous_link_density}
| | curr_textDensity <= {text_density}
| | | next_textDensity <= {next_text_density}
| | | | prev_textDensity <= {previous_text_density} : BOILERPLATE
| | | | prev_textDensity > {previous_text_density} : CONTENT
| | | next_textDensity > {next_text_density} : CONTENT
| | curr_textDensity > {text_density}
| | | next_textDensity = 0 : BOILERPLATE
| | | next_textDensity > 0 : CONTENT
| prev_linkDensity > {previous_link_density}
| | next_textDensity <= {next_text_density_after_links} : BOILERPLATE
| | next_textDensity > {next_text_density_after_links} : CONTENT
curr_linkDensity > {link_density} : BOILERPLATE
""",
    {
        "link_density": 0.333333,
        "previous_link_density": 0.555556,
        "text_density": 9,
        "next_text_density": 10,
        "previous_text_density": 4,
        "next_text_density_after_links": 11,
    },
)
# Section 4.3.1: 1R over all features.
_DENSITY_1R: Final = Tree(
    """
curr_textDensity < {text_density} : BOILERPLATE
curr_textDensity >= {text_density} : CONTENT
""",
    {"text_density": 10.5},
)
# Section 4.3.2: the tree that was trained on CleanEval.
_CLEANEVAL: Final = Tree(
    """
curr_textDensity < {text_density} : BOILERPLATE
curr_textDensity >= {text_density}
| curr_linkDensity <= {link_density} : CONTENT
| curr_linkDensity > {link_density} : BOILERPLATE
""",
    {"text_density": 7, "link_density": 0.35},
)
# Section 4.3.2, the two baselines: all blocks of at least ten words, and all blocks.
_MIN_WORDS: Final = Tree(
    """
curr_numWords < {n_words} : BOILERPLATE
curr_numWords >= {n_words} : CONTENT
""",
    {"n_words": 10},
)
_ALL: Final = Tree("curr_numWords >= 0 : CONTENT")

TREES: Final[Mapping[str, Tree]] = MappingProxyType(
    {
        "numwords": _NUMWORDS,
        "density": _DENSITY,
        "density-1r": _DENSITY_1R,
        "cleaneval": _CLEANEVAL,
        "min-words": _MIN_WORDS,
        "all": _ALL,
    }
)
