"""Web2Text: two CNNs give the potentials of a chain of blocks, and the HMM decodes it.

Vogels, Ganea, Eickhoff: Web2Text: Deep Structured Boilerplate Removal, ECIR 2018, sections 3.4 and 3.5. The networks
are run with numpy; their reference, which trains them, is `training/networks.py`.
"""

from __future__ import annotations

import copy
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.blocks import TEXT_LEAVES, Segmentation, segment
from scrapy_web2text.exceptions import ModelError, PageError
from scrapy_web2text.features import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES, PageFeatures, page_features
from scrapy_web2text.hmm import marginals, max_marginal_log_odds
from scrapy_web2text.labelers.base import UNLIMITED, Budget, Labelling
from scrapy_web2text.options import Decoder
from scrapy_web2text.page import Page
from scrapy_web2text.weights import Model

__all__ = ["CnnHmmLabeler", "Convolutions"]

FloatArray = NDArray[np.float32]
DoubleArray = NDArray[np.float64]

# OpenBLAS runs a product of more multiplications than this on all cores, which on a busy machine costs hundreds of
# times what it saves. Smaller products stay on the calling thread, without any setting of the process being touched.
_LARGEST_PRODUCT: Final = 1 << 18


class Convolutions:
    """A stack of one-dimensional convolutions over the blocks, zeros beyond both ends, ReLU in between.

    :param layers: weights and bias of each layer. *Shapes:* ``(kernel, in, out)`` with an odd kernel, ``(out,)``
    """

    def __init__(self, layers: list[tuple[FloatArray, FloatArray]]) -> None:
        self._layers = layers

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return the output of the last layer. *Shapes:* ``(n, in)`` -> ``(n, out)``"""
        for number, (weight, bias) in enumerate(self._layers):
            if number:
                rows = np.maximum(rows, 0)
            rows = _multiply(_windows(rows, len(weight)), weight.reshape(-1, weight.shape[2])) + bias
        return rows


def _windows(rows: FloatArray, kernel: int) -> FloatArray:
    """Return each row beside its neighbours. *Shapes:* ``(n, c)`` -> ``(n, kernel * c)``"""
    if kernel == 1:
        return rows
    reach = kernel // 2
    padded = np.pad(rows, ((reach, reach), (0, 0)))
    return np.concatenate([padded[shift : shift + len(rows)] for shift in range(kernel)], axis=1)


def _multiply(rows: FloatArray, weight: FloatArray) -> FloatArray:
    """Return ``rows @ weight`` on one core. *Shapes:* ``(n, k)``, ``(k, m)`` -> ``(n, m)``"""
    n_rows = len(rows)
    chunk = max(1, _LARGEST_PRODUCT // weight.size)
    n_chunks = -(-n_rows // chunk)
    if n_chunks <= 1:
        return rows @ weight
    padded = np.zeros((n_chunks * chunk, rows.shape[1]), dtype=rows.dtype)
    padded[:n_rows] = rows
    product: FloatArray = padded.reshape(n_chunks, chunk, -1) @ weight
    return product.reshape(n_chunks * chunk, -1)[:n_rows]


def _log_softmax(logits: FloatArray) -> DoubleArray:
    """Return the logarithms of the softmax over the last axis."""
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    normalised: DoubleArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return normalised


class CnnHmmLabeler:
    """A trained Web2Text model.

    :param model: a verified model folder.
    :raises ModelError: if the model was made for other features or lacks a value.
    """

    is_model: Final = True
    segmentation: Final[Segmentation] = TEXT_LEAVES

    def __init__(self, model: Model) -> None:
        self.name = model.name
        if model.entry("segmentation", str) != self.segmentation.name:
            raise ModelError(
                f"{model.folder}: expected segmentation {self.segmentation.name!r}, "
                f"got {model.manifest['segmentation']!r}"
            )
        networks = model.entry("networks", dict)
        self._unary = _read_network(model, networks, "unary", BLOCK_FEATURE_NAMES, n_outputs=2)
        self._pairwise = _read_network(model, networks, "pairwise", EDGE_FEATURE_NAMES, n_outputs=4)
        self._lam = float(model.entry("lam", (int, float)))
        self._temperature = float(model.entry("temperature", (int, float)))
        self._threshold = float(model.entry("threshold", (int, float)))
        self._decoder = model.entry("decoder", str)

    def with_lam(self, lam: float) -> CnnHmmLabeler:
        """Return the same model with another weight of the pairwise term; 0 leaves the unary network alone."""
        other = copy.copy(self)
        other._lam = lam  # noqa: SLF001
        return other

    def potentials(self, features: PageFeatures) -> tuple[DoubleArray, DoubleArray]:
        """Return the calibrated log-potentials of a page. *Shapes:* ``(n, 2)``, ``(n - 1, 2, 2)``"""
        unary = _log_softmax(self._unary(features.blocks)) / self._temperature
        if not len(features.edges):
            return unary, np.zeros((0, 2, 2))
        pairwise = _log_softmax(self._pairwise(features.edges)) * (self._lam / self._temperature)
        return unary, pairwise.reshape(-1, 2, 2)

    def label(
        self, page: Page, *, threshold: float | None = None, decoder: Decoder | None = None, budget: Budget = UNLIMITED
    ) -> Labelling:
        """Return the labels of the text leaves of *page*.

        :param threshold: least content probability (``marginal``) or, as log-odds, least max-marginal (``viterbi``).
        :raises PageError: if the page is beyond *budget*, or the weights give no finite potentials.
        """
        threshold = self._threshold if threshold is None else threshold
        blocks = segment(page, self.segmentation)
        budget.check_blocks(blocks.n_blocks)
        if not blocks.n_blocks:
            nothing = np.zeros(0, dtype=np.int64)
            return Labelling(blocks, nothing, np.zeros(0), nothing)
        budget.check_time()
        features = page_features(page, blocks)
        budget.check_time()
        unary, pairwise = self.potentials(features)
        if not (np.isfinite(unary).all() and np.isfinite(pairwise).all()):
            raise PageError("model_error", f"the weights of {self.name} give no finite potentials for the page")
        budget.check_time()
        probabilities = marginals(unary, pairwise)
        if (decoder or self._decoder) == "marginal":
            is_content = probabilities >= threshold
        else:
            is_content = max_marginal_log_odds(unary, pairwise) > np.log(threshold / (1 - threshold))
        return Labelling(blocks, is_content.astype(np.int64), probabilities, features.n_tokens)


def _read_network(
    model: Model, networks: dict[str, Any], part: str, feature_names: tuple[str, ...], n_outputs: int
) -> Convolutions:
    """Return one network of *model*, after a look at what it was trained on."""
    entry = networks.get(part)
    if not isinstance(entry, dict) or not {"features", "layers"} <= set(entry):
        raise ModelError(f"{model.folder}: expected a network {part!r} with 'features' and 'layers', got {entry!r}")
    if entry["features"] != list(feature_names):
        raise ModelError(f"{model.folder}: the {part} network was trained on other features than this release computes")
    layers = []
    width = len(feature_names)
    for number, layer in enumerate(entry["layers"]):
        n_in, n_out, kernel = layer
        if n_in != width or kernel % 2 == 0:
            raise ModelError(
                f"{model.folder}: layer {number} of {part} does not fit: expected {width} inputs, got {layer}"
            )
        weight = model.tensor(f"{part}.{number}.weight", (kernel, n_in, n_out))
        layers.append((weight, model.tensor(f"{part}.{number}.bias", (n_out,))))
        width = n_out
    if width != n_outputs:
        raise ModelError(f"{model.folder}: expected {n_outputs} outputs of {part}, got {width}")
    return Convolutions(layers)
