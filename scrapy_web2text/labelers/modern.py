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

from scrapy_web2text.arrays import DoubleArray, FloatArray, IntArray
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.features.modern import (
    MODERN_FEATURE_NAMES,
    N_NAME_HASHES,
    N_WORD_HASHES,
    ModernFeatures,
    modern_features,
    read_hints,
)
from scrapy_web2text.labelers.base import Labelling
from scrapy_web2text.labelers.chain import ChainLabeler
from scrapy_web2text.labelers.confidence import CONFIDENCE_STATISTICS, confidence_statistics, or_nothing, predict_f1
from scrapy_web2text.labelers.numeric import multiply, shifted
from scrapy_web2text.labelers.repeats import drop_repeats
from scrapy_web2text.labelers.weights import Model
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence

__all__ = ["ModernLabeler", "ModernNetwork"]


N_BAGS: Final = 6
_LARGEST_INPUT: Final = 5.0
_TINY: Final = 1e-5


class ModernNetwork:
    """The trained network.

    :param tensors: weights by name, as `training/modern/network.py` exports them.
    :param dilations: distance of the neighbours that each residual layer sees.
    :param pooled: layers behind which a summary of the page is added to every block.
    :param grouped: layers behind which the mean of the blocks in the same slot is added to each of them.
    """

    def __init__(
        self, tensors: dict[str, FloatArray], dilations: list[int], pooled: list[int], grouped: list[int]
    ) -> None:
        self._tensors = {name: tensor.astype(np.float32) for name, tensor in tensors.items()}
        self._dilations = dilations
        self._pooled = pooled
        self._grouped = grouped

    def __call__(self, features: ModernFeatures) -> tuple[FloatArray, FloatArray]:
        """Return the logits of blocks and pairs of neighbours. *Shapes:* ``(n,)``, ``(n - 1, 4)``"""
        hidden = self._input(features)
        weight = np.log1p(features.n_tokens.astype(np.float32))
        for layer, dilation in enumerate(self._dilations):
            view = shifted(self._normalise(f"norm.{layer}", hidden), dilation)
            hidden += self._linear(f"out.{layer}", _rectify(self._linear(f"conv.{layer}", view)))
            if layer in self._pooled:
                hidden += self._linear(f"pool.{self._pooled.index(layer)}", _summary(hidden, weight))
            if layer in self._grouped:
                means = np.concatenate([_group_means(hidden, groups) for groups in features.groups], axis=1)
                hidden += self._linear(f"group.{self._grouped.index(layer)}", means)
        hidden = self._normalise("last", hidden)
        pairs = np.concatenate([hidden[:-1], hidden[1:]], axis=1)
        return self._linear("unary", hidden)[:, 0], self._linear("pairwise", pairs)

    def _input(self, features: ModernFeatures) -> FloatArray:
        """Return the first layer's rows. *Shape:* ``(n, h)``"""
        t = self._tensors
        dense = features.dense - t["mean"]
        dense /= t["deviation"]
        np.clip(dense, -_LARGEST_INPUT, _LARGEST_INPUT, out=dense)
        weight = t["input.weight"]
        n_dense = dense.shape[1]
        rows = multiply(dense, weight[:n_dense])
        rows += multiply(self._bags(features), weight[n_dense:])
        rows += t["input.bias"]
        return _rectify(rows)

    def _linear(self, name: str, rows: FloatArray) -> FloatArray:
        product = multiply(rows, self._tensors[f"{name}.weight"])
        product += self._tensors[f"{name}.bias"]
        return product

    def _normalise(self, name: str, rows: FloatArray) -> FloatArray:
        width = rows.shape[1]
        # Means as products with a vector: a fifth of the time of `mean`.
        scaled = rows - (rows @ np.full(width, 1 / width, dtype=np.float32))[:, None]
        variance = np.einsum("ij,ij->i", scaled, scaled) / width
        scaled /= np.sqrt(variance + _TINY)[:, None]
        scaled *= self._tensors[f"{name}.weight"]
        scaled += self._tensors[f"{name}.bias"]
        return scaled

    def _bags(self, features: ModernFeatures) -> FloatArray:
        """Return the embeddings of the bags of words around each block. *Shape:* ``(n, 6 * d)``"""
        names = _bag_sums(self._tensors["names"], features.names, features.n_names)
        steps = np.zeros((2 * len(names), names.shape[1]), dtype=np.float64)
        steps[features.open_slots] = names
        steps[features.close_slots] = -names
        np.cumsum(steps, axis=0, out=steps)  # in place: new memory costs more than the sums
        paths = steps[features.open_slots[features.owners]].astype(np.float32)
        near = names[features.owners]
        inner = features.owners != features.containers
        near[inner] += names[features.containers[inner]]
        words = _means(_bag_sums(self._tensors["words"], features.words, features.n_words))
        headings = np.where(features.headings[:, None] >= 0, words[features.headings], np.float32(0))
        title = self._page_bag("words", features.title_words)
        kinds = self._page_bag("names", features.page_names)
        of_page = np.broadcast_to(np.concatenate([title, kinds]), (len(words), 2 * len(title)))
        return np.concatenate([_means(near), _per_root(paths - near), words, headings, of_page], axis=1)

    def _page_bag(self, table: str, numbers: IntArray) -> FloatArray:
        """Return the mean of the rows that a bag names. *Shapes:* ``(b,)`` -> ``(d,)``"""
        means = _means(_bag_sums(self._tensors[table], numbers, np.array([len(numbers)])))
        bag: FloatArray = means[0]
        return bag


def _rectify(rows: FloatArray) -> FloatArray:
    """Return *rows*, changed in place: 0 where they were below it."""
    np.maximum(rows, 0, out=rows)
    return rows


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


def _per_root(sums: FloatArray) -> FloatArray:
    """Return the sum of each bag by the root of its size. *Shapes:* ``(n, d + 1)`` -> ``(n, d)``"""
    scaled: FloatArray = sums[:, :-1] / np.sqrt(np.maximum(np.rint(sums[:, -1:]), np.float32(1)))
    return scaled


def _means(sums: FloatArray) -> FloatArray:
    """Return the mean of each bag, zeros for an empty one. *Shapes:* ``(n, d + 1)`` -> ``(n, d)``"""
    means: FloatArray = sums[:, :-1] / np.maximum(np.rint(sums[:, -1:]), np.float32(1))
    return means


def _summary(rows: FloatArray, weight: FloatArray) -> FloatArray:
    """Return mean, mean by weight, and maximum of all rows. *Shapes:* ``(n, h)``, ``(n,)`` -> ``(1, 3 * h)``"""
    shares = np.full(len(rows), 1 / len(rows), dtype=np.float32), weight / np.maximum(weight.sum(), np.float32(1e-6))
    return np.concatenate([*(share @ rows for share in shares), rows.max(axis=0)])[None]


def _group_means(rows: FloatArray, groups: IntArray) -> FloatArray:
    """Return, for each row, the mean of the rows of its group. *Shapes:* ``(n, h)``, ``(n,)`` -> ``(n, h)``"""
    sizes = np.bincount(groups)
    order = np.argsort(groups, kind="stable")
    sums = np.add.reduceat(rows[order], np.cumsum(sizes) - sizes, axis=0)
    sums /= sizes.astype(np.float32)[:, None]
    means: FloatArray = sums[groups]
    return means


class ModernLabeler(ChainLabeler[ModernFeatures]):
    """A trained model of the kind ``modern``.

    :param model: a verified model folder.
    :raises ModelError: if the model was made for other features or lacks a value.
    """

    segmentation = MODERN_BLOCKS

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        if model.entry("features", list) != list(MODERN_FEATURE_NAMES):
            raise ModelError(f"{model.folder}: the network was trained on other features than this release computes")
        dilations, pooled, grouped = (model.entry(key, list) for key in ("dilations", "pooled", "grouped"))
        _check_tensors(model, len(dilations), len(pooled), len(grouped))
        self._confidence = _confidence_weights(model)
        self._network = ModernNetwork(model.tensors, dilations, pooled, grouped)

    def features(self, page: Page, blocks: BlockSequence) -> ModernFeatures:
        """Return the modern features of *page*."""
        return modern_features(page, blocks, read_hints(page.elements[0].getroottree().getroot()))

    def _finish(self, page: Page, features: ModernFeatures, labelling: Labelling) -> Labelling:
        """Return *labelling* without copies, and with the confidence that experience gives it.

        Content that only repeats content above it is dropped. If so little is selected that an empty answer has the
        better expected word F1, nothing is: shells and walls have no main content.
        """
        n_tokens, probabilities = labelling.n_tokens, labelling.probabilities
        assert probabilities is not None  # noqa: S101 - a chain always has some
        labels = drop_repeats(page, labelling.blocks, labelling.labels, n_tokens, features.has_copies)
        labels = or_nothing(labels, probabilities, n_tokens)
        confidence = predict_f1(confidence_statistics(labels, probabilities, n_tokens), self._confidence)
        return replace(labelling, labels=labels, confidence=confidence)

    def _log_potentials(self, features: ModernFeatures) -> tuple[DoubleArray, DoubleArray]:
        logits, pairs = self._network(features)
        unary = np.stack([np.zeros(len(logits)), logits], axis=1, dtype=np.float64)
        return unary, pairs.astype(np.float64).reshape(-1, 2, 2)


def _confidence_weights(model: Model) -> dict[str, float]:
    weights: dict[str, float] = model.entry("confidence", dict)
    for name in CONFIDENCE_STATISTICS:
        if not isinstance(weights.get(name), int | float):
            raise ModelError(f"{model.folder}: expected confidence.{name} to be a number, got {weights.get(name)!r}")
    return weights


def _check_tensors(model: Model, n_layers: int, n_pooled: int, n_grouped: int) -> None:
    """Raise ModelError unless all tensors of *model* are there and fit to each other."""
    width, size = (model.tensors[name].shape[1] if name in model.tensors else 0 for name in ("conv.0.weight", "names"))
    n_dense = len(MODERN_FEATURE_NAMES)
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
    linear |= {f"group.{number}": (2 * width, width) for number in range(n_grouped)}
    for name, (n_in, n_out) in linear.items():
        shapes |= {f"{name}.weight": (n_in, n_out), f"{name}.bias": (n_out,)}
    for name, shape in shapes.items():
        model.tensor(name, shape)
