"""The network of web2text-2026 in numpy; `training/modern/network.py` is its reference in torch, which trains it.

Each block is described by dense columns and by bags of hashed words. Residual layers of dilated convolutions, with
pooling over the page and over groups of blocks, turn them into the logits of blocks and of pairs of neighbors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from scrapy_web2text.arrays import FloatArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.modern import N_NAME_HASHES, N_WORD_HASHES, ModernFeatures
from scrapy_web2text.labelers.modern.bags import N_BAGS, embed_bags
from scrapy_web2text.labelers.modern.layers import (
    Groups,
    Linear,
    Residual,
    normalize,
    rectify,
    summarize,
    word_shares,
)
from scrapy_web2text.labelers.numeric import multiply
from scrapy_web2text.labelers.sums import SUMS

__all__ = ["MAX_INPUT", "ModernNetwork", "tensor_shapes"]


MAX_INPUT: Final = 5.0


class ModernNetwork:
    """The trained network: the mean of its members, which see the same input and have the same shape.

    :param tensors: weights by name, as `training/modern/network.py` exports them; `tensor_shapes` lists them.
    :param dilations: distance, in blocks, of the neighbors that each residual layer sees.
    :param pooled: indices of the layers that add a summary of the page to every block.
    :param grouped: indices of the layers that add to each block the mean of the blocks in its groups.
    """

    def __init__(
        self, tensors: dict[str, FloatArray], dilations: list[int], pooled: list[int], grouped: list[int]
    ) -> None:
        t = self._tensors = {name: tensor.astype(np.float32) for name, tensor in tensors.items()}
        shared = ("mean", "deviation", "names", "words", "page_type.weight", "page_type.bias")
        own = [name for name in t if name not in shared]
        n_members = len(t["unary.bias"])
        self._members = [
            _Member({name: t[name][number] for name in own}, dilations, pooled, grouped) for number in range(n_members)
        ]
        self._input_weight, self._input_bias = _join_inputs(t["input.weight"], t["input.bias"], len(t["mean"]))

    def __call__(self, features: ModernFeatures) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the logits of blocks and of pairs of neighbors, and a summary of the page.

        *Shapes:* ``(n,)``, ``(n - 1, 4)``, ``(members * 3 * width,)``
        """
        shares = word_shares(features.n_tokens)
        partitions = [Groups(numbers) for numbers in features.groups]
        inputs = np.split(self._read(features), len(self._members), axis=1)
        logits, pairs, summaries = self._members[0](inputs[0], shares, partitions)
        every = [summaries]
        for member, rows in zip(self._members[1:], inputs[1:], strict=True):
            more_logits, more_pairs, summary = member(rows, shares, partitions)
            logits += more_logits
            pairs += more_pairs
            every.append(summary)
        factor = np.float32(1 / len(self._members))
        logits *= factor
        pairs *= factor
        return logits, pairs, np.concatenate(every)

    def page_types(self, summary: FloatArray) -> FloatArray:
        """Return the logits of the page types for the *summary* of a page. *Shapes:* ``(3 * width,)``, ``(types,)``"""
        logits: FloatArray = Linear(self._tensors, "page_type")(summary[None])[0]
        return logits

    def _read(self, features: ModernFeatures) -> FloatArray:
        """Return the rows of the first layer of all members, side by side. *Shape:* ``(n, members * h)``"""
        t, weight = self._tensors, self._input_weight
        n_dense = features.dense.shape[1]
        check_time()
        rows = multiply(SUMS.standardize(features.dense, t["mean"], t["deviation"], MAX_INPUT), weight[:n_dense])
        check_time()
        of_blocks, of_page = embed_bags(features, t["names"], t["words"])
        stop = n_dense + of_blocks.shape[1]
        rows += multiply(of_blocks, weight[n_dense:stop])
        rows += multiply(of_page[None], weight[stop:]) + self._input_bias
        return rectify(rows)


def _join_inputs(weights: FloatArray, biases: FloatArray, n_dense: int) -> tuple[FloatArray, FloatArray]:
    """Return the weights and biases of one linear layer for the inputs of all members.

    Its input has the dense columns once, then, for each bag, the embeddings of all members.

    *Shapes:* ``(members, F + bags * e, h)``, ``(members, h)`` -> ``(F + bags * members * e, members * h)``,
    ``(members * h,)``
    """
    n_members, n_inputs, width = weights.shape
    size = (n_inputs - n_dense) // N_BAGS
    of_bags = np.zeros((N_BAGS, n_members, size, n_members, width), dtype=weights.dtype)
    for number, weight in enumerate(weights):
        of_bags[:, number, :, number] = weight[n_dense:].reshape(N_BAGS, size, width)
    of_dense = np.concatenate([*weights[:, :n_dense]], axis=1)
    return np.concatenate([of_dense, of_bags.reshape(-1, n_members * width)]), biases.ravel()


class _Member:
    """One member of the network, from the rows of its first layer on; the parameters are those of `ModernNetwork`."""

    def __init__(
        self, tensors: dict[str, FloatArray], dilations: list[int], pooled: list[int], grouped: list[int]
    ) -> None:
        t = self._tensors = tensors
        self._layers = [Residual(t, number, dilation) for number, dilation in enumerate(dilations)]
        self._pools = {layer: Linear(t, f"pool.{number}") for number, layer in enumerate(pooled)}
        self._groups = {layer: Linear(t, f"group.{number}") for number, layer in enumerate(grouped)}
        # One product in place of two, without a copy of each row beside the next.
        ends = np.split(t["pairwise.weight"], 2)
        self._outputs = np.ascontiguousarray(np.concatenate([t["unary.weight"], *ends], axis=1))

    def __call__(
        self, rows: FloatArray, shares: FloatArray, partitions: Sequence[Groups]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the logits of blocks and of pairs of neighbors, and a summary of the page.

        :param shares: the result of `word_shares`.
        :param partitions: groups of blocks in the same place of the template.

        *Shapes:* ``(n, h)`` -> ``(n,)``, ``(n - 1, 4)``, ``(3 * h,)``
        """
        t = self._tensors
        hidden = np.ascontiguousarray(rows)
        joined = np.empty((len(hidden), 3 * hidden.shape[1]), dtype=np.float32)
        for number, layer in enumerate(self._layers):
            check_time()
            hidden += layer(hidden, joined)
            if number in self._pools:
                hidden += self._pools[number](summarize(hidden, shares))
            if number in self._groups:
                _add_groups(self._groups[number], partitions, hidden)
        hidden = normalize(hidden, t["last.weight"], t["last.bias"])
        logits, first, second = np.split(multiply(hidden, self._outputs), (1, 5), axis=1)
        pairs = first[:-1] + second[1:]
        pairs += t["pairwise.bias"]
        return logits[:, 0] + t["unary.bias"], pairs, summarize(hidden, shares)[0]


def _add_groups(layer: Linear, partitions: Sequence[Groups], rows: FloatArray) -> None:
    """Add to each of *rows* the output of *layer* for the means of its groups. *Shape:* ``(n, h)``"""
    # Products with the groups, which are fewer than the blocks.
    means = [groups.means(rows) for groups in partitions]
    for groups, mean, weight in zip(partitions, means, np.split(layer.weight, len(partitions)), strict=True):
        rows += groups.spread(multiply(mean, weight))
    rows += layer.bias


def tensor_shapes(
    *,
    n_dense: int,
    n_members: int,
    width: int,
    bag_size: int,
    n_layers: int,
    n_pooled: int,
    n_grouped: int,
    n_types: int,
) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor of a network by name.

    :param n_dense: number of dense columns.
    :param n_members: number of networks whose outputs are averaged.
    :param width: number of channels of the hidden layers of a member.
    :param bag_size: number of columns of the embedding tables for each member.
    :param n_types: number of page types; 0 for a network that does not tell them.
    """
    shapes: dict[str, tuple[int, ...]] = {
        "mean": (n_dense,),
        "deviation": (n_dense,),
        "names": (N_NAME_HASHES, n_members * bag_size),
        "words": (N_WORD_HASHES, n_members * bag_size),
    }
    if n_types:
        shapes |= {"page_type.weight": (n_members * 3 * width, n_types), "page_type.bias": (n_types,)}
    norms = ["last", *(f"norm.{layer}" for layer in range(n_layers))]
    linear = {"input": (n_dense + N_BAGS * bag_size, width), "unary": (width, 1), "pairwise": (2 * width, 4)}
    for layer in range(n_layers):
        linear |= {f"conv.{layer}": (3 * width, width), f"out.{layer}": (width, width)}
    linear |= {f"pool.{number}": (3 * width, width) for number in range(n_pooled)}
    linear |= {f"group.{number}": (2 * width, width) for number in range(n_grouped)}
    for name in norms:
        shapes |= {f"{name}.weight": (n_members, width), f"{name}.bias": (n_members, width)}
    for name, (n_in, n_out) in linear.items():
        shapes |= {f"{name}.weight": (n_members, n_in, n_out), f"{name}.bias": (n_members, n_out)}
    return shapes
