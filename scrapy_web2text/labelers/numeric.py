"""The arithmetic that networks share at run time, in numpy and on one core."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import AnyArray, DoubleArray, FloatArray

__all__ = ["log_softmax", "multiply", "shifted"]


# OpenBLAS runs a product of more multiplications than this on all cores, which on a busy machine costs hundreds of
# times what it saves. Smaller products stay on the calling thread, without any setting of the process being touched.
_LARGEST_PRODUCT: Final = 1 << 18


def multiply(rows: FloatArray, weight: FloatArray) -> FloatArray:
    """Return ``rows @ weight`` on one core. *Shapes:* ``(n, k)``, ``(k, m)`` -> ``(n, m)``"""
    n, k = rows.shape
    m = weight.shape[1]
    chunk = max(1, _LARGEST_PRODUCT // weight.size)
    n_whole = n // chunk * chunk
    product = np.empty((n, m), dtype=np.result_type(rows, weight))
    if n_whole:
        whole = np.ascontiguousarray(rows[:n_whole]).reshape(-1, chunk, k)
        np.matmul(whole, weight, out=product[:n_whole].reshape(-1, chunk, m))
    if n_whole < n:
        np.matmul(rows[n_whole:], weight, out=product[n_whole:])
    return product


def shifted(rows: FloatArray, steps: int) -> FloatArray:
    """Return the row *steps* before, the row itself, and the row *steps* behind, zeros beyond both ends.

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
    """Return the logarithms of the softmax over the last axis."""
    centred = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    normalised: DoubleArray = centred - np.log(np.exp(centred).sum(axis=1, keepdims=True))
    return normalised
