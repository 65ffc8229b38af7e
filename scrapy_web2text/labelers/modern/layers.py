"""The layers of the network of web2text-2026, each a function of one row of hidden values for each block."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scrapy_web2text.arrays import FloatArray, IntArray
from scrapy_web2text.labelers.numeric import multiply
from scrapy_web2text.labelers.sums import SUMS

__all__ = ["Groups", "Linear", "Residual", "normalize", "rectify", "summarize", "word_shares"]


class Linear:
    """A linear layer: ``rows @ weight + bias``.

    :param tensors: tensors by name, of which it reads ``<name>.weight``, ``(k, m)``, and ``<name>.bias``, ``(m,)``.
    """

    def __init__(self, tensors: Mapping[str, FloatArray], name: str) -> None:
        self.weight = np.ascontiguousarray(tensors[f"{name}.weight"])
        self.bias = tensors[f"{name}.bias"]

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return the output. *Shapes:* ``(n, k)`` -> ``(n, m)``"""
        product = multiply(rows, self.weight)
        product += self.bias
        return product


class Residual:
    """A layer that sees each block with two of its neighbors, and returns what to add to the block.

    It normalizes all rows, joins each with those *dilation* blocks away, and applies two linear layers. When the model
    is loaded, the normalization becomes part of the first of them, but for the division by the deviation of a row.

    :param tensors: tensors by name, of which it reads those of ``norm.<number>``, ``conv.<number>`` and
        ``out.<number>``.
    """

    def __init__(self, tensors: Mapping[str, FloatArray], number: int, dilation: int) -> None:
        scale, shift = tensors[f"norm.{number}.weight"], tensors[f"norm.{number}.bias"]
        self._dilation = dilation
        self._inner = Linear(tensors, f"conv.{number}")
        self._outer = Linear(tensors, f"out.{number}")
        weights = self._inner.weight.reshape(3, len(scale), -1)
        of_shift = (weights * shift[:, None]).sum(axis=1)
        weights = weights * scale[:, None]
        weights -= weights.mean(axis=1, keepdims=True)  # in place of the subtraction of each row's mean
        self._inner.weight = weights.reshape(self._inner.weight.shape)
        self._inner.bias = self._inner.bias + of_shift.sum(axis=0)
        # The rows near both ends lack a neighbor. It is all zeros, also after a normalization.
        self._of_first, _, self._of_last = of_shift

    def __call__(self, rows: FloatArray, joined: FloatArray) -> FloatArray:
        """Return the output. *Shapes:* ``(n, h)`` -> ``(n, h)``

        :param joined: memory for the rows and their neighbors. *Shape:* ``(n, 3 * h)``
        """
        steps = min(self._dilation, len(rows))
        SUMS.join_neighbors(rows, SUMS.find_precisions(rows), steps, joined)
        inner = multiply(joined, self._inner.weight)
        return self._outer(SUMS.rectify_sums(inner, self._inner.bias, self._of_first, self._of_last, steps))


class Groups:
    """The groups of the blocks of a page.

    :param numbers: group of each block; no number below the largest is missing. *Shape:* ``(n,)``
    """

    def __init__(self, numbers: IntArray) -> None:
        self._numbers = numbers
        self._sizes = np.bincount(numbers).astype(np.float32)[:, None]

    def means(self, rows: FloatArray) -> FloatArray:
        """Return the mean of the rows of each of the g groups. *Shapes:* ``(n, h)`` -> ``(g, h)``"""
        means: FloatArray = SUMS.sum_groups(rows, self._numbers, len(self._sizes))
        means /= self._sizes
        return means

    def spread(self, rows: FloatArray) -> FloatArray:
        """Return, for each block, the row of its group. *Shapes:* ``(g, h)`` -> ``(n, h)``"""
        return rows.take(self._numbers, axis=0)


def rectify(rows: FloatArray) -> FloatArray:
    """Set negative values of *rows* to 0, in place, and return it. *Shapes:* ``(n, h)``"""
    np.maximum(rows, np.float32(0), out=rows)
    return rows


def normalize(rows: FloatArray, scale: FloatArray, shift: FloatArray) -> FloatArray:
    """Return *rows* with mean 0 and variance 1, then scaled and shifted. *Shapes:* ``(n, h)``, ``(h,)``, ``(h,)``"""
    normalized: FloatArray = rows - (np.einsum("ij->i", rows) / np.float32(rows.shape[1]))[:, None]
    normalized *= SUMS.find_precisions(rows)[:, None]
    normalized *= scale
    normalized += shift
    return normalized


def word_shares(n_tokens: IntArray) -> FloatArray:
    """Return two shares of each block in the page: equal ones, and by the logarithm of its words. *Shape:* ``(2, n)``

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
