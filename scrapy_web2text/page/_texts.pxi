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


def drop_noise(str text):
    cdef int kind = PyUnicode_KIND(text)
    if kind == 1:
        return _drop_noise(text, <uint8_t*>PyUnicode_DATA(text))
    if kind == 2:
        return _drop_noise(text, <uint16_t*>PyUnicode_DATA(text))
    return _drop_noise(text, <uint32_t*>PyUnicode_DATA(text))


cdef inline bint _is_brace(uint32_t character) noexcept:
    return character == c"{" or character == c"}"


cdef inline bint _is_sign(uint32_t character) noexcept:
    return _is_brace(character) or character == c";"


cdef str _drop_noise(str text, Character* characters):
    cdef Py_ssize_t n = len(text), i = 0, end, done = 0
    cdef bint is_noise
    cdef uint32_t character
    cdef list pieces = []
    while i < n:
        character = characters[i]
        end = i + 1
        is_noise = False
        if character == c"/" and end < n and characters[end] == c"*":
            is_noise = True
            end += 1
            while end + 1 < n and not (characters[end] == c"*" and characters[end + 1] == c"/"):
                end += 1
            end = min(end + 2, n)
        elif character == c'"' or character == c"'":
            while end < n and characters[end] != character and characters[end] != c"\n":
                if characters[end] == c"\\":
                    if end + 1 == n:
                        break
                    end += 1
                    is_noise = is_noise or _is_sign(characters[end])
                is_noise = is_noise or _is_sign(characters[end])
                end += 1
            end += end < n and characters[end] != c"\\"
        elif character == c"u" and i + 4 <= n and text[i:i + 4] == "url(":
            end = i + 4
            while end < n and not (_is_space(characters[end]) or characters[end] in (c"(", c")", c'"', c"'")):
                is_noise = is_noise or _is_sign(characters[end])
                end += 1
            if end < n and characters[end] == c")":
                end += 1
            else:
                is_noise = False
                end = i + 1
        if is_noise:
            pieces += [text[done:i], " "]
            done = end
        i = end
    pieces.append(text[done:])
    return "".join(pieces) if done else text


def empty_rules(str sheet, names):
    cdef int kind = PyUnicode_KIND(sheet)
    if kind == 1:
        return _empty_rules(sheet, <uint8_t*>PyUnicode_DATA(sheet), names)
    if kind == 2:
        return _empty_rules(sheet, <uint16_t*>PyUnicode_DATA(sheet), names)
    return _empty_rules(sheet, <uint32_t*>PyUnicode_DATA(sheet), names)


cdef inline bint _begins_name(uint32_t character) noexcept:
    return c"a" <= character | 32 <= c"z" or character == c"_"


cdef inline bint _is_in_name(uint32_t character) noexcept:
    """Return whether an ASCII character can be in the name of a class or id."""
    return (
        _begins_name(character) or c"-" == character or c"0" <= character <= c"9" or character == c"?"
        or (character < 32 and not _is_space(character)) or character == 127
    )


cdef inline bint _ends_group(uint32_t character, uint32_t opening) noexcept:
    """Return whether a group ends here, or is more than a list of simple selectors or a condition."""
    if character == c",":
        return opening == c"["
    return _is_brace(character) or character in (c";", c"@", c"\\", c"(", c")", c"[", c"]")


cdef str _empty_rules(str sheet, Character* characters, names):
    cdef Py_ssize_t n = len(sheet), i = 0, end, start, done = 0
    cdef bint is_simple, can_match, knows_all
    cdef uint32_t character
    cdef list pieces = []
    while True:
        # One round for each text between two braces, which may be the selectors of a rule.
        start, is_simple, can_match, knows_all = i, True, False, True
        while i < n and not _is_brace(characters[i]):
            character = characters[i]
            end = i + 1
            if character == c"," and is_simple:
                can_match, knows_all = can_match or knows_all, True
            elif (character == c"." or character == c"#") and is_simple:
                while end < n and characters[end] == c"-":
                    end += 1
                if end < n and _begins_name(characters[end]):
                    while end < n and _is_in_name(characters[end]):
                        end += 1
                    knows_all = knows_all and (can_match or sheet[i:end] in names)
                else:
                    end = i + 1
            elif (character == c"(" or character == c"[") and is_simple:
                while end < n and not _ends_group(characters[end], character):
                    end += 1
                is_simple = end < n and characters[end] == (c")" if character == c"(" else c"]")
                end += is_simple
            elif character >= 128 or character in (c";", c"@", c"\\", c")", c"]"):
                is_simple = False
            i = end
        if i == n:
            break
        i += 1
        if characters[i - 1] == c"}" or not is_simple or can_match or knows_all:
            continue
        end = i
        while end < n and not _is_brace(characters[end]):
            end += 1
        if end < n and characters[end] == c"}":
            pieces += [sheet[done:start], "{}"]
            done = i = end + 1
    pieces.append(sheet[done:])
    return "".join(pieces)
