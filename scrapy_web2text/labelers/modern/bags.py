"""Embeddings of bags of hashed words: the names of elements, the text of a block, its heading, the page's title.

A bag is a run of rows of an embedding table. Bags are summed, added and subtracted, and then divided by their size.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from scrapy_web2text.arrays import FloatArray, IntArray
from scrapy_web2text.budget import check_time
from scrapy_web2text.features.modern import ModernFeatures
from scrapy_web2text.labelers.numeric import in_pairs, sum_runs

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
    names = _sum_bags(name_table, features.names, n_names)
    paths, n_path = _sum_paths(names, features)
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
    words = _sum_bags(word_table, features.words, features.n_words)
    words /= _column(features.n_words)
    headings = words.take(features.headings, axis=0)
    headings[features.headings < 0] = 0
    check_time()
    title, of_page = (
        _mean(table, bag) for table, bag in ((word_table, features.title_words), (name_table, features.page_names))
    )
    return np.concatenate([near, paths, words, headings], axis=1), np.concatenate([title, of_page])


def _sum_paths(names: FloatArray, features: ModernFeatures) -> tuple[FloatArray, IntArray]:
    """Return, for each block, the sum of *names* over all elements around its text, and the number of these names.

    *Shapes:* ``(e, d)`` -> ``(n, d)``, ``(n,)``
    """
    named = np.flatnonzero(features.n_names)
    opens, closes = features.open_slots[named], features.close_slots[named]
    numbers = np.zeros(2 * len(names), dtype=np.int64)
    numbers[opens] = numbers[closes] = 1
    np.cumsum(numbers, out=numbers)
    # Sums of embeddings of half precision are exact in double precision, whatever is subtracted again.
    sums = np.zeros((2 * len(named) + 1, names.shape[1]), dtype=np.float64)
    sums[numbers[opens]] = chosen = names.take(named, axis=0)
    sums[numbers[closes]] = -chosen
    counts = np.zeros(len(sums), dtype=np.int64)
    counts[numbers[opens]] = n_chosen = features.n_names[named]
    counts[numbers[closes]] = -n_chosen
    pairs = in_pairs(sums)
    np.cumsum(pairs, axis=0, out=pairs)  # in place: new memory costs more than the sums
    places = numbers[features.open_slots[features.owners]]
    return sums.take(places, axis=0).astype(np.float32), np.cumsum(counts)[places]


def _mean(table: FloatArray, numbers: IntArray) -> FloatArray:
    """Return the mean of the rows of a single bag, zeros for an empty one. *Shapes:* ``(b,)`` -> ``(d,)``"""
    mean: FloatArray = table.take(numbers, axis=0).sum(axis=0)
    mean /= np.float32(max(1, len(numbers)))
    return mean


def _sum_bags(table: FloatArray, numbers: IntArray, counts: IntArray) -> FloatArray:
    """Return the sum of the rows of each bag.

    *Shapes:* table ``(w, d)``, numbers ``(b,)``, counts ``(n,)`` -> ``(n, d)``
    """
    sums = np.zeros((len(counts), table.shape[1]), dtype=np.float32)
    filled = np.flatnonzero(counts)
    if len(filled):
        starts = (np.cumsum(counts) - counts)[filled]
        sums[filled] = sum_runs(table.take(numbers, axis=0), starts)
    return sums


def _column(sizes: IntArray) -> FloatArray:
    """Return the sizes of bags, 1 for empty ones, as a column. *Shapes:* ``(n,)`` -> ``(n, 1)``"""
    return np.maximum(sizes, 1).astype(np.float32)[:, None]
