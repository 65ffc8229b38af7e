"""The network of web2text-2026 in numpy. `training/modern/network.py` defines and trains the same network in torch.

Each block is described by dense columns and by bags of hashed words. Residual layers of dilated convolutions, with
pooling over the page and over groups of blocks, turn them into the logits of blocks and of pairs of neighbors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import FloatArray, IntArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.features.hashing import N_WORD_HASHES
from scrapy_web2text.features.modern.page import ModernFeatures
from scrapy_web2text.labelers import sums
from scrapy_web2text.labelers.modern.layers import (
    N_BAGS,
    Linear,
    Residual,
    embed_bags,
    join_networks,
    summarize,
    word_shares,
)
from scrapy_web2text.labelers.numeric import multiply
from scrapy_web2text.page.reader import N_NAME_HASHES

MAX_INPUT: Final = 5.0
LARGEST_DILATION: Final = 1024  # blocks


class NetworkOutput(NamedTuple):
    """The output of the network for a page of n blocks.

    :param logits: log-odds of CONTENT of each block. *Shape:* ``(n,)``
    :param pairs: logits of each pair of neighbors. *Shape:* ``(n - 1, 4)``
    :param summary: summary of the page, from which its type is predicted. *Shape:* ``(3 * members * width,)``
    :param rows: standardized columns, bags and last layer of each block, from which its role is predicted.
        *Shapes:* ``(n, columns)``, ``(n, 4 * d)``, ``(n, members * width)``
    """

    logits: FloatArray
    pairs: FloatArray
    summary: FloatArray
    rows: tuple[FloatArray, FloatArray, FloatArray]


class ModernNetwork:
    """The trained network: the mean of its members, which see the same input and have the same shape.

    The members work side by side, as one network without weights between them.

    :param tensors: weights by name, as `training/modern/network.py` exports them; `tensor_shapes` lists them.
    :param dilations: distance, in blocks, of the neighbors that each residual layer sees.
    :param pooled: indices of the layers that add a summary of the page to every block.
    :param grouped: indices of the layers that add to each block the mean of the blocks in its groups.
    """

    def __init__(
        self, tensors: dict[str, FloatArray], dilations: list[int], pooled: list[int], grouped: list[int]
    ) -> None:
        t = self._tensors = {name: np.ascontiguousarray(tensor, np.float32) for name, tensor in tensors.items()}
        self._layers = [Residual(t, number, dilation) for number, dilation in enumerate(dilations)]
        self._pools = {layer: _join(t, f"pool.{number}", 3) for number, layer in enumerate(pooled)}
        self._groups = {layer: _join(t, f"group.{number}", 2) for number, layer in enumerate(grouped)}
        n_dense = len(t["mean"])
        weights, biases = t["input.weight"], t["input.bias"]
        self._dense = np.concatenate([*weights[:, :n_dense]], axis=1)
        self._bags = join_networks(np.ascontiguousarray(weights[:, n_dense:]), biases, N_BAGS)
        # A pair of blocks needs one product of each row, in place of a product of each row joined with the next. The
        # weights are divided by the number of members, so that sums over the members are means.
        n_members, width, _ = t["unary.weight"].shape
        ends = t["pairwise.weight"].reshape(n_members, 2, width, 4).swapaxes(0, 1).reshape(2, n_members * width, 4)
        outputs = np.concatenate([t["unary.weight"].reshape(-1, 1), *ends], axis=1)
        outputs /= n_members
        self._outputs: FloatArray = np.ascontiguousarray(outputs)
        self._unary_bias, self._pairwise_bias = t["unary.bias"].mean(), t["pairwise.bias"].mean(axis=0)

    def __call__(self, features: ModernFeatures) -> NetworkOutput:
        """Return the output for the *features* of a page."""
        t = self._tensors
        hidden, inputs = self._input(features)
        shares = word_shares(features.n_tokens)
        joined = np.empty((len(hidden), 3 * hidden.shape[1]), dtype=np.float32)
        for number, layer in enumerate(self._layers):
            check_time()
            hidden += layer(hidden, joined)
            if number in self._pools:
                hidden += self._pools[number](summarize(hidden, shares))
            if number in self._groups:
                _add_groups(self._groups[number], np.ascontiguousarray(features.groups), hidden)
        sums.normalize(hidden, t["last.weight"], t["last.bias"])
        outputs = multiply(hidden, self._outputs)
        pairs = outputs[:-1, 1:5] + outputs[1:, 5:]
        pairs += self._pairwise_bias
        summary = summarize(hidden, shares)[0]
        return NetworkOutput(outputs[:, 0] + self._unary_bias, pairs, summary, (*inputs, hidden))

    def page_type(self, summary: FloatArray, names: Sequence[str]) -> tuple[str, float]:
        """Return the most likely page type for the *summary* of a page, and its probability.

        :param summary: *Shape:* ``(3 * width,)``, of all members side by side
        """
        t = self._tensors
        logits = Linear(t["page_type.weight"], t["page_type.bias"])(summary[None])[0].astype(np.float64)
        best = int(logits.argmax())
        return names[best], float(1 / np.exp(logits - logits[best]).sum())

    def _input(self, features: ModernFeatures) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
        """Return the rows of the first layer of all members, side by side, and the columns and bags they come from.

        *Shapes:* ``(n, members * h)``, ``(n, F)``, ``(n, 4 * d)``
        """
        t, bags = self._tensors, self._bags
        check_time()
        dense = sums.standardize(np.ascontiguousarray(features.dense), t["mean"], t["deviation"], MAX_INPUT)
        rows = multiply(dense, self._dense)
        check_time()
        of_blocks, of_page = embed_bags(features, t["names"], t["words"])
        stop = of_blocks.shape[1]
        rows += multiply(of_blocks, bags.weight[:stop])
        rows += multiply(of_page[None], bags.weight[stop:]) + bags.bias
        return np.maximum(rows, np.float32(0), out=rows), (dense, of_blocks)


def _join(tensors: Mapping[str, FloatArray], name: str, n_parts: int) -> Linear:
    return join_networks(tensors[f"{name}.weight"], tensors[f"{name}.bias"], n_parts)


def _add_groups(layer: Linear, groups: IntArray, rows: FloatArray) -> None:
    """Add to each of *rows* the output of *layer* for the means of its groups. *Shapes:* ``(2, n)``, ``(n, h)``"""
    # The means of the groups are multiplied, not their copies for each block: there are fewer groups than blocks.
    means, weights = sums.average_groups(rows, groups), layer.weight.reshape(2, -1, rows.shape[1])
    for numbers, *parts in zip(groups, means, weights, strict=True):
        rows += multiply(*parts).take(numbers, axis=0)
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
    :param n_types: number of page types; 0 for a network that does not predict page types.
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
