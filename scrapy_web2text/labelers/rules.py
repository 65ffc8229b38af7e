"""The base class of labelers without weights: groups of blocks, and a probability for each group.

Rules do not compute probabilities, but they divide the blocks into groups, such as the leaves of a decision tree. The
probability of a group is the share of content among its words in the corpora. It shows how reliable the rules are in
this group, not how sure they are of a single block. In a clone of the repository, ``python -m research train
models/shallow/recipe.toml`` writes the table of probabilities, which is in ``models/shallow/manifest.json``.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import DoubleArray, IntArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.common.checks import SHARE
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.base import Labeler, Labeling
from scrapy_web2text.labelers.weights import find_model, read_manifest
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, mask_to_labels, segment

logger = logging.getLogger(__name__)

RULES_TABLE: Final = "shallow"


class Decision(NamedTuple):
    """The decision of rules on the n blocks of a page: label, number of the group, and number of words of each block.

    *Shapes:* ``(n,)`` each.
    """

    labels: IntArray
    groups: IntArray
    n_words: IntArray


class RuleLabeler(Labeler):
    """Labels blocks by rules.

    :param name: name of the rules, as in ``Extraction.model``.
    :param n_groups: number of groups that the rules divide blocks into.
    :param table_name: name of the rules whose probabilities to use; None for *name*.
    """

    def __init__(self, name: str, n_groups: int, table_name: str | None = None) -> None:
        self.name = name
        self.n_groups = n_groups
        self._table_name = table_name or name

    @abstractmethod
    def decide(self, page: Page, blocks: BlockSequence) -> Decision:
        """Return the labels and groups of the *blocks* of *page*."""

    @cached_property
    def group_probabilities(self) -> DoubleArray | None:
        """The probability of each group; None if there is no valid table. *Shape:* ``(n_groups,)``

        A missing or invalid table is logged once; the rules work without it.
        """
        try:
            return self._read_probabilities()
        except ModelError as error:
            logger.warning("Using %s without probabilities: %s", self.name, error)
            return None

    def _read_probabilities(self) -> DoubleArray:
        folder = find_model(RULES_TABLE)
        table = read_manifest(folder).get("probabilities")
        shares = table.get(self._table_name) if isinstance(table, dict) else None
        if not isinstance(shares, list) or len(shares) != self.n_groups or not all(map(SHARE.allows, shares)):
            expected = f"{self.n_groups} numbers between 0 and 1 as probabilities of {self._table_name}"
            raise ModelError(f"{folder}: expected {expected}, got {shares!r}")
        return np.array(shares, dtype=np.float64)

    def label(self, page: Page, *, threshold: float | None = None, decoder: Decoder | None = None) -> Labeling:  # noqa: ARG002
        """Return the labels of the blocks of *page*.

        :param threshold: minimum probability of content, in (0, 1). Without a threshold, or without a table of
            probabilities, the rules decide the labels.
        :param decoder: ignored.
        """
        blocks = segment(page, self.segmentation)
        check_time()
        decision = self.decide(page, blocks)
        of_groups = self.group_probabilities
        if of_groups is None:
            return Labeling(blocks, decision.labels, None, decision.n_words)
        probabilities = of_groups[decision.groups]
        labels = decision.labels if threshold is None else mask_to_labels(probabilities >= threshold)
        return Labeling(blocks, labels, probabilities, decision.n_words)
