"""The network of web2text-2026 in numpy; `training/modern/network.py` is its reference in torch, which trains it.

Each block is described by dense columns and by bags of hashed words. Residual layers of dilated convolutions, with
pooling over the page and over groups of blocks, turn them into the logits of blocks and of pairs of neighbors.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import FloatArray, IntArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.modern import N_NAME_HASHES, N_WORD_HASHES, ModernFeatures
from scrapy_web2text.labelers.modern.bags import N_BAGS, embed_bags
from scrapy_web2text.labelers.numeric import multiply, shifted

__all__ = ["MAX_INPUT", "ModernNetwork", "tensor_shapes"]


MAX_INPUT: Final = 5.0
_EPSILON: Final = 1e-5


class ModernNetwork:
    """The trained network.

    :param tensors: weights by name, as `training/modern/network.py` exports them; `tensor_shapes` lists them.
    :param dilations: distance, in blocks, of the neighbors that each residual layer sees.
    :param pooled: indices of the layers that add a summary of the page to every block.
    :param grouped: indices of the layers that add to each block the mean of the blocks in its groups.
    """

    def __init__(
        self, tensors: dict[str, FloatArray], dilations: list[int], pooled: list[int], grouped: list[int]
    ) -> None:
        self._tensors = {name: tensor.astype(np.float32) for name, tensor in tensors.items()}
        self._dilations = dilations
        self._pooled = pooled
        self._grouped = grouped

    def __call__(self, features: ModernFeatures) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the logits of blocks and of pairs of neighbors, and a summary of the page.

        *Shapes:* ``(n,)``, ``(n - 1, 4)``, ``(3 * width,)``
        """
        hidden = self._input(features)
        weight = np.log1p(features.n_tokens.astype(np.float32))
        for layer, dilation in enumerate(self._dilations):
            check_time()
            hidden += self._convolve(layer, dilation, hidden)
            if layer in self._pooled:
                hidden += self._linear(f"pool.{self._pooled.index(layer)}", _summarize(hidden, weight))
            if layer in self._grouped:
                hidden += self._pool_groups(layer, hidden, features.groups)
        hidden = self._normalize("last", hidden)
        pairs = np.concatenate([hidden[:-1], hidden[1:]], axis=1)
        return self._linear("unary", hidden)[:, 0], self._linear("pairwise", pairs), _summarize(hidden, weight)[0]

    def page_types(self, summary: FloatArray) -> FloatArray:
        """Return the logits of the page types for the *summary* of a page. *Shapes:* ``(3 * width,)``, ``(types,)``"""
        logits: FloatArray = self._linear("page_type", summary[None])[0]
        return logits

    def _input(self, features: ModernFeatures) -> FloatArray:
        """Return the rows of the first layer. *Shape:* ``(n, h)``"""
        t = self._tensors
        weight = t["input.weight"]
        n_dense = features.dense.shape[1]
        check_time()
        rows = multiply(self._standardize(features.dense), weight[:n_dense])
        check_time()
        rows += multiply(embed_bags(features, t["names"], t["words"]), weight[n_dense:])
        rows += t["input.bias"]
        return _rectify(rows)

    # What these compute in between is freed at their end: together, it would take 3 kB for each block.

    def _standardize(self, dense: FloatArray) -> FloatArray:
        standardized: FloatArray = dense - self._tensors["mean"]
        standardized /= self._tensors["deviation"]
        np.clip(standardized, -MAX_INPUT, MAX_INPUT, out=standardized)
        return standardized

    def _convolve(self, layer: int, dilation: int, hidden: FloatArray) -> FloatArray:
        view = shifted(self._normalize(f"norm.{layer}", hidden), dilation)
        return self._linear(f"out.{layer}", _rectify(self._linear(f"conv.{layer}", view)))

    def _pool_groups(self, layer: int, hidden: FloatArray, groups: IntArray) -> FloatArray:
        means = np.concatenate([_group_means(hidden, group) for group in groups], axis=1)
        return self._linear(f"group.{self._grouped.index(layer)}", means)

    def _linear(self, name: str, rows: FloatArray) -> FloatArray:
        product = multiply(rows, self._tensors[f"{name}.weight"])
        product += self._tensors[f"{name}.bias"]
        return product

    def _normalize(self, name: str, rows: FloatArray) -> FloatArray:
        width = rows.shape[1]
        # `mean` takes five times as long; `multiply` says why these are not products with @.
        scaled: FloatArray = rows - (np.einsum("ij->i", rows) / np.float32(width))[:, None]
        variance = np.einsum("ij,ij->i", scaled, scaled) / width
        scaled /= np.sqrt(variance + _EPSILON)[:, None]
        scaled *= self._tensors[f"{name}.weight"]
        scaled += self._tensors[f"{name}.bias"]
        return scaled


def tensor_shapes(
    *, n_dense: int, width: int, bag_size: int, n_layers: int, n_pooled: int, n_grouped: int, n_types: int
) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor of a network by name.

    :param n_dense: number of dense columns.
    :param width: number of channels of the hidden layers.
    :param bag_size: number of columns of the embedding tables.
    :param n_types: number of page types; 0 for a network that does not tell them.
    """
    shapes: dict[str, tuple[int, ...]] = {
        "mean": (n_dense,),
        "deviation": (n_dense,),
        "names": (N_NAME_HASHES, bag_size),
        "words": (N_WORD_HASHES, bag_size),
        "last.weight": (width,),
        "last.bias": (width,),
    }
    linear = {"input": (n_dense + N_BAGS * bag_size, width), "unary": (width, 1), "pairwise": (2 * width, 4)}
    for layer in range(n_layers):
        linear |= {f"conv.{layer}": (3 * width, width), f"out.{layer}": (width, width)}
        shapes |= {f"norm.{layer}.weight": (width,), f"norm.{layer}.bias": (width,)}
    linear |= {f"pool.{number}": (3 * width, width) for number in range(n_pooled)}
    linear |= {f"group.{number}": (2 * width, width) for number in range(n_grouped)}
    if n_types:
        linear["page_type"] = (3 * width, n_types)
    for name, (n_in, n_out) in linear.items():
        shapes |= {f"{name}.weight": (n_in, n_out), f"{name}.bias": (n_out,)}
    return shapes


def _rectify(rows: FloatArray) -> FloatArray:
    """Set negative values of *rows* to 0, in place, and return it. *Shapes:* ``(n, h)``"""
    np.maximum(rows, 0, out=rows)
    return rows


def _summarize(rows: FloatArray, weight: FloatArray) -> FloatArray:
    """Return mean, weighted mean and maximum of all rows. *Shapes:* ``(n, h)``, ``(n,)`` -> ``(1, 3 * h)``"""
    shares = np.full(len(rows), 1 / len(rows), dtype=np.float32), weight / np.maximum(weight.sum(), np.float32(1e-6))
    means = (np.einsum("i,ij->j", share, rows) for share in shares)
    return np.concatenate([*means, rows.max(axis=0)])[None]


def _group_means(rows: FloatArray, groups: IntArray) -> FloatArray:
    """Return, for each row, the mean of the rows of its group. *Shapes:* ``(n, h)``, ``(n,)`` -> ``(n, h)``"""
    sizes = np.bincount(groups)
    order = np.argsort(groups, kind="stable")
    sums = np.add.reduceat(rows[order], np.cumsum(sizes) - sizes, axis=0)
    sums /= sizes.astype(np.float32)[:, None]
    means: FloatArray = sums[groups]
    return means
