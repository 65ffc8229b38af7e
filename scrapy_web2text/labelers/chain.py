"""The base class of trained labelers: potentials of a chain of blocks in, labels and probabilities out."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Final, Generic, Protocol, Self, TypeVar, get_args

import numpy as np

from scrapy_web2text.arrays import DoubleArray, IntArray
from scrapy_web2text.budget import check_blocks, check_time
from scrapy_web2text.exceptions import ModelError, PageError
from scrapy_web2text.labelers.base import Chain, Labeling
from scrapy_web2text.labelers.hmm import decode
from scrapy_web2text.labelers.weights import Model
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, Segmentation, mask_to_labels, segment

__all__ = ["LEAST_TEMPERATURE", "ChainLabeler", "HasWords", "is_threshold"]


class HasWords(Protocol):
    """The part of a page's features that all trained labelers need."""

    @property
    def n_tokens(self) -> IntArray:
        """Number of words of each block. *Shape:* ``(n,)``"""
        ...


_Features = TypeVar("_Features", bound=HasWords)

_MOST_LAM: Final = 1e6
LEAST_TEMPERATURE: Final = 1e-6  # and one divided by it is the greatest one


def is_threshold(value: object) -> bool:
    """Return whether *value* is a number between 0 and 1."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1


class ChainLabeler(ABC, Generic[_Features]):
    """A trained model that gives potentials to a chain of blocks, which the HMM decodes.

    :param model: a verified model folder.
    :raises ModelError: if the model was made for another segmentation, or a value is missing or invalid.
    """

    is_model: Final = True
    block_bytes: ClassVar[int] = 6_700  # measured with web2text-2026 and web2text-2018, for features and network
    segmentation: ClassVar[Segmentation]

    def __init__(self, model: Model) -> None:
        self.name = model.name
        if model.entry("segmentation", str) != self.segmentation.name:
            raise ModelError(
                f"{model.folder}: expected segmentation {self.segmentation.name!r}, "
                f"got {model.manifest['segmentation']!r}"
            )
        self._lam = model.number("lam", least=0, most=_MOST_LAM)
        self._temperature = model.number("temperature", least=LEAST_TEMPERATURE, most=1 / LEAST_TEMPERATURE)
        self._threshold = float(model.entry("threshold", (int, float)))
        self._decoder = model.entry("decoder", str)
        self.presets: Mapping[str, float] = model.entry("presets", dict) if "presets" in model.manifest else {}
        for key, is_valid, expected in (
            ("threshold", is_threshold(self._threshold), "a number between 0 and 1"),
            ("decoder", self._decoder in get_args(Decoder), " or ".join(get_args(Decoder))),
        ):
            if not is_valid:
                raise ModelError(f"{model.folder}: expected {key} to be {expected}, got {model.manifest[key]!r}")
        for name, value in self.presets.items():
            if not is_threshold(value):
                raise ModelError(f"{model.folder}: expected preset {name} to be between 0 and 1, got {value!r}")

    def blocks(self, page: Page) -> BlockSequence:
        """Return the blocks of *page*; a labeler may override this to join blocks."""
        return segment(page, self.segmentation)

    @abstractmethod
    def features(self, page: Page, blocks: BlockSequence) -> _Features:
        """Return the features of *page*, which has at least one block."""

    @abstractmethod
    def _log_potentials(self, features: _Features) -> tuple[DoubleArray, DoubleArray]:
        """Return the log-potentials before weighting and calibration. *Shapes:* ``(n, 2)``, ``(n - 1, 2, 2)``"""

    def potentials(self, features: _Features) -> tuple[DoubleArray, DoubleArray]:
        """Return the log-potentials of blocks and pairs, weighted and calibrated.

        *Shapes:* ``(n, 2)``, ``(n - 1, 2, 2)``.
        """
        return self._weigh(*self._log_potentials(features))

    def _weigh(self, unary: DoubleArray, pairwise: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """Return log-potentials weighted and calibrated."""
        return unary / self._temperature, pairwise * (self._lam / self._temperature)

    def _read(self, features: _Features) -> tuple[DoubleArray, DoubleArray, tuple[str, float] | None]:
        """Return the log-potentials, and the type of the page with its probability: a hook for subclasses."""
        return *self._log_potentials(features), None

    def with_lam(self, lam: float) -> Self:
        """Return the same model with another weight of the pairwise term; 0 for the unary potentials only."""
        other = copy.copy(self)
        other._lam = lam  # noqa: SLF001
        return other

    def label(self, page: Page, *, threshold: float | None = None, decoder: Decoder | None = None) -> Labeling:
        """Return the labels of the blocks of *page*.

        :param threshold: with ``marginal``, the minimum probability of content; with ``viterbi``, its log-odds, which
            the log-odds of the max-marginals must exceed. None takes that of the model.
        :raises PageError: if the page exceeds the running budget, or the potentials are not finite.
        """
        threshold = self._threshold if threshold is None else threshold
        blocks = self.blocks(page)
        check_blocks(blocks.n_blocks)
        if not blocks.n_blocks:
            nothing = np.zeros(0, dtype=np.int64)
            return Labeling(blocks, nothing, np.zeros(0), nothing)
        check_time()
        features = self.features(page, blocks)
        check_time()
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            unary, pairwise, page_type = self._read(features)
            weighed = self._weigh(unary, pairwise)
        if not all(np.isfinite(potentials).all() for potentials in weighed):
            raise PageError("model_error", f"the weights of {self.name} give potentials that are not finite")
        check_time()
        decoder = decoder or self._decoder
        is_content, probabilities = decode(*weighed, decoder=decoder, threshold=threshold)
        labels, n_tokens = mask_to_labels(is_content), features.n_tokens
        chain = Chain(blocks, unary, pairwise, self._lam, self._temperature, threshold, decoder)
        labeling = Labeling(blocks, labels, probabilities, n_tokens, page_type=page_type, chain=chain)
        return self._finish(page, features, labeling)

    def _finish(self, page: Page, features: _Features, labeling: Labeling) -> Labeling:  # noqa: ARG002
        """Return the final answer for the decoded *labeling*: a hook for subclasses."""
        return labeling
