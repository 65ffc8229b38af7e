"""Arithmetic shared by the networks at inference: numpy, on one core."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import AnyArray, DoubleArray, FloatArray

__all__ = ["log_softmax", "multiply", "shifted"]


# OpenBLAS spreads a product of more multiplications than this over all cores, which on a busy machine costs hundreds of
# times more than it saves. Smaller products run in the calling thread, so no setting of the process has to change.
_MAX_PRODUCT: Final = 1 << 18


def multiply(rows: FloatArray, weight: FloatArray) -> FloatArray:
    """Return ``rows @ weight`` on one core. *Shapes:* ``(n, k)``, ``(k, m)`` -> ``(n, m)``"""
    n, k = rows.shape
    m = weight.shape[1]
    chunk = max(1, _MAX_PRODUCT // weight.size)
    n_whole = n // chunk * chunk
    product = np.empty((n, m), dtype=np.result_type(rows, weight))
    if n_whole:
        whole = np.ascontiguousarray(rows[:n_whole]).reshape(-1, chunk, k)
        np.matmul(whole, weight, out=product[:n_whole].reshape(-1, chunk, m))
    if n_whole < n:
        np.matmul(rows[n_whole:], weight, out=product[n_whole:])
    return product


def shifted(rows: FloatArray, steps: int) -> FloatArray:
    """Return each row joined with the rows *steps* before and *steps* after it, zeros beyond both ends.

    *Shapes:* ``(n, c)`` -> ``(n, 3 * c)``
    """
    n, width = rows.shape
    joined = np.zeros((n, 3 * width), dtype=rows.dtype)
    joined[:, width : 2 * width] = rows
    if steps < n:
        joined[steps:, :width] = rows[:-steps]
        joined[:-steps, 2 * width :] = rows[steps:]
    return joined


def log_softmax(logits: AnyArray) -> DoubleArray:
    """Return the logarithm of the softmax over the last axis. *Shapes:* ``(n, m)``"""
    centered = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    normalized: DoubleArray = centered - np.log(np.exp(centered).sum(axis=1, keepdims=True))
    return normalized
