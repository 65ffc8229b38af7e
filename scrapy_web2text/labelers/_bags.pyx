# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The embeddings of the bags of blocks, without copies of the rows; `python_bags.py` says what the results are."""

from libc.math cimport sqrtf
from libc.stdint cimport int64_t

import numpy as np


def embed_blocks(features, const float[:, ::1] name_table, const float[:, ::1] word_table):
    cdef const int64_t[::1] n_names = features.n_names, n_words = features.n_words, headings = features.headings
    cdef const int64_t[::1] owners = features.owners, containers = features.containers
    cdef Py_ssize_t n = owners.shape[0], d = name_table.shape[1], owner, container, i, j
    cdef int64_t n_near
    cdef float near_size, path_root
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
        path_root = sqrtf(<float>max(n_path[owner] - n_near, 1))
        for j in range(d):
            near = names[owner, j] + (names[container, j] if owner != container else 0)
            out[i, j] = <float>near / near_size
            out[i, d + j] = <float>(paths[owner, j] - near) / path_root
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


cdef int _sum_paths(
    const double[:, ::1] names, const int64_t[::1] n_names, const int64_t[::1] open_slots,
    const int64_t[::1] close_slots, double[:, ::1] paths, int64_t[::1] n_path,
) except -1:
    """Write the sum of the names of each element and all around it, and the number of these names."""
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
    return 0
