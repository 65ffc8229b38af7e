"""Embeddings of bags of hashed words: the names of elements, the text of a block, its heading, the page's title.

A bag is a run of rows of an embedding table. Bags are summed, added and subtracted, and then divided by their size.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import FloatArray, IntArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.modern import ModernFeatures
from scrapy_web2text.labelers.sums import SUMS

__all__ = ["N_BAGS", "embed_bags"]


N_BAGS: Final = 6


def embed_bags(
    features: ModernFeatures, name_table: FloatArray, word_table: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the embeddings of the four bags that describe each block, and of the two that describe the page.

    Those of a block hold the names of its own elements, the names of the elements around these, its words, and the
    words of the heading above it. Those of the page hold the words of its title and its own names.

    *Shapes:* tables ``(number of hashes, d)`` -> ``(n, 4 * d)``, ``(2 * d,)``
    """
    check_time()
    n_names, owners = features.n_names, features.owners
    names: FloatArray = SUMS.sum_bags(name_table, features.names, n_names)
    check_time()
    slots = features.open_slots, features.close_slots
    paths: FloatArray = SUMS.sum_paths(names, *slots, owners)
    n_path = _count_paths(n_names, *slots)[owners]
    check_time()
    near, n_near = names.take(owners, axis=0), n_names[owners]
    inner = np.flatnonzero(owners != features.containers)
    containers = features.containers[inner]
    near[inner] += names.take(containers, axis=0)
    n_near[inner] += n_names[containers]
    paths -= near
    near /= _column(n_near)
    paths /= np.sqrt(_column(n_path - n_near))
    check_time()
    words: FloatArray = SUMS.sum_bags(word_table, features.words, features.n_words)
    words /= _column(features.n_words)
    headings = words.take(features.headings, axis=0)
    headings[features.headings < 0] = 0
    check_time()
    title, of_page = (
        _mean(table, bag) for table, bag in ((word_table, features.title_words), (name_table, features.page_names))
    )
    return np.concatenate([near, paths, words, headings], axis=1), np.concatenate([title, of_page])


def _count_paths(counts: IntArray, open_slots: IntArray, close_slots: IntArray) -> IntArray:
    """Return the sum of *counts* over each element and all elements around it. *Shapes:* ``(e,)`` each"""
    steps = np.zeros(2 * len(counts), dtype=np.int64)
    steps[open_slots] = counts
    steps[close_slots] = -counts
    return np.cumsum(steps)[open_slots]


def _mean(table: FloatArray, numbers: IntArray) -> FloatArray:
    """Return the mean of the rows of a single bag, zeros for an empty one. *Shapes:* ``(b,)`` -> ``(d,)``"""
    mean: FloatArray = table.take(numbers, axis=0).sum(axis=0)
    mean /= np.float32(max(1, len(numbers)))
    return mean


def _column(sizes: IntArray) -> FloatArray:
    """Return the sizes of bags, 1 for empty ones, as a column. *Shapes:* ``(n,)`` -> ``(n, 1)``"""
    return np.maximum(sizes, 1).astype(np.float32)[:, None]
