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
    of_blocks: FloatArray = SUMS.embed_blocks(features, name_table, word_table)
    check_time()
    title, of_page = (
        _mean(table, bag) for table, bag in ((word_table, features.title_words), (name_table, features.page_names))
    )
    return of_blocks, np.concatenate([title, of_page])


def _mean(table: FloatArray, numbers: IntArray) -> FloatArray:
    """Return the mean of the rows of a single bag, zeros for an empty one. *Shapes:* ``(b,)`` -> ``(d,)``"""
    mean: FloatArray = table.take(numbers, axis=0).sum(axis=0)
    mean /= np.float32(max(1, len(numbers)))
    return mean
