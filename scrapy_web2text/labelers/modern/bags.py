"""Embeddings of bags of hashed words: the names of elements, the text of a block, its heading, the page's title.

A bag is a run of rows of an embedding table. Sums of bags keep the size of the bag as one more column, so that bags can
be added and subtracted before they are divided by their size.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import FloatArray, IntArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.modern import ModernFeatures

__all__ = ["N_BAGS", "embed_bags"]


N_BAGS: Final = 6


def embed_bags(features: ModernFeatures, name_table: FloatArray, word_table: FloatArray) -> FloatArray:
    """Return the embeddings of the six bags that describe each block.

    They hold the names of the block's own elements, the names of the elements around these, the words of the block,
    the words of the heading above it, the words of the page's title, and the names of the page.

    *Shapes:* tables ``(number of hashes, d)`` -> ``(n, 6 * d)``
    """
    check_time()
    names = _sum_bags(name_table, features.names, features.n_names)
    steps = np.zeros((2 * len(names), names.shape[1]), dtype=np.float64)
    steps[features.open_slots] = names
    steps[features.close_slots] = -names
    np.cumsum(steps, axis=0, out=steps)  # in place: new memory costs more than the sums
    paths = steps[features.open_slots[features.owners]].astype(np.float32)
    check_time()
    near = names[features.owners]
    inner = features.owners != features.containers
    near[inner] += names[features.containers[inner]]
    check_time()
    words = _means(_sum_bags(word_table, features.words, features.n_words))
    headings = np.where(features.headings[:, None] >= 0, words[features.headings], np.float32(0))
    check_time()
    title = _embed_page_bag(word_table, features.title_words)
    page_names = _embed_page_bag(name_table, features.page_names)
    of_page = np.broadcast_to(np.concatenate([title, page_names]), (len(words), 2 * len(title)))
    return np.concatenate([_means(near), _per_root(paths - near), words, headings, of_page], axis=1)


def _embed_page_bag(table: FloatArray, numbers: IntArray) -> FloatArray:
    """Return the mean of the rows of a single bag. *Shapes:* ``(b,)`` -> ``(d,)``"""
    means = _means(_sum_bags(table, numbers, np.array([len(numbers)])))
    bag: FloatArray = means[0]
    return bag


def _sum_bags(table: FloatArray, numbers: IntArray, counts: IntArray) -> FloatArray:
    """Return the sum of the rows of each bag, followed by the number of its rows.

    *Shapes:* table ``(w, d)``, numbers ``(b,)``, counts ``(n,)`` -> ``(n, d + 1)``
    """
    sums = np.zeros((len(counts), table.shape[1] + 1), dtype=np.float32)
    filled = np.flatnonzero(counts)
    if len(filled):
        starts = (np.cumsum(counts) - counts)[filled]
        sums[filled, :-1] = np.add.reduceat(table.take(numbers, axis=0), starts, axis=0)
        sums[filled, -1] = counts[filled]
    return sums


def _per_root(sums: FloatArray) -> FloatArray:
    """Return the sum of each bag divided by the square root of its size. *Shapes:* ``(n, d + 1)`` -> ``(n, d)``"""
    roots: FloatArray = np.sqrt(np.maximum(np.rint(sums[:, -1:]), np.float32(1)))
    scaled: FloatArray = sums[:, :-1] / roots
    return scaled


def _means(sums: FloatArray) -> FloatArray:
    """Return the mean of each bag, zeros for an empty one. *Shapes:* ``(n, d + 1)`` -> ``(n, d)``"""
    sizes: FloatArray = np.maximum(np.rint(sums[:, -1:]), np.float32(1))
    means: FloatArray = sums[:, :-1] / sizes
    return means
