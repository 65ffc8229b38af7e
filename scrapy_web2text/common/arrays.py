"""Aliases of array types for annotations, and operations on arrays that many rooms share.

An alias has the same meaning in the whole package. It states only the element type; docstrings state the shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

AnyArray = NDArray[Any]
BoolArray = NDArray[np.bool_]
ByteArray = NDArray[np.uint8]
DoubleArray = NDArray[np.float64]
FloatArray = NDArray[np.float32]
Int32Array = NDArray[np.int32]
IntArray = NDArray[np.int64]
RealArray = NDArray[np.floating[Any]]
Uint16Array = NDArray[np.uint16]
Uint32Array = NDArray[np.uint32]
UintArray = NDArray[np.uint64]


def sum_spans(values: IntArray | BoolArray, starts: IntArray, stops: IntArray) -> IntArray:
    """Return the sums of *values* over spans, each from its start up to, but not including, its stop.

    *Shapes:* ``(..., n)``, ``(k,)`` twice -> ``(..., k)``
    """
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1), dtype=np.int64)
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums.take(stops, axis=-1) - sums.take(starts, axis=-1)


def mark_changes(values: AnyArray) -> BoolArray:
    """Return which of *values* differ from the previous value; the first counts, too. *Shapes:* ``(n,)`` twice"""
    differs = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs
