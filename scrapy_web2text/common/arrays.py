"""Aliases of array types for annotations; each name has the same meaning in the whole package.

An alias states only the element type; docstrings state the shapes.
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
