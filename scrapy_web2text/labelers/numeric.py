"""Arithmetic shared by the networks at inference: products by numpy, on one core."""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, DoubleArray, FloatArray

# OpenBLAS spreads a product of more multiplications than this over all cores. The digits of the result then depend on
# the number of cores, and on a busy machine this costs hundreds of times more than it saves. Smaller products run in
# the calling thread, so no setting of the process has to change.
_MAX_PRODUCT: Final = 1 << 18


def multiply(rows: FloatArray, weight: FloatArray) -> FloatArray:
    """Return ``rows @ weight``, with the same digits for any number of cores.

    *Shapes:* ``(n, k)``, ``(k, m)`` -> ``(n, m)``
    """
    n, m = len(rows), weight.shape[1]
    if m == 1 or n > max(1, _MAX_PRODUCT // weight.size):
        return multiply_each(rows, weight[None])
    # These products equal `multiply_each` without its views, which cost numpy much time for short arrays.
    return rows @ weight if n != 1 else np.einsum("ck,km->cm", rows, weight)


def multiply_each(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the products of several networks side by side: each multiplies its own part of the rows.

    *Shapes:* ``(n, members * k)``, ``(members, k, m)`` -> ``(n, members * m)``

    Only the products in this module use BLAS to label a page. Elsewhere, `numpy.einsum` multiplies by vectors, since
    BLAS would spread products of long vectors over all cores.
    """
    n_members, k, m = weights.shape
    n = len(rows)
    product: FloatArray = np.empty((n, n_members * m), dtype=np.float32)
    chunk = max(1, _MAX_PRODUCT // (k * m))
    n_whole = n if n <= chunk else n // chunk * chunk
    for start, stop in ((0, n_whole), (n_whole, n)):
        size = min(chunk, stop - start)
        if size:
            parts = rows[start:stop].reshape(-1, size, n_members, k).swapaxes(1, 2)  # (chunks, members, size, k)
            out = product[start:stop].reshape(-1, size, n_members, m).swapaxes(1, 2)
            # For a single row or column, numpy would call another function of BLAS, which spreads even small products.
            if 1 in (size, m):
                np.einsum("...ck,...km->...cm", parts, weights, out=out)
            else:
                np.matmul(parts, weights, out=out)
    return product


def log_softmax(logits: AnyArray) -> DoubleArray:
    """Return the logarithm of the softmax over the last axis. *Shapes:* ``(n, m)``"""
    columns = logits.T.astype(np.float64, order="C")  # sums over the first axis of an array are much faster
    columns -= columns.max(axis=0)
    columns -= np.log(np.exp(columns).sum(axis=0))
    return columns.T
