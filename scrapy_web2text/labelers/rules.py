"""What labelers without weights have in common: groups of blocks, and the probability of each group.

Rules know no probabilities, but they divide the blocks into groups, such as the leaves of a decision tree. The
probability of a block is the share of content among all words that were in its group in the corpora, so it says how far
the rule is to be trusted there, not how sure the rule is of this block. The table lies in
``models/shallow/manifest.json``; ``web2text train models/shallow/recipe.toml`` makes it.
"""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.base import UNLIMITED, Budget, Labelling
from scrapy_web2text.labelers.weights import read_manifest, shipped_models
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, Segmentation, segment

__all__ = ["RULES_TABLE", "Decision", "RuleLabeler"]


logger = logging.getLogger(__name__)

RULES_TABLE: Final = "shallow"
_lock = threading.Lock()


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """What rules make of the n blocks of a page.

    :param labels: 0 for BOILERPLATE, 1 for CONTENT. *Shape:* ``(n,)``
    :param groups: number of the group that each block is in. *Shape:* ``(n,)``
    :param n_words: *Shape:* ``(n,)``
    """

    labels: IntArray
    groups: IntArray
    n_words: IntArray


class RuleLabeler(ABC):
    """Labels blocks by rules.

    :param name: the name under which it is known.
    :param n_groups: number of the groups that its blocks fall into.
    :param table_name: the rules whose probabilities it has; None for its own.
    """

    is_model: Final = False
    presets: Final[Mapping[str, float]] = MappingProxyType({})
    segmentation: ClassVar[Segmentation]

    def __init__(self, name: str, n_groups: int, table_name: str | None = None) -> None:
        self.name = name
        self.n_groups = n_groups
        self._table_name = table_name or name

    @abstractmethod
    def decide(self, page: Page, blocks: BlockSequence) -> Decision:
        """Return what the rules make of the *blocks* of *page*."""

    @cached_property
    def group_probabilities(self) -> DoubleArray | None:
        """The probability of each group; None if there is no table. *Shape:* ``(n_groups,)``

        A table that is missing or broken is one warning: the rules go on without.
        """
        with _lock:  # threads share it, and one warning is enough
            return self._find_probabilities()

    def _find_probabilities(self) -> DoubleArray | None:
        shares = _read_table().get(self._table_name)
        if shares is None:
            return None
        try:
            probabilities = np.array(shares, dtype=np.float64)
        except (TypeError, ValueError):
            probabilities = np.full(self.n_groups, np.nan)
        if probabilities.shape != (self.n_groups,) or not ((probabilities >= 0) & (probabilities <= 1)).all():
            logger.warning("No probabilities for the rules %s: the table does not fit them", self.name)
            return None
        return probabilities

    def label(
        self,
        page: Page,
        *,
        threshold: float | None = None,
        decoder: Decoder | None = None,  # noqa: ARG002
        budget: Budget = UNLIMITED,
    ) -> Labelling:
        """Return the labels of the blocks of *page*.

        :param threshold: least probability of content, in (0, 1); None, or no table, takes the rules' own labels.
        :param decoder: rules have no use for it.
        """
        blocks = segment(page, self.segmentation)
        budget.check_time()
        decision = self.decide(page, blocks)
        of_groups = self.group_probabilities
        if of_groups is None:
            return Labelling(blocks, decision.labels, None, decision.n_words)
        probabilities = of_groups[decision.groups]
        labels = decision.labels if threshold is None else (probabilities >= threshold).astype(np.int64)
        return Labelling(blocks, labels, probabilities, decision.n_words)


@cache
def _read_table() -> dict[str, Any]:
    folder = shipped_models().get(RULES_TABLE)
    try:
        if folder is None:
            raise ModelError(f"there is no shipped folder {RULES_TABLE!r}")
        table = read_manifest(folder).get("probabilities")
        if not isinstance(table, dict):
            raise ModelError(f"{folder}: expected 'probabilities' to be a table, got {table!r}")
    except ModelError as error:
        logger.warning("No probabilities for rules: %s", error)
        return {}
    return table
