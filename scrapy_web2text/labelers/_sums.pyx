# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Sums over the blocks of a page, and messages along their chain; `python_sums.py` says what the results are."""

from libc.stdint cimport int64_t
from libc.string cimport memset

import numpy as np


def pass_max_messages(const double[::1] odds, const double[:, ::1] pairs):
    """Return the max-product messages to each block from both sides."""
    cdef Py_ssize_t i, n = odds.shape[0]
    cdef double ratio, to_0, to_1, message = 1
    result = np.empty((2, n))
    cdef double[:, ::1] messages = result
    for i in range(n):
        messages[0, i] = message
        ratio = message * odds[i]
        to_0, to_1 = ratio * pairs[1, i], ratio * pairs[2, i]
        message = (to_1 if to_1 > pairs[0, i] else pairs[0, i]) / (to_0 if to_0 > 1 else 1)
    message = 1
    for i in range(n - 1, -1, -1):
        messages[1, i] = message
        if i:
            ratio = message * odds[i]
            to_0, to_1 = ratio * pairs[0, i - 1], ratio * pairs[2, i - 1]
            message = (to_1 if to_1 > pairs[1, i - 1] else pairs[1, i - 1]) / (to_0 if to_0 > 1 else 1)
    return result


def pass_sum_messages(const double[::1] odds, const double[:, ::1] pairs):
    """Return the sum-product messages to each block from both sides."""
    cdef Py_ssize_t i, n = odds.shape[0]
    cdef double ratio, message = 1
    result = np.empty((2, n))
    cdef double[:, ::1] messages = result
    for i in range(n):
        messages[0, i] = message
        ratio = message * odds[i]
        message = (pairs[0, i] + ratio * pairs[2, i]) / (1 + ratio * pairs[1, i])
    message = 1
    for i in range(n - 1, -1, -1):
        messages[1, i] = message
        if i:
            ratio = message * odds[i]
            message = (pairs[1, i - 1] + ratio * pairs[2, i - 1]) / (1 + ratio * pairs[0, i - 1])
    return result


def sum_groups(const float[:, ::1] rows, const int64_t[::1] numbers, Py_ssize_t n_groups):
    """Return the sum of the rows of each group."""
    cdef Py_ssize_t i, j, width = rows.shape[1]
    result = np.zeros((n_groups, width))
    cdef double[:, ::1] sums = result
    cdef double* group
    for i in range(rows.shape[0]):
        group = &sums[numbers[i], 0]
        for j in range(width):
            group[j] += rows[i, j]
    return result.astype(np.float32)


def sum_bags(const float[:, ::1] table, const int64_t[::1] numbers, const int64_t[::1] counts):
    """Return the sum of the rows of each bag."""
    cdef Py_ssize_t i, j, k, width = table.shape[1], place = 0
    result, memory = np.empty((counts.shape[0], width), dtype=np.float32), np.empty(width)
    cdef float[:, ::1] sums = result
    cdef double[::1] total = memory
    cdef const float* row
    for i in range(counts.shape[0]):
        memset(&total[0], 0, width * sizeof(double))
        for k in range(place, place + counts[i]):
            row = &table[numbers[k], 0]
            for j in range(width):
                total[j] += row[j]
        place += counts[i]
        for j in range(width):
            sums[i, j] = total[j]
    return result


def sum_paths(const float[:, ::1] rows, const int64_t[::1] open_slots, const int64_t[::1] close_slots,
              const int64_t[::1] owners):
    """Return, for each owner, the sum of the rows of all elements around its text."""
    cdef Py_ssize_t i, j, element, n = rows.shape[0], width = rows.shape[1]
    elements = np.zeros(2 * n, dtype=np.int64)  # of each slot; below 0 at an end tag
    paths, memory = np.empty((n, width), dtype=np.float32), np.zeros(width)
    cdef int64_t[::1] slots = elements
    cdef float[:, ::1] path = paths
    cdef double[::1] total = memory
    for i in range(n):
        slots[open_slots[i]], slots[close_slots[i]] = i, ~i
    for i in range(2 * n):
        element = slots[i]
        if element < 0:
            for j in range(width):
                total[j] -= rows[~element, j]
        else:
            for j in range(width):
                total[j] += rows[element, j]
                path[element, j] = total[j]
    return paths.take(owners, axis=0)
