"""Sums over the blocks of a page and messages along their chain, by numpy and by loops in Python.

`_sums.pyx` does the same in a fraction of the time. It is optional, and judged by this module: all bits are equal.
"""

from __future__ import annotations

import numpy as np

from scrapy_web2text.arrays import DoubleArray, FloatArray, IntArray

__all__ = ["pass_max_messages", "pass_sum_messages", "sum_bags", "sum_groups", "sum_paths"]


def pass_max_messages(odds: DoubleArray, pairs: DoubleArray) -> DoubleArray:
    """Return the max-product messages to each block of a chain from those before it, and from those after it.

    :param odds: potential of label 1 divided by that of label 0. *Shape:* ``(n,)``
    :param pairs: potentials of the label pairs 01, 10 and 11, each divided by that of 00; the last of each is not read.
        *Shape:* ``(3, n)``
    :returns: *Shape:* ``(2, n)``
    """
    lists = odds.tolist(), *pairs[:, :-1].tolist()
    return np.array([_max_messages(*lists), _max_messages(*_reverse(*lists))[::-1]])


def pass_sum_messages(odds: DoubleArray, pairs: DoubleArray) -> DoubleArray:
    """Return the sum-product messages to each block from both sides; see `pass_max_messages`. *Shape:* ``(2, n)``"""
    lists = odds.tolist(), *pairs[:, :-1].tolist()
    return np.array([_sum_messages(*lists), _sum_messages(*_reverse(*lists))[::-1]])


Ratios = list[float]


def _reverse(odds: Ratios, p01: Ratios, p10: Ratios, p11: Ratios) -> tuple[Ratios, Ratios, Ratios, Ratios]:
    """Return the ratios of the reversed chain."""
    return odds[::-1], p10[::-1], p01[::-1], p11[::-1]


def _max_messages(odds: Ratios, p01: Ratios, p10: Ratios, p11: Ratios) -> list[float]:
    """Return the max-product message to each block from those before it. *Length:* that of *odds*"""
    message = 1.0
    messages = [message]
    for own, to_1_from_0, to_0_from_1, to_1_from_1 in zip(odds, p01, p10, p11, strict=False):
        ratio = message * own
        to_0, to_1 = ratio * to_0_from_1, ratio * to_1_from_1
        # Calls of max() take twice as long.
        message = (to_1 if to_1 > to_1_from_0 else to_1_from_0) / (to_0 if to_0 > 1.0 else 1.0)  # noqa: FURB136
        messages.append(message)
    return messages


def _sum_messages(odds: Ratios, p01: Ratios, p10: Ratios, p11: Ratios) -> list[float]:
    """Return the sum-product message to each block from those before it. *Length:* that of *odds*"""
    message = 1.0
    messages = [message]
    for own, to_1_from_0, to_0_from_1, to_1_from_1 in zip(odds, p01, p10, p11, strict=False):
        ratio = message * own
        message = (to_1_from_0 + ratio * to_1_from_1) / (1.0 + ratio * to_0_from_1)
        messages.append(message)
    return messages


def sum_groups(rows: FloatArray, numbers: IntArray, n_groups: int) -> FloatArray:
    """Return the sum of the rows of each group, added up in order in double precision.

    :param numbers: group of each row. *Shape:* ``(n,)``
    :returns: *Shapes:* rows ``(n, h)`` -> ``(n_groups, h)``
    """
    width = rows.shape[1]
    places = (width * numbers[:, None] + np.arange(width)).ravel()
    sums = np.bincount(places, weights=rows.ravel(), minlength=n_groups * width)
    return sums.reshape(n_groups, width).astype(np.float32)


def sum_bags(table: FloatArray, numbers: IntArray, counts: IntArray) -> FloatArray:
    """Return the sum of the rows of each bag; exact if the table has half precision, before it is rounded.

    :param numbers: rows of the table, bag by bag. *Shape:* ``(b,)``
    :param counts: number of rows of each bag. *Shape:* ``(n,)``
    :returns: *Shapes:* table ``(w, d)`` -> ``(n, d)``
    """
    sums = np.zeros((len(counts), table.shape[1]), dtype=np.float32)
    filled = np.flatnonzero(counts)
    if len(filled):
        starts = (np.cumsum(counts) - counts)[filled]
        sums[filled] = np.add.reduceat(table.take(numbers, axis=0), starts, axis=0, dtype=np.float64)
    return sums


def sum_paths(rows: FloatArray, open_slots: IntArray, close_slots: IntArray, owners: IntArray) -> FloatArray:
    """Return, for each of *owners*, the sum of the rows of all elements around its text, itself included.

    :param rows: one row for each element. *Shape:* ``(e, d)``
    :param open_slots: position of each start tag among all tags. *Shape:* ``(e,)``
    :param close_slots: position of each end tag among all tags. *Shape:* ``(e,)``
    :param owners: the innermost element around each text. *Shape:* ``(n,)``
    :returns: *Shape:* ``(n, d)``
    """
    # In double precision: sums of numbers of half precision are exact, so that what was added can be subtracted.
    steps = np.zeros((2 * len(rows), rows.shape[1]), dtype=np.float64)
    steps[open_slots] = rows
    steps[close_slots] = -rows
    np.cumsum(steps, axis=0, out=steps)
    return steps.take(open_slots[owners], axis=0).astype(np.float32)
