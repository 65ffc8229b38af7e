# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Measures of blocks, and columns that are computed from them; `measures.py` does the same, and describes them."""

from libc.stdint cimport int64_t, uint8_t

import numpy as np

from scrapy_web2text.features.characters import CharacterClass
from scrapy_web2text.features.modern import measures
from scrapy_web2text.features.texts import count_among

cdef enum:
    # The rows of `COUNT_NAMES`.
    CHARS, WORDS, LETTERS, UPPER, DIGITS, MARKS, COMMAS, FULL_STOPS, CURRENCY, COPYRIGHTS, BARS, ATS, LINKED, BOLD, LONG

ctypedef double* Row

cdef int64_t IS_UPPER = int(CharacterClass.UPPER), IS_DIGIT = int(CharacterClass.DIGIT)
cdef int64_t IS_LETTER = int(CharacterClass.LETTER), IS_COMMA = int(CharacterClass.COMMA)
cdef int64_t IS_FULL_STOP = int(CharacterClass.FULL_STOP)
cdef double NEAR_ZERO = 1e-9


cdef class _Rows:
    """The rows of a table, by the names of its measures."""

    cdef double[:, ::1] matrix
    cdef object places

    def __cinit__(self, rows):
        self.matrix, self.places = rows.matrix, rows.places

    cdef Row find(self, str name, Py_ssize_t variant=0) except NULL:
        place = self.places[name]
        return &self.matrix[<Py_ssize_t>(place.start if isinstance(place, slice) else place) + variant, 0]

    cdef fill(self, str name, double value):
        """Set the measure of all variants to a value."""
        self.matrix.base[self.places[name]] = value


cdef inline double _larger(double first, double second) noexcept:
    return first if first > second else second


cdef inline double _smaller(double first, double second) noexcept:
    return first if first < second else second


def write_columns(
    const double[:, ::1] matrix, const int64_t[::1] columns, const int64_t[::1] parts, const int64_t[::1] wholes,
    const double[::1] factors, float[:, ::1] out,
):
    cdef Py_ssize_t i, column
    cdef double value, whole
    for i in range(out.shape[0]):
        for column in range(columns.shape[0]):
            value = matrix[parts[column], i]
            if wholes[column] < 0:
                value /= factors[column]
            else:
                whole = matrix[wholes[column], i]
                value = value / _larger(whole, NEAR_ZERO) * ((whole > 0) * factors[column])
            out[i, columns[column]] = value


def measure_text(context, rows):
    cdef _Rows own = _Rows(rows)
    _measure_characters(context, own)
    _measure_counts(context.count_table, own)
    _measure_words(context, own)


cdef _measure_characters(context, _Rows rows):
    cdef const int64_t[:, ::1] edges = context.edges
    cdef const int64_t[::1] starts = context.blocks.starts, ends = context.blocks.ends
    cdef Row upper = rows.find("begins_upper"), digit = rows.find("begins_digit")
    cdef Row letter = rows.find("begins_letter"), full_stop = rows.find("ends_full_stop")
    cdef Row comma = rows.find("ends_comma"), last_letter = rows.find("ends_letter")
    cdef Row question = rows.find("ends_question"), ellipsis = rows.find("ends_ellipsis")
    cdef int64_t first, last, code
    cdef Py_ssize_t i
    for i in range(starts.shape[0]):
        first, last, code = edges[starts[i], 0], edges[ends[i] - 1, 1], edges[ends[i] - 1, 2]
        upper[i], digit[i], letter[i] = first & IS_UPPER != 0, first & IS_DIGIT != 0, first & IS_LETTER != 0
        full_stop[i], comma[i] = last & IS_FULL_STOP != 0, last & IS_COMMA != 0
        last_letter[i] = last & IS_LETTER != 0
        question[i], ellipsis[i] = code == 0x3F or code == 0xFF1F, code == 0x2026


cdef _measure_counts(const double[:, ::1] counts, _Rows rows):
    cdef Row length = rows.find("word_length"), five = rows.find("words_5"), fifteen = rows.find("words_15")
    cdef Row forty = rows.find("words_40"), one = rows.find("is_one_word"), none = rows.find("has_no_word")
    cdef Row of_longest = rows.find("words_of_longest"), numeric = rows.find("is_numeric")
    cdef Row all_upper = rows.find("is_upper"), currency = rows.find("has_currency")
    cdef Row copyright = rows.find("has_copyright"), bar = rows.find("has_bar"), at = rows.find("has_at")
    cdef double words, letters, upper, longest = 1
    cdef Py_ssize_t i, n = counts.shape[1]
    for i in range(n):
        longest = _larger(counts[WORDS, i], longest)
    for i in range(n):
        words, letters, upper = counts[WORDS, i], counts[LETTERS, i], counts[UPPER, i]
        length[i] = _smaller(counts[CHARS, i] / _larger(words, NEAR_ZERO) * (words > 0), 20)
        five[i], fifteen[i], forty[i] = words >= 5, words >= 15, words >= 40
        one[i], none[i], of_longest[i] = words <= 1, words == 0, words / longest
        numeric[i] = letters == 0 and counts[DIGITS, i] > 0
        all_upper[i] = upper > 1 and upper >= 0.8 * letters
        currency[i], copyright[i] = counts[CURRENCY, i] > 0, counts[COPYRIGHTS, i] > 0
        bar[i], at[i] = counts[BARS, i] > 0, counts[ATS, i] > 0


cdef _measure_words(context, _Rows rows):
    cdef const double[::1] n_stopwords = context.n_stopwords, commonness = context.commonness
    cdef const double[::1] n_shared = context.n_shared
    cdef const int64_t[::1] bounds = context.bounds, n_copies = context.n_copies
    cdef const uint8_t[::1] is_repeat = context.is_repeat.view(np.uint8)
    cdef Row stopwords = rows.find("n_stopwords"), common = rows.find("commonness")
    cdef Row overlap = rows.find("long_overlap"), copies = rows.find("n_copies"), repeat = rows.find("is_repeat")
    cdef Py_ssize_t i
    for i in range(n_copies.shape[0]):
        stopwords[i], common[i], copies[i], repeat[i] = n_stopwords[i], commonness[i], n_copies[i], is_repeat[i]
        overlap[i] = n_shared[i] / _larger((bounds[i + 1] - bounds[i]) - n_stopwords[i], NEAR_ZERO)


def measure_title(context, rows):
    cdef _Rows own = _Rows(rows)
    cdef const double[:, ::1] counts = context.count_table
    cdef const int64_t[::1] bounds = context.bounds, tags = context.container_tags, of_h1
    cdef const int64_t[::1] shared = count_among(context.hashes, context.bounds, context.title_words)
    cdef Row overlap = own.find("title_overlap"), covered = own.find("title_covered")
    cdef Row likeness = own.find("title_likeness"), h1_overlap = own.find("h1_overlap")
    cdef Row after = own.find("behind_title"), from_title = own.find("from_title"), from_h1 = own.find("from_h1")
    cdef double size = max(len({*context.title_words.tolist()}), 1)
    cdef Py_ssize_t n = tags.shape[0], i, title = 0, h1 = n
    cdef int64_t h1_tag = measures.H1
    for i in range(n):
        h1 = i if h1 == n and tags[i] == h1_tag else h1
        covered[i], overlap[i] = _smaller(shared[i] / size, 1), shared[i] / _larger(counts[WORDS, i], 1)
        likeness[i] = covered[i] * overlap[i]
        title = i if likeness[i] > likeness[title] else title
    own.fill("has_h1", h1 < n)
    h1 = h1 if h1 < n else 0
    title = title if likeness[title] > <double>measures.LEAST_LIKENESS else h1
    of_h1 = count_among(context.hashes, context.bounds, context.hashes[bounds[h1] : bounds[h1 + 1]])
    cdef const double[::1] logs = np.log1p(np.arange(n))
    for i in range(n):
        h1_overlap[i], after[i] = of_h1[i] / _larger(counts[WORDS, i], 1), i >= title
        from_title[i] = logs[i - title] if i >= title else -logs[title - i]
        from_h1[i] = logs[i - h1] if i >= h1 else -logs[h1 - i]


def measure_groups(context, rows):
    cdef _Rows own = _Rows(rows)
    cdef const double[:, ::1] counts = context.count_table
    cdef const int64_t[:, ::1] groups = context.groups
    cdef Py_ssize_t n = counts.shape[1], kind, i, group
    cdef double[:, ::1] sums
    cdef int64_t[:, ::1] places
    cdef Row size, mean, words, linked, long, rank, spread
    for kind in range(groups.shape[0]):
        sums, places = np.zeros((3, n)), np.zeros((3, n), dtype=np.int64)  # number of blocks; the first and the last
        size, mean, words = own.find("size", kind), own.find("mean_words", kind), own.find("group_words", kind)
        linked, long = own.find("group_linked", kind), own.find("group_long", kind)
        rank, spread = own.find("rank", kind), own.find("spread", kind)
        for i in range(n):
            group = groups[kind, i]
            if not places[0, group]:
                places[1, group] = i
            rank[i] = places[0, group]
            places[0, group] += 1
            places[2, group] = i
            sums[0, group] += counts[WORDS, i]
            sums[1, group] += counts[LINKED, i]
            sums[2, group] += counts[LONG, i]
        for i in range(n):
            group = groups[kind, i]
            size[i] = places[0, group]
            words[i], linked[i], long[i] = sums[0, group], sums[1, group], sums[2, group]
            mean[i], rank[i] = words[i] / size[i], rank[i] / size[i]
            spread[i] = <double>(places[2, group] - places[1, group]) / n
    own.fill("page_words", context.words_before[context.n_blocks])


def measure_candidates(context, rows):
    cdef _Rows own = _Rows(rows)
    cdef const double[::1] words = context.words_before, linked = context.linked_before, long = context.long_before
    cdef const int64_t[::1] firsts = context.cdom.first_leaves, lasts = context.cdom.last_leaves
    cdef const int64_t[::1] depths = context.cdom.node_depths
    cdef Py_ssize_t n = words.shape[0] - 1, n_nodes = firsts.shape[0], variant, i, node
    cdef int64_t first, stop, depth
    cdef int64_t[2] starts = [0, 0]
    cdef int64_t[2] ends = [n, n]
    cdef double[2] best = [-1, -1]
    cdef double share, gain, density, value
    cdef Row inside, after, distance, progress, word_share
    for node in range(n_nodes + 1):
        first, stop = firsts[node] if node < n_nodes else 0, lasts[node] + 1 if node < n_nodes else n
        depth = depths[node] if node < n_nodes else 0
        gain = long[stop] - long[first]
        density = gain / _larger(words[stop] - words[first] + (linked[stop] - linked[first]) + (stop - first), NEAR_ZERO)
        for variant in range(2):
            value = gain * (density * density * density if variant else density) + 1e-3 * depth * (gain > 0)
            if value > best[variant]:
                best[variant], starts[variant], ends[variant] = value, first, stop
    for variant in range(2):
        first, stop = starts[variant], ends[variant]
        inside, after = own.find("is_inside", variant), own.find("is_after", variant)
        distance, progress = own.find("distance", variant), own.find("progress", variant)
        word_share = own.find("word_share", variant)
        share = (words[stop] - words[first]) / _larger(words[n], NEAR_ZERO)
        for i in range(n):
            inside[i], after[i], word_share[i] = first <= i < stop, i >= stop, share
            distance[i] = _larger(_larger(first - i, i - stop + 1), 0)
            progress[i] = _smaller(_larger(<double>(i - first) / _larger(stop - first, 1), 0), 1)
