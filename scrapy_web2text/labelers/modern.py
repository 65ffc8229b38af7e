"""web2text-2026: the paper's CNN potentials and HMM over the blocks that a reader sees, with a wider view.

Each block is described by dense columns and by bags of hashed words: of the names (class, id, role, …) of its own and
of the enclosing elements, of its text, of the heading above it and of the page's title. A dilated residual CNN with
page pooling turns them into unary and pairwise potentials of a linear chain, which `hmm.py` decodes. The network is run
with numpy; its reference, which trains it, is `training/modern/network.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrapy_web2text.blocks import MODERN_BLOCKS, BlockSequence
from scrapy_web2text.confidence import expected_f1
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.features.modern import (
    N_NAME_HASHES,
    N_WORD_HASHES,
    ModernFeatures,
    modern_feature_names,
    modern_features,
)
from scrapy_web2text.labelers.base import UNLIMITED, Budget, Labelling
from scrapy_web2text.labelers.chain import ChainLabeler
from scrapy_web2text.labelers.numeric import multiply, shifted
from scrapy_web2text.labelers.repeats import drop_repeats
from scrapy_web2text.options import Decoder
from scrapy_web2text.page import Page
from scrapy_web2text.title import find_title
from scrapy_web2text.weights import Model

__all__ = ["ModernLabeler", "ModernNetwork"]

FloatArray = NDArray[np.float32]
DoubleArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

N_BAGS: Final = 5
_LARGEST_INPUT: Final = 5.0
_TINY: Final = 1e-5


class ModernNetwork:
    """The trained network.

    :param tensors: weights by name, as `training/modern/network.py` exports them.
    :param dilations: distance of the neighbours that each residual layer sees.
    :param pooled: layers behind which a summary of the page is added to every block.
    """

    def __init__(self, tensors: dict[str, FloatArray], dilations: list[int], pooled: list[int]) -> None:
        self._tensors = {name: tensor.astype(np.float32) for name, tensor in tensors.items()}
        self._dilations = dilations
        self._pooled = pooled

    def __call__(self, features: ModernFeatures) -> tuple[FloatArray, FloatArray]:
        """Return the logits of blocks and pairs of neighbours. *Shapes:* ``(n,)``, ``(n - 1, 4)``"""
        t = self._tensors
        dense = np.clip((features.dense - t["mean"]) / t["deviation"], -_LARGEST_INPUT, _LARGEST_INPUT)
        hidden = np.maximum(self._linear("input", np.concatenate([dense, self._bags(features)], axis=1)), 0)
        weight = np.log1p(features.n_tokens.astype(np.float32))[:, None]
        for layer, dilation in enumerate(self._dilations):
            view = shifted(self._normalise(f"norm.{layer}", hidden), dilation)
            hidden = hidden + self._linear(f"out.{layer}", np.maximum(self._linear(f"conv.{layer}", view), 0))
            if layer in self._pooled:
                hidden = hidden + self._linear(f"pool.{self._pooled.index(layer)}", _summary(hidden, weight))
        hidden = self._normalise("last", hidden)
        pairs = np.concatenate([hidden[:-1], hidden[1:]], axis=1)
        return self._linear("unary", hidden)[:, 0], self._linear("pairwise", pairs)

    def _linear(self, name: str, rows: FloatArray) -> FloatArray:
        return multiply(rows, self._tensors[f"{name}.weight"]) + self._tensors[f"{name}.bias"]

    def _normalise(self, name: str, rows: FloatArray) -> FloatArray:
        centred = rows - rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", centred, centred)[:, None] / rows.shape[1]
        scaled: FloatArray = centred / np.sqrt(variance + _TINY) * self._tensors[f"{name}.weight"]
        return scaled + self._tensors[f"{name}.bias"]

    def _bags(self, features: ModernFeatures) -> FloatArray:
        """Return the mean embeddings of the words around each block. *Shape:* ``(n, 5 * d)``"""
        names = _bag_sums(self._tensors["names"], features.names, features.n_names)
        steps = np.zeros((2 * len(names), names.shape[1]), dtype=np.float64)
        steps[features.open_slots] = names
        steps[features.close_slots] = -names
        paths = np.cumsum(steps, axis=0)[features.open_slots[features.owners]].astype(np.float32)
        near = names[features.owners]
        inner = features.owners != features.containers
        near[inner] += names[features.containers[inner]]
        words = _means(_bag_sums(self._tensors["words"], features.words, features.n_words))
        headings = np.where(features.headings[:, None] >= 0, words[features.headings], np.float32(0))
        n_title = np.array([len(features.title_words)])
        title = _means(_bag_sums(self._tensors["words"], features.title_words, n_title))
        titles = np.broadcast_to(title, (len(words), title.shape[1]))
        return np.concatenate([_means(near), _means(paths - near), words, headings, titles], axis=1)


def _bag_sums(table: FloatArray, numbers: IntArray, counts: IntArray) -> FloatArray:
    """Return the sum of the rows that each bag names, and behind it their number.

    *Shapes:* table ``(w, d)``, numbers ``(b,)``, counts ``(n,)`` -> ``(n, d + 1)``
    """
    sums = np.zeros((len(counts), table.shape[1] + 1), dtype=np.float32)
    filled = np.flatnonzero(counts)
    if len(filled):
        starts = (np.cumsum(counts) - counts)[filled]
        sums[filled, :-1] = np.add.reduceat(table.take(numbers, axis=0), starts, axis=0)
        sums[filled, -1] = counts[filled]
    return sums


def _means(sums: FloatArray) -> FloatArray:
    """Return the mean of each bag, zeros for an empty one. *Shapes:* ``(n, d + 1)`` -> ``(n, d)``"""
    means: FloatArray = sums[:, :-1] / np.maximum(np.rint(sums[:, -1:]), np.float32(1))
    return means


def _summary(rows: FloatArray, weight: FloatArray) -> FloatArray:
    """Return mean, mean by weight, and maximum of all rows. *Shapes:* ``(n, h)``, ``(n, 1)`` -> ``(1, 3 * h)``"""
    weighted = (rows * weight).sum(axis=0) / np.maximum(weight.sum(), 1e-6)
    return np.concatenate([rows.mean(axis=0), weighted, rows.max(axis=0)])[None]


class ModernLabeler(ChainLabeler[ModernFeatures]):
    """A trained model of the kind ``modern``.

    :param model: a verified model folder.
    :raises ModelError: if the model was made for other features or lacks a value.
    """

    segmentation = MODERN_BLOCKS

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        if model.entry("features", list) != list(modern_feature_names()):
            raise ModelError(f"{model.folder}: the network was trained on other features than this release computes")
        dilations, pooled = model.entry("dilations", list), model.entry("pooled", list)
        _check_tensors(model, len(dilations), len(pooled))
        self._network = ModernNetwork(model.tensors, dilations, pooled)

    def features(self, page: Page, blocks: BlockSequence) -> ModernFeatures:
        """Return the modern features of *page*."""
        return modern_features(page, blocks, find_title(page.elements[0].getroottree().getroot()))

    def label(
        self, page: Page, *, threshold: float | None = None, decoder: Decoder | None = None, budget: Budget = UNLIMITED
    ) -> Labelling:
        """Return the labels of the blocks of *page*.

        Content that only repeats content above it is dropped. If so little is selected that an empty answer has the
        better expected word F1, nothing is: shells and walls have no main content.
        """
        labelling = super().label(page, threshold=threshold, decoder=decoder, budget=budget)
        labels, probabilities, n_tokens = labelling.labels, labelling.probabilities, labelling.n_tokens
        if probabilities is None or not labels.any():
            return labelling
        budget.check_time()
        labels = drop_repeats(page, labelling.blocks, labels, n_tokens)
        nothing = np.zeros_like(labels)
        if expected_f1(nothing, probabilities, n_tokens) > expected_f1(labels, probabilities, n_tokens):
            labels = nothing
        return replace(labelling, labels=labels)

    def _log_potentials(self, features: ModernFeatures) -> tuple[DoubleArray, DoubleArray]:
        logits, pairs = self._network(features)
        unary = np.stack([np.zeros(len(logits)), logits], axis=1, dtype=np.float64)
        return unary, pairs.astype(np.float64).reshape(-1, 2, 2)


def _check_tensors(model: Model, n_layers: int, n_pooled: int) -> None:
    """Raise ModelError unless all tensors of *model* are there and fit to each other."""
    width, size = (model.tensors[name].shape[1] if name in model.tensors else 0 for name in ("conv.0.weight", "names"))
    n_dense = len(modern_feature_names())
    shapes: dict[str, tuple[int, ...]] = {
        "mean": (n_dense,),
        "deviation": (n_dense,),
        "names": (N_NAME_HASHES, size),
        "words": (N_WORD_HASHES, size),
        "last.weight": (width,),
        "last.bias": (width,),
    }
    linear = {"input": (n_dense + N_BAGS * size, width), "unary": (width, 1), "pairwise": (2 * width, 4)}
    for layer in range(n_layers):
        linear |= {f"conv.{layer}": (3 * width, width), f"out.{layer}": (width, width)}
        shapes |= {f"norm.{layer}.weight": (width,), f"norm.{layer}.bias": (width,)}
    linear |= {f"pool.{number}": (3 * width, width) for number in range(n_pooled)}
    for name, (n_in, n_out) in linear.items():
        shapes |= {f"{name}.weight": (n_in, n_out), f"{name}.bias": (n_out,)}
    for name, shape in shapes.items():
        model.tensor(name, shape)
