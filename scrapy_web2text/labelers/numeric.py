"""Arithmetic shared by the networks at inference: numpy, on one core."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import AnyArray, DoubleArray, FloatArray

__all__ = ["log_softmax", "multiply"]


# OpenBLAS spreads a product of more multiplications than this over all cores. The digits of the result then depend on
# their number, and on a busy machine it costs hundreds of times more than it saves. Smaller products run in the calling
# thread, so no setting of the process has to change.
_MAX_PRODUCT: Final = 1 << 18


def multiply(rows: FloatArray, weight: FloatArray) -> FloatArray:
    """Return ``rows @ weight``, with the same digits for any number of cores.

    *Shapes:* ``(n, k)``, ``(k, m)`` -> ``(n, m)``

    This is the only place of the package that uses BLAS to label a page. Elsewhere, `numpy.einsum` multiplies with
    vectors; it does not use BLAS, whose products with long vectors run on all cores.
    """
    n, k = rows.shape
    m = weight.shape[1]
    if n * weight.size <= _MAX_PRODUCT:
        return _multiply_few(rows, weight)
    chunk = max(1, _MAX_PRODUCT // weight.size)
    n_whole = n // chunk * chunk
    product = np.empty((n, m), dtype=np.result_type(rows, weight))
    if n_whole:
        _multiply_few(
            np.ascontiguousarray(rows[:n_whole]).reshape(-1, chunk, k), weight, product[:n_whole].reshape(-1, chunk, m)
        )
    if n_whole < n:
        _multiply_few(rows[n_whole:], weight, product[n_whole:])
    return product


def _multiply_few(rows: FloatArray, weight: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Return ``rows @ weight``. *Shapes:* ``(..., c, k)``, ``(k, m)`` -> ``(..., c, m)``"""
    if rows.shape[-2] == 1 or weight.shape[1] == 1:
        # numpy would call another function of BLAS, which spreads smaller products.
        return np.einsum("...ck,km->...cm", rows, weight, out=out)
    return np.matmul(rows, weight, out=out)


def log_softmax(logits: AnyArray) -> DoubleArray:
    """Return the logarithm of the softmax over the last axis. *Shapes:* ``(n, m)``"""
    columns = logits.T.astype(np.float64, order="C")  # sums over the first axis of an array are much faster
    columns -= columns.max(axis=0)
    columns -= np.log(np.exp(columns).sum(axis=0))
    return columns.T
