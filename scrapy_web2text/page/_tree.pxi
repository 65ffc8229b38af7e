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


def count_enclosing(chosen, const int64_t[::1] open_slots, const int64_t[::1] close_slots):
    cdef const uint8_t[::1] is_chosen = chosen.view(np.uint8)
    cdef Py_ssize_t n = open_slots.shape[0], i
    result = np.zeros(2 * n, dtype=np.int64)
    cdef int64_t[::1] counts = result
    for i in range(n):
        if is_chosen[i]:
            counts[open_slots[i]], counts[close_slots[i]] = 1, -1
    for i in range(1, 2 * n):
        counts[i] += counts[i - 1]
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


def leaf_ranges(
    const int64_t[::1] slots, const int64_t[::1] open_slots, const int64_t[::1] close_slots,
):
    cdef Py_ssize_t n = open_slots.shape[0], i
    cdef int64_t[::1] n_before = np.zeros(2 * n + 1, dtype=np.int64)
    first, stop = np.empty((2, n), dtype=np.int64)
    cdef int64_t[::1] firsts = first, stops = stop
    for i in range(slots.shape[0]):
        n_before[slots[i] + 1] = 1
    for i in range(2 * n):
        n_before[i + 1] += n_before[i]
    for i in range(n):
        firsts[i], stops[i] = n_before[open_slots[i]], n_before[close_slots[i]]
    return first, stop


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


def collapse(const int64_t[::1] first, const int64_t[::1] stop, const int64_t[::1] leaf_blocks, passed, Py_ssize_t k):
    cdef const uint8_t[::1] is_passed = passed.view(np.uint8)
    cdef Py_ssize_t n = first.shape[0], size = 0, i
    cdef int64_t begin, end
    cdef _Chains chains = _Chains(n)
    elements = np.empty(n, dtype=np.int64)
    cdef int64_t[::1] chained = elements
    for i in range(n):
        if first[i] < stop[i] and not is_passed[i]:
            chains.add(size, leaf_blocks[first[i]], leaf_blocks[stop[i] - 1] + 1)
            chained[size] = i
            size += 1
    chains.starts[chains.size] = size
    return {"chain_elements": elements[:size], **chains.make_nodes(k)}


cdef class _Chains:
    """Runs of elements with equal intervals of blocks."""

    cdef int64_t[::1] starts, begins, ends
    cdef Py_ssize_t size, n_inner

    def __cinit__(self, Py_ssize_t most):
        self.starts, self.begins, self.ends = np.empty((3, most + 1), dtype=np.int64)

    cdef void add(self, Py_ssize_t position, int64_t begin, int64_t end) noexcept:
        cdef Py_ssize_t last = self.size - 1
        if last < 0 or self.begins[last] != begin or self.ends[last] != end:
            self.starts[self.size], self.begins[self.size], self.ends[self.size] = position, begin, end
            self.size += 1
            self.n_inner += end - begin > 1

    cdef dict make_nodes(self, Py_ssize_t k):
        """Return the CDOM over k blocks: the chains around several blocks are its inner nodes."""
        chains, leaf_chains = np.empty((self.n_inner, 2), dtype=np.int64), np.zeros((k, 2), dtype=np.int64)
        first, last, parents, depths = np.empty((4, self.n_inner), dtype=np.int64)
        leaf_parents, common_ancestors = np.empty(k, dtype=np.int64), np.empty(max(k - 1, 0), dtype=np.int64)
        cdef int64_t[:, ::1] of_nodes = chains, of_leaves = leaf_chains
        cdef int64_t[::1] all_first = first, all_last = last, all_parents = parents, all_depths = depths
        cdef int64_t[::1] innermost = leaf_parents, ancestors = common_ancestors
        cdef Py_ssize_t i, n = 0, node = -1, leaf = 0
        for i in range(self.size):
            if self.ends[i] - self.begins[i] == 1:
                of_leaves[self.begins[i], 0], of_leaves[self.begins[i], 1] = self.starts[i], self.starts[i + 1]
            else:
                of_nodes[n, 0], of_nodes[n, 1] = self.starts[i], self.starts[i + 1]
                all_first[n], all_last[n] = self.begins[i], self.ends[i] - 1
                n += 1
        i = 0
        for leaf in range(k):
            while node >= 0 and all_last[node] < leaf:
                node = all_parents[node]
            if leaf:
                ancestors[leaf - 1] = node
            while i < n and all_first[i] == leaf:
                all_parents[i], all_depths[i] = node, all_depths[node] + 1 if node >= 0 else 0
                node = i
                i += 1
            innermost[leaf] = node
        return {
            "node_chains": chains, "leaf_chains": leaf_chains, "first_leaves": first, "last_leaves": last,
            "node_parents": parents, "node_depths": depths, "leaf_parents": leaf_parents,
            "common_ancestors": common_ancestors,
        }
