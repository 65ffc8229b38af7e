"""The layers of the network of web2text-2026, and its embeddings of bags of hashed words.

A layer is a function of one row of hidden values for each block. A bag is a run of rows of an embedding table: the
names of elements, the text of a block, its heading, the title of the page. Bags are summed, added and subtracted, and
then divided by their size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import FloatArray, IntArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.features.modern.page import ModernFeatures
from scrapy_web2text.labelers import sums
from scrapy_web2text.labelers.numeric import multiply, multiply_each

N_BAGS: Final = 6


class Linear:
    """A linear layer: ``rows @ weight + bias``. *Shapes:* weight ``(k, m)``, bias ``(m,)``"""

    def __init__(self, weight: FloatArray, bias: FloatArray) -> None:
        self.weight = np.ascontiguousarray(weight)
        self.bias = bias

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return the output. *Shapes:* ``(n, k)`` -> ``(n, m)``"""
        product = multiply(rows, self.weight)
        product += self.bias
        return product


def join_networks(weights: FloatArray, biases: FloatArray, n_parts: int) -> Linear:
    """Return the linear layers of several networks as one, for their rows side by side.

    The input of each network has parts, such as a block and its two neighbors. The joined input has the first part of
    each network, then the second part of each, and so on. No weight leads from one network to another; these places
    are zeros. With few inputs or rows, the zeros cost less than a product for each network.

    *Shapes:* ``(members, parts * k, h)``, ``(members, h)``
    """
    n_members, n_inputs, width = weights.shape
    size = n_inputs // n_parts
    joined = np.zeros((n_parts, n_members, size, n_members, width), dtype=weights.dtype)
    for number, weight in enumerate(weights):
        joined[:, number, :, number] = weight.reshape(n_parts, size, width)
    return Linear(joined.reshape(n_parts * n_members * size, n_members * width), biases.ravel())


class Residual:
    """A layer that sees each block with two of its neighbors, and returns the values to add to the block.

    It normalizes the rows of each member, joins each block with the blocks *dilation* away, and applies two linear
    layers. When the model is loaded, the normalization becomes part of the first linear layer. Only the division by the
    deviation of a row is left.

    :param tensors: tensors by name. The layer reads ``norm.<number>``, ``conv.<number>`` and ``out.<number>``, whose
        first axis numbers the members.
    """

    def __init__(self, tensors: Mapping[str, FloatArray], number: int, dilation: int) -> None:
        scale, shift = tensors[f"norm.{number}.weight"], tensors[f"norm.{number}.bias"]
        n_members, width = scale.shape
        self._dilation = dilation
        weights = tensors[f"conv.{number}.weight"].reshape(n_members, 3, width, -1)
        of_shift = (weights * shift[:, None, :, None]).sum(axis=2)
        weights = weights * scale[:, None, :, None]
        weights -= weights.mean(axis=2, keepdims=True)  # in place of the subtraction of each row's mean
        biases = tensors[f"conv.{number}.bias"] + of_shift.sum(axis=1)
        self._inner, self._inner_bias = weights.reshape(n_members, 3 * width, -1), biases.ravel()
        self._outer, self._outer_bias = tensors[f"out.{number}.weight"], tensors[f"out.{number}.bias"].ravel()
        # The rows near both ends lack a neighbor. In its place are zeros, which are not normalized, so the share of the
        # shift for the neighbor is subtracted from these rows.
        self._of_first, _, self._of_last = (np.ascontiguousarray(part).ravel() for part in of_shift.swapaxes(0, 1))

    def __call__(self, rows: FloatArray, joined: FloatArray) -> FloatArray:
        """Return the output. *Shapes:* ``(n, h)`` -> ``(n, h)``, where h is the width of all members together

        :param joined: memory for the rows of each member and their neighbors. *Shape:* ``(n, 3 * h)``
        """
        steps = min(self._dilation, len(rows))
        sums.join_neighbors(rows, len(self._inner), steps, joined)
        inner = multiply_each(joined, self._inner)
        rectified = sums.rectify_sums(inner, self._inner_bias, self._of_first, self._of_last, steps)
        outer = multiply_each(rectified, self._outer)
        outer += self._outer_bias
        return outer


def word_shares(n_tokens: IntArray) -> FloatArray:
    """Return the share of each block in the blocks, and in the sum of the logarithms of words. *Shape:* ``(2, n)``

    :param n_tokens: number of words of each block. *Shape:* ``(n,)``
    """
    shares = np.empty((2, len(n_tokens)), dtype=np.float32)
    shares[0] = 1 / len(n_tokens)
    np.log1p(n_tokens, out=shares[1], dtype=np.float32, casting="unsafe")
    shares[1] /= np.maximum(shares[1].sum(), np.float32(1e-6))
    return shares


def summarize(rows: FloatArray, shares: FloatArray) -> FloatArray:
    """Return mean, weighted mean and maximum of all rows. *Shapes:* ``(n, h)``, ``(2, n)`` -> ``(1, 3 * h)``"""
    return np.concatenate([multiply(shares, rows).ravel(), rows.max(axis=0)])[None]


def embed_bags(
    features: ModernFeatures, name_table: FloatArray, word_table: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the embeddings of the four bags that describe each block, and of the two that describe the page.

    The bags of a block hold the names of its own elements, the names of the elements around them, its words, and the
    words of the heading above it. The bags of the page hold the words of its title, and its own names.

    *Shapes:* tables ``(number of hashes, d)`` -> ``(n, 4 * d)``, ``(2 * d,)``
    """
    check_time()
    of_blocks: FloatArray = sums.embed_blocks(features, name_table, word_table)
    check_time()
    title, of_page = (
        _mean(table, bag) for table, bag in ((word_table, features.title_words), (name_table, features.page_names))
    )
    return of_blocks, np.concatenate([title, of_page])


def _mean(table: FloatArray, numbers: IntArray) -> FloatArray:
    """Return the mean of the rows of a single bag; zeros for an empty bag. *Shapes:* ``(b,)`` -> ``(d,)``"""
    mean: FloatArray = table.take(numbers, axis=0).sum(axis=0)
    mean /= np.float32(max(1, len(numbers)))
    return mean
