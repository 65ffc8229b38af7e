"""The embeddings of the bags of blocks, with numpy; ``_bags.pyx`` does the same without copies of the rows."""

from __future__ import annotations

import numpy as np

from scrapy_web2text.arrays import DoubleArray, FloatArray, IntArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.modern import ModernFeatures
from scrapy_web2text.labelers.numeric import in_pairs, sum_runs

__all__ = ["embed_blocks"]


def embed_blocks(features: ModernFeatures, name_table: FloatArray, word_table: FloatArray) -> FloatArray:
    """Return the embeddings of the four bags of each block: see `modern/bags.py`. *Shape:* ``(n, 4 * d)``

    Embeddings have half precision, so that their sums are exact in double precision, in any order.
    """
    n_names, owners = features.n_names, features.owners
    names = _sum_bags(name_table, features.names, n_names)
    paths, n_path = _sum_paths(names, features)
    check_time()
    near, n_near = names.take(owners, axis=0), n_names[owners]
    inner = np.flatnonzero(owners != features.containers)
    containers = features.containers[inner]
    near[inner] += names.take(containers, axis=0)
    n_near[inner] += n_names[containers]
    paths -= near
    check_time()
    words = _divide(_sum_bags(word_table, features.words, features.n_words), features.n_words)
    headings = words.take(features.headings, axis=0)
    headings[features.headings < 0] = 0
    return np.concatenate(
        [_divide(near, n_near), _divide(paths, n_path - n_near, by_root=True), words, headings], axis=1
    )


def _sum_paths(names: DoubleArray, features: ModernFeatures) -> tuple[DoubleArray, IntArray]:
    """Return, for each block, the sum of *names* over all elements around its text, and the number of these names.

    *Shapes:* ``(e, d)`` -> ``(n, d)``, ``(n,)``
    """
    n_slots = 2 * len(names)
    sums, counts = np.zeros((n_slots, names.shape[1])), np.zeros(n_slots, dtype=np.int64)
    sums[features.open_slots], sums[features.close_slots] = names, -names
    counts[features.open_slots], counts[features.close_slots] = features.n_names, -features.n_names
    pairs = in_pairs(sums)
    np.cumsum(pairs, axis=0, out=pairs)  # in place: new memory costs more than the sums
    places = features.open_slots[features.owners]
    return sums.take(places, axis=0), np.cumsum(counts)[places]


def _sum_bags(table: FloatArray, numbers: IntArray, counts: IntArray) -> DoubleArray:
    """Return the sum of the rows of each bag.

    *Shapes:* table ``(w, d)``, numbers ``(b,)``, counts ``(n,)`` -> ``(n, d)``
    """
    sums = np.zeros((len(counts), table.shape[1]))
    filled = np.flatnonzero(counts)
    if len(filled):
        starts = (np.cumsum(counts) - counts)[filled]
        sums[filled] = sum_runs(table.take(numbers, axis=0).astype(np.float64), starts)
    return sums


def _divide(sums: DoubleArray, sizes: IntArray, *, by_root: bool = False) -> FloatArray:
    """Return the sums of bags divided by their sizes, or the roots of these. *Shapes:* ``(n, d)``, ``(n,)``"""
    divisors = np.maximum(sizes, 1).astype(np.float32)
    if by_root:
        divisors = np.sqrt(divisors)
    quotients: FloatArray = sums.astype(np.float32)
    quotients /= divisors[:, None]
    return quotients
