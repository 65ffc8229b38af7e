# Loops over the characters of texts and pages, a part of `_reader.pyx`. `reader.py` says what the results are.

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_FromKindAndData, PyUnicode_KIND
from libc.stdint cimport uint16_t, uint32_t

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
