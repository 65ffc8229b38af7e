"""Kohlschütter's shallow-text rules by name: a classifier, with an optional filter and optional thresholds.

Examples: ``shallow:numwords``, ``shallow:density+main-content``, ``shallow:min-words?n_words=5``.
"""

from __future__ import annotations

import math
import re
from typing import Final
from urllib.parse import parse_qsl

from scrapy_web2text.labelers.rules import Decision, RuleLabeler
from scrapy_web2text.labelers.shallow.filters import FILTERS, Filter
from scrapy_web2text.labelers.shallow.measures import shallow_blocks
from scrapy_web2text.labelers.shallow.trees import TREES, Tree
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, BlockSequence, labels_to_mask, mask_to_labels
from scrapy_web2text.suggestions import did_you_mean

__all__ = ["DEFAULT_CLASSIFIER", "SHALLOW_NAMES", "ShallowRules", "parse_shallow_rules"]

DEFAULT_CLASSIFIER: Final = "numwords"
# All classifiers, alone and with each filter.
SHALLOW_NAMES: Final = tuple(
    f"shallow:{classifier}{ending}" for ending in ("", *(f"+{name}" for name in FILTERS)) for classifier in TREES
)
_NAME: Final = re.compile(r"shallow(?::([^+?]*))?(?:\+([^?]*))?(?:\?(.*))?")


class ShallowRules(RuleLabeler):
    """A classifier of blocks, with an optional filter.

    The groups are the leaves of the tree for blocks that keep their label in the filter, then the same leaves for
    blocks whose label the filter changes.

    :param tree: the classifier.
    :param keep: the filter.
    :param table_name: name of the rules whose probabilities to use, which have the paper's thresholds.
    """

    segmentation = SHALLOW_BLOCKS

    def __init__(self, name: str, tree: Tree, keep: Filter | None = None, table_name: str | None = None) -> None:
        super().__init__(name, len(tree.labels) * (1 if keep is None else 2), table_name)
        self._tree = tree
        self._keep = keep

    def decide(self, page: Page, blocks: BlockSequence) -> Decision:
        """Return the labels and groups of the *blocks* of *page*."""
        measures = shallow_blocks(page, blocks, with_text_density=self._tree.needs_text_density)
        leaves = self._tree.find_leaves(measures)
        labels = self._tree.labels[leaves]
        if self._keep is None:
            return Decision(labels, leaves, measures.n_words)
        kept = mask_to_labels(self._keep(page, blocks, measures.n_words, labels_to_mask(labels)))
        return Decision(kept, leaves + len(self._tree.labels) * (kept != labels), measures.n_words)


def parse_shallow_rules(name: str) -> ShallowRules:
    """Return the rules called *name*: ``shallow[:classifier][+filter][?threshold=number&…]``.

    :raises ValueError: if there are no such rules, or a threshold is unknown or not a number.
    """
    match = _NAME.fullmatch(name)
    classifier, ending, thresholds = match.groups() if match else (None, None, None)
    classifier = classifier or DEFAULT_CLASSIFIER
    if match is None or classifier not in TREES or not (ending is None or ending in FILTERS):
        known = ("shallow", *SHALLOW_NAMES, "bte")
        raise ValueError(f"unknown rules {name!r}{did_you_mean([name], known)}: expected one of {', '.join(known)}")
    plain_name = f"shallow:{classifier}" + (f"+{ending}" if ending else "")
    try:
        pairs = parse_qsl(thresholds or "", keep_blank_values=True, strict_parsing=bool(thresholds))
        tree = TREES[classifier].with_thresholds(**{key: _to_number(value) for key, value in pairs})
    except ValueError as error:
        raise ValueError(f"rules {name!r}: {error}") from error
    full_name = plain_name + (f"?{thresholds}" if thresholds else "")
    return ShallowRules(full_name, tree, FILTERS[ending] if ending else None, plain_name)


def _to_number(value: str) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"expected a finite number, got {value!r}")
    return number
