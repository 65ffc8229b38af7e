"""Sums over the blocks of a page, steps of a network, and messages along the chain, by numpy and by loops in Python.

If ``_sums.pyx`` is compiled, its functions replace the functions that the end of this module lists. Their results are
equal in all bits.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, DoubleArray, FloatArray, IntArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.common.compiled import use_compiled
from scrapy_web2text.features.modern.page import ModernFeatures

EPSILON: Final = 1e-5  # added to variances
# The weight of the far bag grows with its number of names, up to this number. Few training pages have more names.
MANY_NAMES: Final = 64

_Ratios: TypeAlias = list[float]  # one number for each block


def pass_max_messages(odds: DoubleArray, pairs: DoubleArray) -> DoubleArray:
    """Return the max-product messages to each block of a chain from the blocks before it, and from the blocks after it.

    :param odds: potential of label 1 divided by the potential of label 0. *Shape:* ``(n,)``
    :param pairs: potentials of the label pairs 01, 10 and 11, each divided by the potential of 00. The last column is
        not read. *Shape:* ``(3, n)``
    :returns: *Shape:* ``(2, n)``
    """
    lists = odds.tolist(), *pairs[:, :-1].tolist()
    return np.array([_max_messages(*lists), _max_messages(*_reverse(*lists))[::-1]])


def pass_sum_messages(odds: DoubleArray, pairs: DoubleArray) -> DoubleArray:
    """Return the sum-product messages to each block from both sides; see `pass_max_messages`. *Shape:* ``(2, n)``"""
    lists = odds.tolist(), *pairs[:, :-1].tolist()
    return np.array([_sum_messages(*lists), _sum_messages(*_reverse(*lists))[::-1]])


def _reverse(odds: _Ratios, p01: _Ratios, p10: _Ratios, p11: _Ratios) -> tuple[_Ratios, _Ratios, _Ratios, _Ratios]:
    """Return the ratios of the reversed chain."""
    return odds[::-1], p10[::-1], p01[::-1], p11[::-1]


def _max_messages(odds: _Ratios, p01: _Ratios, p10: _Ratios, p11: _Ratios) -> list[float]:
    """Return the max-product message to each block from the blocks before it. *Length:* n"""
    message = 1.0
    messages = [message]
    for own, to_1_from_0, to_0_from_1, to_1_from_1 in zip(odds, p01, p10, p11, strict=False):
        ratio = message * own
        to_0, to_1 = ratio * to_0_from_1, ratio * to_1_from_1
        # Calls of max() take twice as long.
        message = (to_1 if to_1 > to_1_from_0 else to_1_from_0) / (to_0 if to_0 > 1.0 else 1.0)  # noqa: FURB136
        messages.append(message)
    return messages


def _sum_messages(odds: _Ratios, p01: _Ratios, p10: _Ratios, p11: _Ratios) -> list[float]:
    """Return the sum-product message to each block from the blocks before it. *Length:* n"""
    message = 1.0
    messages = [message]
    for own, to_1_from_0, to_0_from_1, to_1_from_1 in zip(odds, p01, p10, p11, strict=False):
        ratio = message * own
        message = (to_1_from_0 + ratio * to_1_from_1) / (1.0 + ratio * to_0_from_1)
        messages.append(message)
    return messages


def average_groups(rows: FloatArray, partitions: IntArray) -> list[FloatArray]:
    """Return the mean of the rows of each group, for each partition. Rows are added in order, in double precision.

    *Shapes:* ``(n, h)``, ``(p, n)`` -> p times ``(groups, h)``

    :param partitions: the group of each row, as numbers from 0 without gaps.
    """
    means, width = [], rows.shape[1]
    for numbers in partitions:
        places = (width * numbers[:, None] + np.arange(width)).ravel()
        sums = np.bincount(places, weights=rows.ravel()).reshape(-1, width)
        means.append(sums.astype(np.float32) / np.bincount(numbers).astype(np.float32)[:, None])
    return means


def normalize(rows: FloatArray, scale: FloatArray, shift: FloatArray) -> None:
    """Give *rows* mean 0 and variance 1 for each member, then scale and shift them.

    *Shapes:* ``(n, members * h)``, ``(members, h)``, ``(members, h)``
    """
    own = rows.reshape(-1, scale.shape[1])
    means, precisions = _find_moments(own)
    own -= means[:, None]
    own *= precisions[:, None]
    rows *= scale.ravel()
    rows += shift.ravel()


def _find_moments(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean of each of *rows*, and 1 / its standard deviation. *Shapes:* ``(n, h)`` -> ``(n,)`` twice

    Values are added in the order of `numpy.einsum`: four sums, each of every fourth value, which a processor adds up at
    once.
    """
    n, width = rows.shape
    padded = np.zeros((n, -(-width // 4) * 4), dtype=np.float32)
    padded[:, :width] = rows
    quarters = padded.reshape(n, -1, 4).swapaxes(0, 1)
    sums, squares = np.zeros((2, n, 4), dtype=np.float32)
    for start in range(0, len(quarters), 4):
        four = quarters[start : start + 4]
        if 4 * start + 16 <= width:
            sums += (four[0] + four[1]) + (four[2] + four[3])
            four = four[::-1]
        else:
            for each in four:
                sums += each
        for each in four:
            squares += each * each
    moments: list[AnyArray] = [((a + b) + (c + d)) / np.float32(width) for a, b, c, d in (sums.T, squares.T)]
    means, variances = moments
    variances -= means * means
    np.maximum(variances, 0, out=variances)  # rounding can make them negative
    variances += EPSILON
    return means, np.divide(1, np.sqrt(variances))


def join_neighbors(rows: FloatArray, n_parts: int, steps: int, out: FloatArray) -> None:
    """Write each row's parts into *out*, each between the same parts of the rows *steps* before and after.

    Each part is divided by its standard deviation. The parts of a row that does not exist are zeros.

    *Shapes:* ``(n, parts * w)`` -> ``(n, parts * 3 * w)``

    :param steps: distance of the neighbors, from 1 to n rows.
    """
    n = len(rows)
    before, center, after = out.reshape(n, n_parts, 3, -1).swapaxes(0, 2).swapaxes(1, 2)
    own = rows.reshape(n * n_parts, -1)
    center[:] = (own * _find_moments(own)[1][:, None]).reshape(center.shape)
    before[:steps] = after[n - steps :] = 0
    before[steps:] = center[: n - steps]
    after[: n - steps] = center[steps:]


def rectify_sums(
    rows: FloatArray, bias: FloatArray, of_first: FloatArray, of_last: FloatArray, steps: int
) -> FloatArray:
    """Return *rows* after adding *bias* and setting negative values to 0, in place.

    *Shapes:* ``(n, h)``, ``(h,)`` three times -> ``(n, h)``

    :param of_first: subtracted from the first *steps* rows.
    :param of_last: subtracted from the last *steps* rows.
    :param steps: from 1 to n.
    """
    rows += bias
    rows[:steps] -= of_first
    rows[len(rows) - steps :] -= of_last
    np.maximum(rows, np.float32(0), out=rows)
    return rows


def standardize(rows: FloatArray, means: FloatArray, deviations: FloatArray, limit: float) -> FloatArray:
    """Return *rows* minus the *means* of the columns, divided by their *deviations*, clipped to [-limit, limit].

    *Shapes:* ``(n, F)``, ``(F,)`` twice -> ``(n, F)``
    """
    standardized: FloatArray = rows - means
    standardized /= deviations
    # `clip` takes three times as long.
    np.minimum(np.maximum(standardized, -limit, out=standardized), limit, out=standardized)
    return standardized


def embed_blocks(features: ModernFeatures, name_table: FloatArray, word_table: FloatArray) -> FloatArray:
    """Return the embeddings of the four bags of each block, see `modern/layers.py`. *Shape:* ``(n, 4 * d)``

    Embeddings have half precision, so that their sums are exact in double precision, in any order.
    """
    n_names, owners = features.n_names, features.owners
    names = _sum_bags(name_table, features.names, n_names)
    paths, n_path = _sum_paths(names, features)
    check_time()
    near, n_near = names.take(owners, axis=0), n_names[owners]
    inner = (owners != features.containers).nonzero()[0]
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
    places = features.open_slots[features.owners]
    return sums.cumsum(axis=0)[places], counts.cumsum()[places]


def _sum_bags(table: FloatArray, numbers: IntArray, counts: IntArray) -> DoubleArray:
    """Return the sum of the rows of each bag.

    *Shapes:* table ``(w, d)``, numbers ``(b,)``, counts ``(n,)`` -> ``(n, d)``
    """
    sums = np.zeros((len(counts), table.shape[1]))
    filled = counts.nonzero()[0]
    if len(filled):
        starts = (np.cumsum(counts) - counts)[filled]
        rows = table.take(numbers, axis=0).astype(np.float64)
        sums[filled] = np.add.reduceat(rows, starts.astype(np.intp), axis=0)
    return sums


def _divide(sums: DoubleArray, sizes: IntArray, *, by_root: bool = False) -> FloatArray:
    """Return the *sums* of bags divided by their *sizes*. *Shapes:* ``(n, d)``, ``(n,)`` -> ``(n, d)``

    :param by_root: divide by the square root of the size. The result is the mean times this root, which counts as at
        most the root of `MANY_NAMES`.
    """
    divisors = np.maximum(sizes, 1).astype(np.float32)
    if by_root:
        divisors = np.maximum(np.sqrt(divisors), divisors / np.float32(MANY_NAMES**0.5))
    quotients: FloatArray = sums.astype(np.float32)
    quotients /= divisors[:, None]
    return quotients


IN_PYTHON: Final = use_compiled(
    __name__,
    *(average_groups, embed_blocks, join_neighbors, normalize, pass_sum_messages, rectify_sums, standardize),
)
