"""Web2Text: two CNNs give the potentials of a chain of blocks, which the HMM decodes.

Vogels, Ganea, Eickhoff: Web2Text: Deep Structured Boilerplate Removal, ECIR 2018, sections 3.4 and 3.5. The networks
run in numpy here. `research/web2text/network.py`, in the repository, defines and trains the same networks in torch.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from scrapy_web2text.common.arrays import FloatArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.features.cnn_hmm.page import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES, PageFeatures, page_features
from scrapy_web2text.labelers.chain import ChainLabeler, ModelOutput
from scrapy_web2text.labelers.numeric import log_softmax, multiply
from scrapy_web2text.labelers.weights import MOST_LAYERS, WIDEST, Model
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import TEXT_LEAVES, BlockSequence

_WIDEST_WINDOW: Final = 16 * WIDEST  # inputs of a layer


class Convolutions:
    """A stack of one-dimensional convolutions over the blocks, padded with zeros, with ReLU between the layers.

    :param layers: weights and bias of each layer. *Shapes:* ``(kernel, in, out)`` with an odd kernel, ``(out,)``
    """

    def __init__(self, layers: list[tuple[FloatArray, FloatArray]]) -> None:
        self._layers = [(len(weight), weight.reshape(-1, weight.shape[2]), bias) for weight, bias in layers]
        self.block_bytes = 8 * max((len(weight) for _, weight, _ in self._layers), default=0)  # windows, twice

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return the output of the last layer. *Shapes:* ``(n, in)`` -> ``(n, out)``"""
        for number, (kernel, weight, bias) in enumerate(self._layers):
            check_time()
            if number:
                np.maximum(rows, 0, out=rows)
            rows = multiply(_windows(rows, kernel), weight)
            rows += bias
        return rows


def _windows(rows: FloatArray, kernel: int) -> FloatArray:
    """Return each row joined with its neighbors. *Shapes:* ``(n, c)`` -> ``(n, kernel * c)``"""
    if kernel == 1:
        return rows
    n, width = rows.shape
    padded = np.zeros((n + kernel - 1, width), dtype=rows.dtype)
    padded[kernel // 2 :][:n] = rows
    # In memory, the neighbors of a row already follow each other. So the windows are overlapping views, copied as one.
    overlapping = np.ndarray((n, kernel * width), padded.dtype, padded, strides=padded.strides)
    return np.ascontiguousarray(overlapping)


class CnnHmmLabeler(ChainLabeler[PageFeatures]):
    """A trained Web2Text model.

    :param model: a verified model folder.
    :raises ModelError: if the model was trained on other features, or a value is missing or invalid.
    """

    segmentation = TEXT_LEAVES

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        networks = model.entry("networks", dict)
        self._unary = _read_network(model, networks, "unary", BLOCK_FEATURE_NAMES, n_outputs=2)
        self._pairwise = _read_network(model, networks, "pairwise", EDGE_FEATURE_NAMES, n_outputs=4)
        self.block_bytes = max(self.block_bytes, self._unary.block_bytes, self._pairwise.block_bytes)

    def features(self, page: Page, blocks: BlockSequence) -> PageFeatures:
        """Return the paper's features of *page*."""
        return page_features(page, blocks)

    def _run(self, features: PageFeatures) -> ModelOutput:
        unary = log_softmax(self._unary(features.blocks))
        if not len(features.edges):
            return ModelOutput(unary, np.zeros((0, 2, 2)))
        return ModelOutput(unary, log_softmax(self._pairwise(features.edges)).reshape(-1, 2, 2))


def _read_network(
    model: Model, networks: dict[str, Any], part: str, feature_names: tuple[str, ...], n_outputs: int
) -> Convolutions:
    """Return one network of *model*.

    :raises ModelError: if the network was trained on other features, or its layers do not fit together.
    """
    entry = networks.get(part)
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), list) for key in ("features", "layers")):
        raise ModelError(
            f"{model.folder}: expected a network {part!r} with lists 'features' and 'layers', got {entry!r}"
        )
    if len(entry["layers"]) > MOST_LAYERS:
        raise ModelError(f"{model.folder}: expected at most {MOST_LAYERS} layers of {part}")
    model.check_features(part, entry["features"], feature_names)
    layers = []
    width = len(feature_names)
    for number, layer in enumerate(entry["layers"]):
        n_in, n_out, kernel = layer if _is_layer(layer) else (0, 0, 0)
        if n_in != width or kernel % 2 == 0 or n_out > WIDEST or kernel * n_in > _WIDEST_WINDOW:
            raise ModelError(
                f"{model.folder}: expected layer {number} of {part} to be "
                f"[{width}, outputs up to {WIDEST}, odd kernel up to {_WIDEST_WINDOW // width}], got {layer}"
            )
        weight = model.tensor(f"{part}.{number}.weight", (kernel, n_in, n_out))
        layers.append((weight, model.tensor(f"{part}.{number}.bias", (n_out,))))
        width = n_out
    if width != n_outputs:
        raise ModelError(f"{model.folder}: expected {n_outputs} outputs of {part}, got {width}")
    return Convolutions(layers)


def _is_layer(layer: Any) -> bool:
    return isinstance(layer, list) and len(layer) == 3 and all(isinstance(size, int) and size > 0 for size in layer)
