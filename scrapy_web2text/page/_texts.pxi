# Loops over the characters of texts and pages, a part of `_reader.pyx`. `reader.py` says what the results are.

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_FromKindAndData, PyUnicode_KIND
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(uint32_t character)

ctypedef fused Character:
    uint8_t
    uint16_t
    uint32_t


def collapse_texts(texts):
    cdef str text
    cdef int kind
    cdef list collapsed = []
    for text in texts:
        kind = PyUnicode_KIND(text)
        if kind == 1:
            text = _collapse(text, <uint8_t*>PyUnicode_DATA(text))
        elif kind == 2:
            text = _collapse(text, <uint16_t*>PyUnicode_DATA(text))
        else:
            text = _collapse(text, <uint32_t*>PyUnicode_DATA(text))
        collapsed.append(text)
    return collapsed


cdef inline bint _is_space(uint32_t character) noexcept:
    return (character <= 32 or character >= 128) and Py_UNICODE_ISSPACE(character)


cdef str _collapse(str text, Character* characters):
    cdef Py_ssize_t n = len(text), i = 0, size = 0
    cdef bint after_space = True
    while i < n and (not _is_space(characters[i]) or (characters[i] == 32 and not after_space)):
        after_space = characters[i] == 32
        i += 1
    if i == n and not after_space:
        return text
    cdef Character* kept = <Character*>malloc((n + 1) * sizeof(Character))
    if kept == NULL:
        raise MemoryError
    after_space = True
    for i in range(n):
        if not _is_space(characters[i]):
            kept[size] = characters[i]
            size += 1
            after_space = False
        elif not after_space:
            kept[size] = 32
            size += 1
            after_space = True
    try:
        return PyUnicode_FromKindAndData(sizeof(Character), kept, size - (after_space and size > 0))
    finally:
        free(kept)


def is_utf_8(page):
    cdef bytes body = bytes(page)  # a copy of an instance of a subclass only
    cdef const uint8_t* characters = body
    cdef Py_ssize_t n = len(body), i = 0, size, k
    cdef uint64_t eight
    cdef uint8_t first, low, high
    while i < n:
        if n - i >= 8:
            memcpy(&eight, characters + i, 8)
            if not eight & <uint64_t>0x8080808080808080:
                i += 8
                continue
        first = characters[i]
        if first < 0x80:
            i += 1
            continue
        # The first byte says how many follow, and which of them can be the second.
        size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        low = 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80
        high = 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF
        if not 0xC2 <= first <= 0xF4 or n - i < size or not low <= characters[i + 1] <= high:
            return False
        for k in range(2, size):
            if characters[i + k] & 0xC0 != 0x80:
                return False
        i += size
    return True
