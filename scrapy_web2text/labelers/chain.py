"""Trained labelers of a chain of blocks: potentials in, labels and probabilities out.

The HMM of Web2Text, section 3.5, decodes the potentials by max-marginals and marginals. With two labels a message along
the chain is a single number: the ratio of its value for CONTENT (1) to its value for BOILERPLATE (0). Max-product and
sum-product then differ in one operation. A compiled loop or a loop in Python passes the messages, since a call of numpy
costs more than the arithmetic of one step.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Final, Generic, NamedTuple, Protocol, TypeVar, get_args

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, FloatArray, IntArray, RealArray
from scrapy_web2text.common.budget import check_blocks, check_time
from scrapy_web2text.common.checks import FRACTION, Rule, number_from, one_of
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers import sums
from scrapy_web2text.labelers.base import Chain, Labeler, Labeling
from scrapy_web2text.labelers.weights import Model, is_model_name
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, mask_to_labels, segment

# Differences of log-potentials are clipped so that no message overflows or underflows.
_MAX_LOG: Final = 100.0
Messages = Callable[[DoubleArray, DoubleArray], DoubleArray]


LAM: Final = number_from(0, 1e6)
TEMPERATURE: Final = number_from(1e-6, 1e6)
DECODER: Final = one_of(*get_args(Decoder))
THRESHOLDS_BY_NAME: Final = Rule(
    "thresholds between 0 and 1 by name",
    lambda value: (
        isinstance(value, dict) and all(is_model_name(name) and FRACTION.allows(value[name]) for name in value)
    ),
)


def odds_to_potentials(odds: RealArray, pairs: RealArray) -> tuple[DoubleArray, DoubleArray]:
    """Return the output of a network as log-potentials of blocks and pairs.

    *Shapes:* ``(n,)``, ``(n - 1, 4)`` -> ``(n, 2)``, ``(n - 1, 2, 2)``

    :param odds: log-odds of CONTENT.
    :param pairs: log-potentials of the label pairs 00, 01, 10, 11.
    """
    unary = np.zeros((len(odds), 2))
    unary[:, 1] = odds
    return unary, pairs.astype(np.float64).reshape(-1, 2, 2)


def decode(
    unary: RealArray, pairwise: RealArray, *, decoder: Decoder, threshold: float
) -> tuple[BoolArray, DoubleArray]:
    """Return which blocks are content, and the probability of each.

    *Shapes:* unary ``(n, 2)``, pairwise ``(n - 1, 2, 2)``, results ``(n,)``.

    :param threshold: minimum probability of content, in (0, 1). With ``viterbi``, the max-marginal of a block (the best
        total with label 1 minus the best total with label 0) must exceed the log-odds of the threshold. For 0.5, the
        labels then have the maximum total. If several labelings have the maximum total, a block is content if all of
        them label it CONTENT. A higher threshold selects a subset of the blocks.
    :raises ValueError: if the shapes do not agree.
    """
    ratios = _ratios(unary, pairwise)
    probabilities = _to_probabilities(_log_odds(*ratios, sums.pass_sum_messages))
    if decoder == "marginal":
        return probabilities >= threshold, probabilities
    return _log_odds(*ratios, sums.pass_max_messages) > np.log(threshold / (1 - threshold)), probabilities


def marginals(unary: RealArray, pairwise: RealArray) -> DoubleArray:
    """Return the probability of label 1 for each block, by the forward-backward algorithm. *Shape:* ``(n,)``"""
    return _to_probabilities(_log_odds(*_ratios(unary, pairwise), sums.pass_sum_messages))


def _to_probabilities(log_odds: DoubleArray) -> DoubleArray:
    return 1 / (1 + np.exp(-log_odds))


def _ratios(unary: RealArray, pairwise: RealArray) -> tuple[DoubleArray, DoubleArray]:
    """Return the potentials as ratios: of blocks (1 to 0), and of pairs (01, 10 and 11, each to 00).

    *Shapes:* ``(n,)``, ``(3, n)``. The last block has no next neighbor, so the last ratios of pairs are 1.
    """
    n = len(unary)
    if unary.shape != (n, 2) or pairwise.shape != (max(n - 1, 0), 2, 2):
        raise ValueError(f"expected shapes (n, 2) and (n - 1, 2, 2), got {unary.shape} and {pairwise.shape}")
    # All ratios share one array: on most pages, a call of numpy costs more than its arithmetic.
    logs = np.zeros((4, n))
    np.subtract(unary[:, 1], unary[:, 0], out=logs[0], dtype=np.float64)
    if n > 1:
        flat = pairwise.reshape(-1, 4)
        np.subtract(flat[:, 1:].T, flat[:, 0], out=logs[1:, :-1], dtype=np.float64)
    np.minimum(np.maximum(logs, -_MAX_LOG, out=logs), _MAX_LOG, out=logs)  # `clip` takes three times as long
    np.exp(logs, out=logs)
    return logs[0], logs[1:]


def _log_odds(odds: DoubleArray, pairs: DoubleArray, pass_messages: Messages) -> DoubleArray:
    """Return the log-odds of each block, given the function that passes messages. *Shape:* ``(n,)``"""
    if not len(odds):
        return np.zeros(0)
    check_time()
    forward, backward = pass_messages(odds, pairs)
    check_time()
    return np.log(odds) + np.log(forward) + np.log(backward)


class HasWords(Protocol):
    """Features with the number of words of each block, which all trained labelers need. *Shape:* ``(n,)``"""

    @property
    def n_tokens(self) -> IntArray: ...


_Features = TypeVar("_Features", bound=HasWords)


class ModelOutput(NamedTuple):
    """The output of the networks for the n blocks of a page.

    :param unary: log-potentials of the blocks, before weighting and calibration. *Shape:* ``(n, 2)``
    :param pairwise: log-potentials of neighboring blocks, likewise. *Shape:* ``(n - 1, 2, 2)``
    :param page_type: type of the page and its probability, see `Labeling`; None if the model has no page types.
    :param roles: computes the probabilities of roles, see `Labeling`; None if the model has no roles.
    """

    unary: DoubleArray
    pairwise: DoubleArray
    page_type: tuple[str, float] | None = None
    roles: Callable[[], FloatArray] | None = None


class ChainLabeler(Labeler, Generic[_Features]):
    """A trained model that gives potentials to a chain of blocks, which the HMM decodes.

    :param model: a verified model folder.
    :raises ModelError: if the model was made for another segmentation, or a value is missing or invalid.
    """

    method = "model"
    block_bytes = 6_700  # measured with web2text-2026 and web2text-2018, for features and network

    def __init__(self, model: Model) -> None:
        self.name = model.name
        model.checked("segmentation", one_of(self.segmentation.name))
        self._lam = float(model.checked("lam", LAM))
        self._temperature = float(model.checked("temperature", TEMPERATURE))
        self._threshold = float(model.checked("threshold", FRACTION))
        self._decoder = model.checked("decoder", DECODER)
        self.thresholds = model.checked("presets", THRESHOLDS_BY_NAME.or_none) or {}

    def blocks(self, page: Page) -> BlockSequence:
        """Return the blocks of *page*; a labeler may override this to join blocks."""
        return segment(page, self.segmentation)

    @abstractmethod
    def features(self, page: Page, blocks: BlockSequence) -> _Features:
        """Return the features of *page*, which has at least one block."""

    @abstractmethod
    def _run(self, features: _Features) -> ModelOutput:
        """Return the output of the model for the *features* of a page."""

    def label(self, page: Page, *, threshold: float | None = None, decoder: Decoder | None = None) -> Labeling:
        """Return the labels of the blocks of *page*.

        :param threshold: minimum probability of content, in (0, 1), see `decode`; None for the threshold of the model.
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
            output = self._run(features)
            chain = Chain(
                blocks,
                output.unary,
                output.pairwise,
                lam=self._lam,
                temperature=self._temperature,
                threshold=threshold,
                decoder=decoder or self._decoder,
            )
            potentials = chain.potentials
        if not all(np.isfinite(each).all() for each in potentials):
            raise PageError("model_error", f"the weights of {self.name} give potentials that are not finite")
        check_time()
        is_content, probabilities = decode(*potentials, decoder=chain.decoder, threshold=threshold)
        labeling = Labeling(
            blocks,
            mask_to_labels(is_content),
            probabilities,
            features.n_tokens,
            page_type=output.page_type,
            roles=output.roles,
            chain=chain,
        )
        return self._finish(page, features, labeling, probabilities, threshold)

    def _finish(
        self, _page: Page, _features: _Features, labeling: Labeling, _probabilities: DoubleArray, _threshold: float, /
    ) -> Labeling:
        """Return the final answer for a decoded one: a hook for subclasses."""
        return labeling
