# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The characters and words of texts, in one pass; `python_texts.py` does the same, and says what the results are."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

import numpy as np

from scrapy_web2text.features.characters import class_table, classify_code, lower_table
from scrapy_web2text.features.stopwords import MULTIPLIER

cdef enum:
    N_COUNTS = 12
    N_TABLED = 0x10000  # characters with an entry in the tables
    # Bits of `CharacterClass`, by number.
    DIGIT = 2
    WHITESPACE = 5
    UPPER = 6
    TOKEN = 8
    UNSPACED = 9
    LETTER = 10
    FULL_STOP = 11
    COMMA = 12
    CURRENCY = 13
    MARK = 14


cdef class _Hashes:
    """A growing array."""

    cdef uint64_t* values
    cdef Py_ssize_t size, room

    def __dealloc__(self):
        free(self.values)

    cdef int add(self, uint64_t value) except -1:
        cdef uint64_t* values
        if self.size == self.room:
            values = <uint64_t*>realloc(self.values, 2 * (self.room + 256) * sizeof(uint64_t))
            if values == NULL:
                raise MemoryError
            self.values, self.room = values, 2 * (self.room + 256)
        self.values[self.size] = value
        self.size += 1
        return 0

    cdef object to_array(self):
        cdef uint64_t[::1] view
        array = np.empty(self.size, dtype=np.uint64)
        if self.size:
            view = array
            memcpy(&view[0], self.values, self.size * sizeof(uint64_t))
        return array


cdef class _Reader:
    """Reads one text after another."""

    cdef const uint16_t[::1] classes
    cdef const uint32_t[::1] lowered
    cdef uint64_t multiplier
    cdef _Hashes hashes

    cdef int read(self, str text, int64_t* counts, int64_t* edges) except -1:
        """Add the words of *text*, and write its counts and edges."""
        cdef Py_UCS4 character
        cdef uint32_t code, flags, lower
        cdef uint64_t value = 0, power = 0  # the power is 0 outside of words
        cdef Py_ssize_t n_before = self.hashes.size
        cdef bint after_space = False, is_begun = False
        memset(counts, 0, N_COUNTS * sizeof(int64_t))
        edges[0] = edges[1] = edges[2] = 0
        for character in text:
            code = character
            if code < N_TABLED:
                flags, lower = self.classes[code], self.lowered[code]
            else:
                flags, lower = classify_code(code), code
            if flags >> TOKEN & 1 and not flags >> UNSPACED & 1:
                if not power:
                    value, power = 0, 1
                value += lower * power
                power *= self.multiplier
            elif power:
                self.hashes.add(value)
                power = 0
            if flags >> WHITESPACE & 1:
                counts[0] += not after_space
                after_space = True
                continue
            if flags >> UNSPACED & 1:
                self.hashes.add(lower)
            after_space = False
            if not is_begun:
                edges[0], is_begun = flags, True
            edges[1], edges[2] = flags, code
            counts[0] += 1
            counts[2] += flags >> LETTER & 1
            counts[3] += flags >> UPPER & 1
            counts[4] += flags >> DIGIT & 1
            counts[5] += flags >> MARK & 1
            counts[6] += flags >> COMMA & 1
            counts[7] += flags >> FULL_STOP & 1
            counts[8] += flags >> CURRENCY & 1
            counts[9] += code == 0xA9
            counts[10] += code == 0x7C
            counts[11] += code == 0x40
        if power:
            self.hashes.add(value)
        counts[1] = self.hashes.size - n_before
        return 0


def read_texts(list texts):
    """Return counts and edges of *texts*, and the hashes of their words."""
    cdef _Reader reader = _Reader()
    cdef Py_ssize_t i, n = len(texts)
    counts, edges = np.empty((n, N_COUNTS), dtype=np.int64), np.empty((n, 3), dtype=np.int64)
    cdef int64_t[:, ::1] count_rows = counts, edge_rows = edges
    reader.classes, reader.lowered = class_table(), lower_table()
    reader.multiplier, reader.hashes = MULTIPLIER, _Hashes()
    for i in range(n):
        reader.read(texts[i], &count_rows[i, 0], &edge_rows[i, 0])
    return counts, edges, reader.hashes.to_array()


def count_between_spaces(list texts):
    """Return the number of tokens between whitespace of each text, and of those that are words."""
    cdef const uint16_t[::1] classes = class_table()
    cdef Py_ssize_t i, n = len(texts)
    cdef uint32_t code, flags
    cdef Py_UCS4 character
    cdef bint is_inside, is_word, is_unspaced, was_unspaced
    cdef str text
    tokens, words = np.zeros((2, n), dtype=np.int64)
    cdef int64_t[::1] n_tokens = tokens, n_words = words
    for i in range(n):
        text = texts[i]
        is_inside = is_word = was_unspaced = False
        for character in text:
            code = character
            if code <= 0x20 or code == 0xA0 or (code >= 0x1680 and _is_other_space(code)):
                is_inside = False
                continue
            flags = classes[code] if code < N_TABLED else classify_code(code)
            is_unspaced = flags >> UNSPACED & 1
            if not is_inside or is_unspaced or was_unspaced:
                n_tokens[i] += 1
                is_word = False
            if not is_word and flags & (1 << TOKEN | 1 << UNSPACED):
                n_words[i] += 1
                is_word = True
            is_inside, was_unspaced = True, is_unspaced
    return tokens, words


cdef inline bint _is_other_space(uint32_t code) noexcept:
    # Spaces that HTML does not collapse.
    return (
        code == 0x1680 or 0x2000 <= code <= 0x200A or code == 0x2028 or code == 0x2029 or code == 0x202F
        or code == 0x205F or code == 0x3000
    )


def relate_words(const int64_t[::1] numbers, const int64_t[::1] bounds, const uint8_t[::1] is_long,
                 const uint8_t[::1] is_counted, Py_ssize_t n_numbers):
    """Return the frequency of each word, and how many words of each block another long block has."""
    cdef Py_ssize_t i, block, n = bounds.shape[0] - 1
    cdef int64_t number
    # The first and the last long block with each number, counted from 1, and how often it occurs.
    cdef int32_t[:, ::1] table = np.zeros((n_numbers, 3), dtype=np.int32)
    frequencies, shared = np.empty(numbers.shape[0], dtype=np.int64), np.zeros(n, dtype=np.int64)
    cdef int64_t[::1] frequency = frequencies, n_shared = shared
    for block in range(n):
        for i in range(bounds[block], bounds[block + 1]):
            number = numbers[i]
            table[number, 0] += 1
            if is_long[block]:
                if not table[number, 1]:
                    table[number, 1] = block + 1
                table[number, 2] = block + 1
    for block in range(n):
        for i in range(bounds[block], bounds[block + 1]):
            number = numbers[i]
            frequency[i] = table[number, 0]
            if is_counted[i] and table[number, 2] and (table[number, 1] != block + 1 or table[number, 2] != block + 1):
                n_shared[block] += 1
    return frequencies, shared


def count_among(const uint64_t[::1] hashes, const int64_t[::1] starts, const int64_t[::1] ends,
                const uint64_t[::1] wanted):
    """Return how many hashes of each span are among those *wanted*, which ascend."""
    cdef Py_ssize_t i, span, n = starts.shape[0], low, high, middle, n_wanted = wanted.shape[0]
    cdef uint8_t seen[1 << 13]  # which values of 13 bits occur; most words end here
    counts = np.zeros(n, dtype=np.int64)
    cdef int64_t[::1] count = counts
    memset(seen, 0, sizeof(seen))
    for i in range(n_wanted):
        seen[_spread(wanted[i])] = 1
    for span in range(n):
        for i in range(starts[span], ends[span]):
            if not seen[_spread(hashes[i])]:
                continue
            low, high = 0, n_wanted
            while high - low > 1:
                middle = (low + high) // 2
                if wanted[middle] <= hashes[i]:
                    low = middle
                else:
                    high = middle
            count[span] += n_wanted > 0 and wanted[low] == hashes[i]
    return counts


cdef inline uint64_t _spread(uint64_t value) noexcept:
    return value * <uint64_t>0x9E3779B97F4A7C15 >> 51
