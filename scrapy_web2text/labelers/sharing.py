"""Weights that several loaded models share: models that were tuned for sites have the embeddings of their base."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

import numpy as np

from scrapy_web2text.arrays import FloatArray

if TYPE_CHECKING:
    _Key = tuple[str, tuple[int, ...], bytes]

__all__ = ["share_floats"]

_LEAST_BYTES: Final = 100_000

_shared: WeakValueDictionary[_Key, FloatArray] = WeakValueDictionary()


def share_floats(tensor: FloatArray) -> FloatArray:
    """Return *tensor* in single precision. Equal tensors of some size are one array, which must not be changed."""
    if tensor.nbytes < _LEAST_BYTES:
        return tensor.astype(np.float32)
    content = np.ascontiguousarray(tensor)
    key = (content.dtype.str, content.shape, hashlib.sha256(content.data).digest())
    found = _shared.get(key)
    if found is None:
        found = _shared[key] = tensor.astype(np.float32)
    return found
