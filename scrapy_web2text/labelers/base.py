"""The base class of labelers, and their answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, FloatArray, IntArray
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.extraction import Label
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, Segmentation


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """The potentials that the labels of m blocks were decoded from.

    :param blocks: the m blocks. The blocks of the final answer can be parts of them.
    :param unary: log-potentials of the blocks before weighting and calibration. *Shape:* ``(m, 2)``
    :param pairwise: log-potentials of neighboring blocks. *Shape:* ``(m - 1, 2, 2)``
    :param lam: weight of the pairwise log-potentials.
    :param temperature: divisor of all log-potentials.
    """

    blocks: BlockSequence
    unary: DoubleArray
    pairwise: DoubleArray
    lam: float
    temperature: float
    threshold: float
    decoder: Decoder

    @property
    def potentials(self) -> tuple[DoubleArray, DoubleArray]:
        """The log-potentials of blocks and pairs, weighted and calibrated. *Shapes:* ``(m, 2)``, ``(m - 1, 2, 2)``"""
        return self.unary / self.temperature, self.pairwise * (self.lam / self.temperature)


@dataclass(frozen=True, slots=True, eq=False)
class Labeling:
    """A labeler's answer for the n blocks of a page.

    :param labels: a `Label` for each block. *Shape:* ``(n,)``
    :param probabilities: calibrated probability of CONTENT; None if the labeler has no probabilities. *Shape:* ``(n,)``
    :param n_tokens: number of words of each block. *Shape:* ``(n,)``
    :param confidence: predicted word F1 of the answer, in [0, 1]; None if it is to be computed from the probabilities.
    :param page_type: type of the page, such as ``article``, and its probability; None if the labeler has no page types.
    :param roles: function that computes the probability of each of `ROLES` for each block, since few answers need them;
        None if the labeler has no roles. *Shape* of its result: ``(n, len(ROLES))``
    :param selected: which slots are inside the elements that the user selects; None if the user selects none. *Shape:*
        ``(2 * n_elements,)``
    :param omitted: which slots are left out, as excluded by the user or hidden; None if all are kept. *Shape:* the same
    :param hidden: which slots a reader does not see; None if the reader sees all content. *Shape:* the same
    :param chain: the potentials that the labels were decoded from; None if the labeler has no potentials.
    :raises PageError: if the probability of the page type is not finite, which JSON cannot express.
    """

    blocks: BlockSequence
    labels: IntArray
    probabilities: DoubleArray | None
    n_tokens: IntArray
    confidence: float | None = None
    page_type: tuple[str, float] | None = None
    roles: Callable[[], FloatArray] | None = None
    selected: BoolArray | None = None
    omitted: BoolArray | None = None
    hidden: BoolArray | None = None
    chain: Chain | None = None

    def __post_init__(self) -> None:
        """Check the page type."""
        if self.page_type is not None and not np.isfinite(self.page_type[1]):
            raise PageError("model_error", f"the probability of the page type is not finite, got {self.page_type[1]}")

    def without_content(self) -> Labeling:
        """Return the same answer with all blocks as boilerplate; the probabilities and the page type stay."""
        return replace(self, labels=np.full_like(self.labels, Label.BOILERPLATE), confidence=None)


class Labeler(ABC):
    """Labels the blocks of a page. All threads share one labeler, so a labeler keeps no state of a page.

    :ivar name: name of the labeler, as in ``Extraction.model``.
    :ivar segmentation: how the labeler cuts a page into blocks.
    :ivar method: how the labeler finds labels, as in ``Extraction.method``; ``model`` if it has trained weights.
    :ivar thresholds: thresholds by name; empty for rules and for some models.
    :ivar has_roles: whether the labeler's answers have the roles of blocks.
    :ivar block_bytes: memory that labeling takes for each block of a page, in bytes; 0 if it hardly matters.
    """

    name: str
    segmentation: Segmentation
    method: ClassVar[Literal["model", "rules", "fragment", "selector"]] = "rules"
    thresholds: Mapping[str, float] = MappingProxyType({})
    has_roles = False
    block_bytes = 0

    @abstractmethod
    def label(self, page: Page, *, threshold: float | None = None, decoder: Decoder | None = None) -> Labeling:
        """Return the labels of the blocks of *page*.

        :param threshold: minimum probability of content, in (0, 1); None for the labeler's default.
        :param decoder: how potentials become labels; None for the labeler's default. Rules ignore it.
        :raises PageError: if the page exceeds the running budget, or the labeler has no answer for it.
        """
