# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The characters and words of texts, in one pass; `texts.py` does the same, and describes the results."""

from cpython.unicode cimport PyUnicode_4BYTE_KIND, PyUnicode_KIND
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

import numpy as np

from scrapy_web2text.features.characters import class_table, classes_in, lower_table
from scrapy_web2text.features.hashing import MULTIPLIER, SLOT_SHIFT, stopword_table

cdef enum:
    N_COUNTS = 12
    N_TABLED = 0x10000  # characters with an entry in the tables
    N_NUMBERS = 1 << 14  # numbers of words, as in `hashing.py`
    NUMBER_SHIFT = 64 - 14
    N_ASCII_COUNTS = 13
    LONG_BLOCK = 15  # words, as in `texts.py`
    BAG_END = 6
    LOWER_CASE = 1 << 0 | 1 << 8 | 1 << 10  # the flags of the letters from a to z
    # Bits of `CharacterClass`, by number.
    WORD = 0
    CAPITAL = 1
    DIGIT = 2
    PUNCTUATION = 3
    SENTENCE_END = 4
    WHITESPACE = 5
    UPPER = 6
    FOREIGN_WORD = 7
    TOKEN = 8
    UNSPACED = 9
    LETTER = 10
    FULL_STOP = 11
    COMMA = 12
    CURRENCY = 13
    MARK = 14
    SPACE = 15


cdef object _classes_in(list texts):
    """Return the classes of code points, with all that are in *texts*."""
    cdef list beyond = [
        text for text in texts if isinstance(text, str) and PyUnicode_KIND(text) == PyUnicode_4BYTE_KIND
    ]
    return classes_in("".join(beyond)) if beyond else class_table()


cdef class _Reader:
    """Reads one text after another."""

    cdef const uint16_t[::1] classes
    cdef const uint32_t[::1] lowered
    cdef uint64_t multiplier
    cdef uint64_t[::1] hashes
    cdef Py_ssize_t n_hashes

    cdef inline void add(self, uint64_t value) noexcept:
        self.hashes[self.n_hashes] = value
        self.n_hashes += 1

    cdef int read(self, str text, int64_t* counts, int64_t* edges) except -1:
        """Add the words of *text*, and write its counts and edges."""
        cdef Py_UCS4 character
        cdef uint32_t code, flags, lower, last = 0, last_code = 0
        cdef uint64_t value = 0, power = 0  # the power is 0 outside of words
        cdef Py_ssize_t n_before = self.n_hashes
        # Local variables, so that the compiler keeps them in registers.
        cdef int64_t chars = 0, letters = 0, uppers = 0, digits = 0, marks = 0, commas = 0, full_stops = 0
        cdef int64_t currency = 0, copyrights = 0, bars = 0, ats = 0
        cdef uint32_t first = 0
        cdef bint after_space = False, is_begun = False
        cdef const uint16_t* classes = &self.classes[0]
        cdef const uint32_t* lowered = &self.lowered[0]
        for character in text:
            code = character
            flags, lower = classes[code], lowered[code] if code < N_TABLED else code
            if flags >> TOKEN & 1 and not flags >> UNSPACED & 1:
                if not power:
                    value, power = 0, 1
                value += lower * power
                power *= self.multiplier
            elif power:
                self.add(value)
                power = 0
            if flags >> WHITESPACE & 1:
                chars += not after_space
                after_space = True
                continue
            if flags >> UNSPACED & 1:
                self.add(lower)
            after_space = False
            if not is_begun:
                first, is_begun = flags, True
            last, last_code = flags, code
            chars += 1
            letters += flags >> LETTER & 1
            uppers += flags >> UPPER & 1
            digits += flags >> DIGIT & 1
            if flags >> LETTER & 1:
                continue  # letters are most of the characters, and none of the following
            marks += flags >> MARK & 1
            commas += flags >> COMMA & 1
            full_stops += flags >> FULL_STOP & 1
            currency += flags >> CURRENCY & 1
            copyrights += code == 0xA9
            bars += code == 0x7C
            ats += code == 0x40
        if power:
            self.add(value)
        counts[0], counts[1], counts[2], counts[3] = chars, self.n_hashes - n_before, letters, uppers
        counts[4], counts[5], counts[6], counts[7] = digits, marks, commas, full_stops
        counts[8], counts[9], counts[10], counts[11] = currency, copyrights, bars, ats
        edges[0], edges[1], edges[2] = first, last, last_code
        return 0


def read_texts(list texts):
    cdef _Reader reader = _Reader()
    cdef Py_ssize_t i, n = len(texts)
    # No text has more words than characters; the system gives memory only to the parts that are written.
    hashes = np.empty(sum(map(len, texts)), dtype=np.uint64)
    counts, edges = np.empty((n, N_COUNTS), dtype=np.int64), np.empty((n, 3), dtype=np.int64)
    cdef int64_t[:, ::1] count_rows = counts, edge_rows = edges
    reader.classes, reader.lowered = _classes_in(texts), lower_table()
    reader.multiplier, reader.hashes = MULTIPLIER, hashes
    for i in range(n):
        reader.read(texts[i], &count_rows[i, 0], &edge_rows[i, 0])
    return counts, edges, hashes[: reader.n_hashes].copy()


cdef class _AsciiReader:
    """Reads one text after another, with words of ASCII."""

    cdef const uint16_t[::1] classes
    cdef const uint64_t[::1] stopwords
    cdef uint64_t multiplier
    cdef int shift

    cdef void end_word(self, int64_t* counts, uint64_t value, Py_ssize_t length, bint is_year) noexcept:
        counts[1] += 1
        counts[2] += length
        counts[3] += self.stopwords[value * self.multiplier >> self.shift] == value
        counts[11] += is_year

    cdef uint64_t read(self, str text, int64_t* counts, int64_t* last) except? 0:
        """Write the counts of *text* and its last character, and return its hash."""
        cdef Py_UCS4 character
        cdef uint32_t code, flags
        cdef uint32_t before = 0, before_that = 0, code_before = 0, code_before_that = 0
        cdef uint32_t last_code = 0
        cdef uint64_t hash = 0, power = 1, value = 0, word_power = 0
        cdef Py_ssize_t length = 0, n_chars = 0
        cdef bint is_year = False, in_token = False, is_token
        memset(counts, 0, N_ASCII_COUNTS * sizeof(int64_t))
        for character in text:
            code = character
            flags = self.classes[code]
            if flags >> WHITESPACE & 1:
                if before >> WHITESPACE & 1:
                    continue
                code = 0x20
            else:
                last_code = code
            hash += code * power
            power *= self.multiplier
            n_chars += last_code != 0  # not the space before the first
            if flags >> WORD & 1:
                if not length:
                    value, word_power, is_year = 0, 1, not before >> FOREIGN_WORD & 1
                    counts[4] += flags >> CAPITAL & 1
                value += code * word_power
                word_power *= self.multiplier
                length += 1
                is_year &= flags >> DIGIT & 1
            elif length:
                self.end_word(counts, value, length, is_year and length == 4 and not flags >> FOREIGN_WORD & 1)
                length = 0
            is_token = flags >> TOKEN & 1 and not flags >> UNSPACED & 1
            counts[12] += is_token and not in_token
            in_token = is_token
            if flags != LOWER_CASE:  # most characters are only counted
                counts[5] += flags >> UPPER & before >> WHITESPACE & before_that >> SENTENCE_END & 1
                counts[6] += flags >> PUNCTUATION & 1
                counts[7] += flags >> DIGIT & 1
                counts[8] += code == 0xA9
                counts[9] += code == 0x40
                counts[10] += code == 0x2F and code_before == 0x2F and code_before_that == 0x3A
                counts[12] += flags >> UNSPACED & 1
            before_that, before = before, flags
            code_before_that, code_before = code_before, code
        if length:
            self.end_word(counts, value, length, is_year and length == 4)
        counts[0], counts[5], last[0] = n_chars - (before >> WHITESPACE & 1), counts[5] + 1, last_code
        return hash


def read_ascii_texts(list texts):
    cdef _AsciiReader reader = _AsciiReader()
    cdef Py_ssize_t i, n = len(texts)
    counts, last = np.empty((n, N_ASCII_COUNTS), dtype=np.int64), np.empty(n, dtype=np.int64)
    hashes = np.empty(n, dtype=np.uint64)
    cdef int64_t[:, ::1] count_rows = counts
    cdef int64_t[::1] last_codes = last
    cdef uint64_t[::1] text_hashes = hashes
    reader.classes, reader.stopwords = _classes_in(texts), stopword_table()
    reader.multiplier, reader.shift = MULTIPLIER, SLOT_SHIFT
    for i in range(n):
        text_hashes[i] = reader.read(texts[i], &count_rows[i, 0], &last_codes[i])
    return counts, last, hashes


def count_between_spaces(list texts):
    cdef const uint16_t[::1] classes = _classes_in(texts)
    cdef uint32_t flags
    cdef Py_ssize_t i, n = len(texts)
    cdef Py_UCS4 character
    # Arithmetic in place of branches, which would be mispredicted at the ends of words.
    cdef int64_t is_inside, is_word, is_token, is_visible
    cdef str text
    tokens, words = np.zeros((2, n), dtype=np.int64)
    cdef int64_t[::1] n_tokens = tokens, n_words = words
    for i in range(n):
        text = texts[i]
        is_inside = is_word = 0
        for character in text:
            flags = classes[character]
            if flags >> UNSPACED & 1:
                n_tokens[i] += 1
                n_words[i] += 1
                is_inside = is_word = 0
                continue
            is_visible, is_token = ~flags >> SPACE & 1, flags >> TOKEN & 1
            n_tokens[i] += is_visible & ~is_inside
            is_inside = is_visible
            n_words[i] += is_token & ~is_word
            is_word = is_visible & (is_word | is_token)
    return tokens, words


def count_blocks(const int64_t[:, ::1] counts, const int64_t[::1] starts, const int64_t[::1] around):
    cdef Py_ssize_t block, i, column, n = starts.shape[0], stop
    result, sums = np.zeros((N_COUNTS + 3, n)), np.zeros((3, n + 1))
    cdef double[:, ::1] table = result, before = sums
    cdef double words, linked
    for block in range(n):
        stop = starts[block + 1] if block + 1 < n else counts.shape[0]
        for i in range(starts[block], stop):
            for column in range(N_COUNTS):
                table[column, block] += counts[i, column]
            table[N_COUNTS, block] += counts[i, 1] * (around[i] & 1)
            table[N_COUNTS + 1, block] += counts[i, 1] * (around[i] >> 1 & 1)
        words, linked = table[1, block], table[N_COUNTS, block]
        if words >= LONG_BLOCK and table[7, block] > 0 and linked < words / 2:
            table[N_COUNTS + 2, block] = words
        before[0, block + 1], before[1, block + 1] = before[0, block] + words, before[1, block] + linked
        before[2, block + 1] = before[2, block] + table[N_COUNTS + 2, block]
    return result, sums


def measure_words(const uint64_t[::1] hashes, const int64_t[::1] bounds, const uint8_t[::1] is_long):
    cdef Py_ssize_t i, block, n_words = hashes.shape[0], n = bounds.shape[0] - 1
    cdef uint64_t number, key, multiplier = MULTIPLIER
    cdef int shift = SLOT_SHIFT
    cdef double total = 0, before
    cdef bint is_stopword
    # How often each number occurs, and the first and the last long block with it, counted from 1.
    cdef int32_t[:, ::1] table = np.zeros((N_NUMBERS, 3), dtype=np.int32)
    cdef const uint64_t[::1] stopwords = stopword_table()
    frequencies, results, keys = np.empty(n_words), np.zeros((3, n)), np.empty(n, dtype=np.uint64)
    bag, sizes = np.empty(min(n_words, 2 * BAG_END * n), dtype=np.int64), np.zeros(n, dtype=np.int64)
    cdef int64_t[::1] bag_numbers = bag, bag_sizes = sizes
    cdef Py_ssize_t n_bag = 0
    cdef double[::1] common = frequencies
    cdef double[:, ::1] result = results
    cdef uint64_t[::1] key_of = keys
    for block in range(n):
        key = 0
        for i in range(bounds[block], bounds[block + 1]):
            key += hashes[i] * (2 * <uint64_t>(i - bounds[block]) + 1)
            number = _number(hashes[i], NUMBER_SHIFT)
            table[number, 0] += 1
            if i < bounds[block] + BAG_END or i >= bounds[block + 1] - BAG_END:
                bag_numbers[n_bag] = number
                n_bag += 1
                bag_sizes[block] += 1
            if is_long[block]:
                if not table[number, 1]:
                    table[number, 1] = block + 1
                table[number, 2] = block + 1
        key_of[block] = key
    for i in range(n_words):
        common[i] = table[_number(hashes[i], NUMBER_SHIFT), 0]
    np.log(frequencies, out=frequencies)
    frequencies /= np.log(n_words + 2)
    for block in range(n):
        before = total
        for i in range(bounds[block], bounds[block + 1]):
            number = _number(hashes[i], NUMBER_SHIFT)
            is_stopword = stopwords[hashes[i] * multiplier >> shift] == hashes[i]
            result[0, block] += is_stopword
            total += common[i]
            if not is_stopword and table[number, 2]:
                result[2, block] += table[number, 1] != block + 1 or table[number, 2] != block + 1
        result[1, block] = total - before
    return results[0], results[1], results[2], keys, bag[:n_bag], sizes


def count_among(const uint64_t[::1] hashes, const int64_t[::1] bounds, values):
    cdef const uint64_t[::1] wanted = np.sort(values)
    cdef Py_ssize_t i, span, n = bounds.shape[0] - 1, low, high, middle, n_wanted = wanted.shape[0]
    cdef uint8_t seen[1 << 13]  # which 13-bit hashes of *values* occur; this rejects most words
    counts = np.zeros(n, dtype=np.int64)
    cdef int64_t[::1] count = counts
    memset(seen, 0, sizeof(seen))
    for i in range(n_wanted):
        seen[_number(wanted[i], 51)] = 1
    for span in range(n):
        for i in range(bounds[span], bounds[span + 1]):
            if not seen[_number(hashes[i], 51)]:
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


cdef inline uint64_t _number(uint64_t value, int shift) noexcept:
    return value * <uint64_t>0x9E3779B97F4A7C15 >> shift
