# Loops over the elements of a page in preorder and over its blocks, a part of `_reader.pyx`.


def unite_above(const int64_t[::1] bits, const int64_t[::1] parents):
    """Return the bitwise union of *bits* over each element and all above it, as `python_tree.unite_above` does."""
    cdef Py_ssize_t i
    result = np.array(bits)
    cdef int64_t[::1] united = result
    for i in range(1, parents.shape[0]):
        united[i] |= united[parents[i]]
    return result


def sum_above(const uint64_t[::1] values, const int64_t[::1] parents):
    """Return the sum of *values* over each element and all above it, as `python_tree.sum_above` does."""
    cdef Py_ssize_t i
    result = np.array(values)
    cdef uint64_t[::1] sums = result
    for i in range(1, parents.shape[0]):
        sums[i] += sums[parents[i]]
    return result


def climb(const int64_t[::1] elements, const int64_t[::1] parents, passed):
    """Return the first element at or above each of *elements* that is not *passed*, as `python_tree.climb` does."""
    cdef const uint8_t[::1] is_passed = passed.view(np.uint8)
    cdef Py_ssize_t i
    result = np.array(elements)
    cdef int64_t[::1] reached = result
    cdef int64_t[::1] found = np.full(parents.shape[0], -1, dtype=np.int64)
    ...
