from __future__ import annotations

import gc

import numpy as np

from scrapy_web2text.labelers import sharing
from scrapy_web2text.labelers.sharing import share_floats


def test_equal_tensors_are_one_array_as_long_as_one_is_used():
    tensor = np.arange(80_000, dtype=np.float16).reshape(-1, 8)
    first, second = share_floats(tensor), share_floats(tensor.copy())
    assert first is second
    assert first.dtype == np.float32
    np.testing.assert_array_equal(first, tensor)
    n_shared = len(sharing._shared)
    del first, second
    gc.collect()
    assert len(sharing._shared) == n_shared - 1


def test_other_and_small_tensors_are_arrays_of_their_own():
    tensor = np.zeros(80_000, dtype=np.float16)
    found = [share_floats(other) for other in (tensor, tensor + 1, tensor.reshape(8, -1), tensor.astype(np.float32))]
    assert len({*map(id, found)}) == 4
    assert share_floats(tensor[:10]) is not share_floats(tensor[:10])
