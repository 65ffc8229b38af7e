# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Sums over the blocks of a page, steps of a network, and messages along the chain: see `sums.py`."""

from libc.math cimport fmaxf, sqrtf
from libc.stdint cimport int64_t
from libc.string cimport memset

import numpy as np

from scrapy_web2text.labelers.sums import EPSILON, MANY_NAMES

cdef float VARIANCE_BASE = EPSILON


def pass_sum_messages(const double[::1] odds, const double[:, ::1] pairs):
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


def average_groups(const float[:, ::1] rows, const int64_t[:, ::1] partitions):
    cdef Py_ssize_t i, j, number, n_groups, n = rows.shape[0], width = rows.shape[1]
    cdef double[:, ::1] sums
    cdef double* own
    means = []
    for number in range(partitions.shape[0]):
        n_groups = 0
        for i in range(n):
            n_groups = max(n_groups, partitions[number, i] + 1)
        result = np.zeros((n_groups, width + 1))  # the sums of a group, and its size
        sums = result
        for i in range(n):
            own = &sums[partitions[number, i], 0]
            for j in range(width):
                own[j] += rows[i, j]
            own[width] += 1
        floats = result.astype(np.float32)
        means.append(floats[:, :width] / floats[:, width:])
    return means


cdef inline float _find_moments(const float* row, Py_ssize_t size, float* mean) noexcept:
    cdef float[4] sums = [0, 0, 0, 0]
    cdef float[4] squares = [0, 0, 0, 0]
    cdef float variance
    cdef Py_ssize_t j = 0, k, part
    while j + 16 <= size:
        for k in range(4):
            sums[k] += (row[j + k] + row[j + 4 + k]) + (row[j + 8 + k] + row[j + 12 + k])
        for part in range(12, -4, -4):
            for k in range(4):
                squares[k] += row[j + part + k] * row[j + part + k]
        j += 16
    while j + 4 <= size:
        for k in range(4):
            sums[k] += row[j + k]
            squares[k] += row[j + k] * row[j + k]
        j += 4
    for k in range(size - j):
        sums[k] += row[j + k]
        squares[k] += row[j + k] * row[j + k]
    mean[0] = ((sums[0] + sums[1]) + (sums[2] + sums[3])) / <float>size
    variance = ((squares[0] + squares[1]) + (squares[2] + squares[3])) / <float>size
    variance -= mean[0] * mean[0]
    return 1 / sqrtf((0 if variance < 0 else variance) + VARIANCE_BASE)


def normalize(float[:, ::1] rows, const float[:, ::1] scale, const float[:, ::1] shift):
    cdef Py_ssize_t i, part, j, size = scale.shape[1]
    cdef float mean, precision
    cdef float* row
    for i in range(rows.shape[0]):
        for part in range(scale.shape[0]):
            row = &rows[i, part * size]
            precision = _find_moments(row, size, &mean)
            for j in range(size):
                row[j] = (row[j] - mean) * precision * scale[part, j] + shift[part, j]


def join_neighbors(const float[:, ::1] rows, Py_ssize_t n_parts, Py_ssize_t steps, float[:, ::1] out):
    cdef Py_ssize_t i, j, part, place, n = rows.shape[0], size = rows.shape[1] // n_parts
    cdef float precision, mean, value
    cdef const float* row
    cdef float* own
    cdef float* of_next
    cdef float* of_last
    for i in range(n):
        for part in range(n_parts):
            row, place = &rows[i, part * size], 3 * part * size
            precision = _find_moments(row, size, &mean)
            # Each row also goes to the neighbors that see it; the places without a neighbor are zeros.
            own = &out[i, place + size]
            of_next = &out[i + steps, place] if i + steps < n else own
            of_last = &out[i - steps, place + 2 * size] if i >= steps else own
            for j in range(size):
                value = row[j] * precision
                own[j] = value
                of_next[j] = value
                of_last[j] = value
            if i + steps >= n:
                memset(own + size, 0, size * sizeof(float))
            if i < steps:
                memset(own - size, 0, size * sizeof(float))


def rectify_sums(
    float[:, ::1] rows, const float[::1] bias, const float[::1] of_first, const float[::1] of_last, Py_ssize_t steps,
):
    cdef Py_ssize_t i, j, n = rows.shape[0], width = rows.shape[1]
    cdef float* row
    for i in range(n):
        row = &rows[i, 0]
        for j in range(width):
            row[j] += bias[j]
        for j in range(width if i < steps else 0):
            row[j] -= of_first[j]
        for j in range(width if i >= n - steps else 0):
            row[j] -= of_last[j]
        for j in range(width):
            row[j] = 0 if row[j] < 0 else row[j]
    return np.asarray(rows)


def standardize(const float[:, ::1] rows, const float[::1] means, const float[::1] deviations, float limit):
    cdef Py_ssize_t i, j
    cdef float value
    result = np.empty((rows.shape[0], rows.shape[1]), dtype=np.float32)
    cdef float[:, ::1] out = result
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            value = (rows[i, j] - means[j]) / deviations[j]
            value = -limit if value < -limit else value
            out[i, j] = limit if value > limit else value
    return result


def embed_blocks(features, const float[:, ::1] name_table, const float[:, ::1] word_table):
    cdef const int64_t[::1] n_names = features.n_names, n_words = features.n_words, headings = features.headings
    cdef const int64_t[::1] owners = features.owners, containers = features.containers
    cdef Py_ssize_t n = owners.shape[0], d = name_table.shape[1], owner, container, i, j
    cdef int64_t n_near
    cdef float near_size, path_size, most_factor = MANY_NAMES**0.5
    cdef double near
    cdef double[:, ::1] names = _sum_bags(name_table, features.names, n_names)
    cdef double[:, ::1] words = _sum_bags(word_table, features.words, n_words)
    cdef double[:, ::1] paths = np.empty((n_names.shape[0], d))
    cdef int64_t[::1] n_path = np.empty(n_names.shape[0], dtype=np.int64)
    _sum_paths(names, n_names, features.open_slots, features.close_slots, paths, n_path)
    rows = np.zeros((n, 4 * d), dtype=np.float32)
    cdef float[:, ::1] out = rows
    for i in range(n):
        owner, container = owners[i], containers[i]
        n_near = n_names[owner] + (n_names[container] if owner != container else 0)
        near_size = max(n_near, 1)
        path_size = <float>max(n_path[owner] - n_near, 1)
        path_size = fmaxf(sqrtf(path_size), path_size / most_factor)
        for j in range(d):
            near = names[owner, j] + (names[container, j] if owner != container else 0)
            out[i, j] = <float>near / near_size
            out[i, d + j] = <float>(paths[owner, j] - near) / path_size
            out[i, 2 * d + j] = <float>words[i, j] / <float>max(n_words[i], 1)
    for i in range(n):
        if headings[i] >= 0:
            out[i, 3 * d :] = out[headings[i], 2 * d : 3 * d]
    return rows


cdef object _sum_bags(const float[:, ::1] table, const int64_t[::1] numbers, const int64_t[::1] counts):
    cdef Py_ssize_t d = table.shape[1], n = 0, i, j, k
    result = np.zeros((counts.shape[0], d))
    cdef double[:, ::1] sums = result
    for i in range(counts.shape[0]):
        for k in range(n, n + counts[i]):
            for j in range(d):
                sums[i, j] += table[numbers[k], j]
        n += counts[i]
    return result


cdef _sum_paths(
    const double[:, ::1] names, const int64_t[::1] n_names, const int64_t[::1] open_slots,
    const int64_t[::1] close_slots, double[:, ::1] paths, int64_t[::1] n_path,
):
    cdef int64_t[::1] parents = np.empty(n_names.shape[0], dtype=np.int64)
    cdef Py_ssize_t around = -1, i, j
    for i in range(n_names.shape[0]):
        while around >= 0 and close_slots[around] < open_slots[i]:
            around = parents[around]
        parents[i] = around
        n_path[i] = n_names[i] + (n_path[around] if around >= 0 else 0)
        for j in range(names.shape[1]):
            paths[i, j] = names[i, j] + (paths[around, j] if around >= 0 else 0)
        around = i
