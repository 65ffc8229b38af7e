# Loops over the elements of a page in preorder, a part of `_reader.pyx`. `reader.py` says what the results are.

from scrapy_web2text.page import reader

cdef uint64_t TAG_FACTOR = reader.TAG_FACTOR, NAME_FACTOR = reader.NAME_FACTOR


def unite_above(const int64_t[::1] bits, const int64_t[::1] parents):
    result = np.array(bits)
    cdef int64_t[::1] united = result
    cdef Py_ssize_t i
    for i in range(1, parents.shape[0]):
        united[i] |= united[parents[i]]
    return result


def find_nearest(chosen, const int64_t[::1] parents, const int64_t[::1] elements):
    cdef const uint8_t[::1] is_chosen = chosen.view(np.uint8)
    cdef Py_ssize_t i
    cdef int64_t[::1] nearest = np.empty(parents.shape[0], dtype=np.int64)
    result = np.empty(elements.shape[0], dtype=np.int64)
    cdef int64_t[::1] found = result
    for i in range(parents.shape[0]):
        nearest[i] = i if is_chosen[i] else nearest[parents[i]] if parents[i] >= 0 else -1
    for i in range(elements.shape[0]):
        found[i] = nearest[elements[i]] if elements[i] >= 0 else -1
    return result


def hash_paths(
    const int64_t[::1] tags, const uint64_t[::1] names, const int64_t[::1] open_slots, const int64_t[::1] close_slots,
    const int64_t[::1] elements,
):
    cdef Py_ssize_t n = tags.shape[0], i
    cdef uint64_t[:, ::1] steps = np.zeros((2, 2 * n), dtype=np.uint64)
    cdef uint64_t key, factor
    result = np.empty((2, elements.shape[0]), dtype=np.uint64)
    cdef uint64_t[:, ::1] hashes = result
    for i in range(n):
        key = <uint64_t>(tags[i] + 1) * TAG_FACTOR
        factor = 2 * (2 * i - open_slots[i]) + 1  # its depth is in the brackets
        steps[0, open_slots[i]] = key * factor
        steps[1, open_slots[i]] = (key ^ names[i] * NAME_FACTOR) * factor
        steps[0, close_slots[i]] = 0 - steps[0, open_slots[i]]
        steps[1, close_slots[i]] = 0 - steps[1, open_slots[i]]
    for i in range(1, 2 * n):
        steps[0, i] += steps[0, i - 1]
        steps[1, i] += steps[1, i - 1]
    for i in range(elements.shape[0]):
        hashes[0, i], hashes[1, i] = steps[0, open_slots[elements[i]]], steps[1, open_slots[elements[i]]]
    return result


def nest(const int64_t[::1] begins, const int64_t[::1] ends, Py_ssize_t k):
    cdef Py_ssize_t n = begins.shape[0], i = 0, node = -1, leaf
    parents, depths = np.empty((2, n), dtype=np.int64)
    leaf_parents, common_ancestors = np.empty(k, dtype=np.int64), np.empty(max(k - 1, 0), dtype=np.int64)
    cdef int64_t[::1] all_parents = parents, all_depths = depths
    cdef int64_t[::1] innermost = leaf_parents, common = common_ancestors
    for leaf in range(k):
        while node >= 0 and ends[node] <= leaf:
            node = all_parents[node]
        if leaf:
            common[leaf - 1] = node
        while i < n and begins[i] == leaf:
            all_parents[i], all_depths[i] = node, all_depths[node] + 1 if node >= 0 else 0
            node = i
            i += 1
        innermost[leaf] = node
    return parents, depths, leaf_parents, common_ancestors
