# The attributes of elements, a part of `_reader.pyx`. The texts of attributes that are only hashed become no objects.

from libc.stdint cimport uint32_t, uint64_t

from scrapy_web2text.page import reader

cdef enum:
    # The values of `AttributeKind`
    NAME = 1 << 0
    WHOLE = 1 << 1
    MARK = 1 << 2

cdef uint32_t N_NAME_HASHES = reader.N_NAME_HASHES
cdef int MOST_NAME_WORDS = reader.MOST_NAME_WORDS, LONGEST_NAME = reader.LONGEST_NAME
cdef uint32_t[256] CRC_TABLE


def read_values(Nodes elements, const int64_t[::1] indices, names):
    """Return the values of each of the attributes *names*, as `reader.read_values` does."""
    cdef list columns = [{} for _ in names]
    numbers = {name: number for number, name in enumerate(names)}
    cdef _Attributes found = _Attributes(elements, indices, lambda name: numbers.get(name, -1))
    while found.next():
        (<dict>columns[found.number])[found.element] = _decode(found.value)
    return columns


def read_attributes(Nodes elements, const int64_t[::1] indices, kind_of, mark_of):
    """Return what the attributes of the elements at *indices* hold, as `reader.read_attributes` does."""
    cdef _Attributes found = _Attributes(elements, indices, kind_of)
    cdef _Words words = _Words()
    cdef Py_ssize_t i
    n_names, marks = np.zeros((2, elements.size), dtype=np.int64)
    classes = np.zeros(elements.size, dtype=np.uint64)
    cdef int64_t[::1] all_n_names = n_names, all_marks = marks
    cdef uint64_t[::1] all_classes = classes
    while found.next():
        i = found.element
        if found.number & NAME:
            all_n_names[i] += words.add(found.value)
        if found.number & WHOLE:
            all_classes[i] = <uint64_t>_crc(found.value, strlen(<const char*>found.value), 0) + 1
        if found.number & MARK:
            all_marks[i] |= <int64_t>mark_of(_decode(found.attribute.name), _decode(found.value))
    return {"names": words.hashes[: words.n].copy(), "n_names": n_names, "classes": classes, "marks": marks}


cdef class _Attributes:
    """Goes through the attributes of *elements* whose names *number_of* does not give -1."""

    cdef Nodes _nodes
    cdef const int64_t[::1] _elements
    cdef _NameNumbers _names
    cdef object _text  # keeps `value` alive
    cdef Py_ssize_t _i
    cdef Py_ssize_t element
    cdef tree.xmlAttr* attribute
    cdef int64_t number
    cdef const unsigned char* value

    def __cinit__(self, Nodes nodes, const int64_t[::1] elements, number_of):
        self._nodes, self._elements, self._names = nodes, elements, _NameNumbers(number_of)

    cdef bint next(self) except -1:
        """Go to the next attribute; return whether there is one."""
        while True:
            if self.attribute != NULL:
                self.attribute = self.attribute.next
            while self.attribute == NULL:
                if self._i == self._elements.shape[0]:
                    return False
                if self._i % BATCH == 0:
                    check_time()
                self.element = self._elements[self._i]
                self._i += 1
                if self._nodes._nodes[self.element].type == tree.XML_ELEMENT_NODE:
                    self.attribute = self._nodes._nodes[self.element].properties
            if self.attribute.type == tree.XML_ATTRIBUTE_NODE and (
                self.attribute.ns == NULL or self.attribute.ns.href == NULL
            ):
                self.number = self._names.find(self.attribute.name)
                if self.number >= 0:
                    self.read_value(self.attribute.children)
                    return True

    cdef int read_value(self, Node text) except -1:
        self.value = b""
        if text != NULL and text.next == NULL and text.type == tree.XML_TEXT_NODE:
            if text.content != NULL:
                self.value = text.content
        elif text != NULL:  # in pieces, as with entities in XML
            self._text = self._nodes[self.element].get(_decode(self.attribute.name)).encode()
            self.value = self._text
        return 0


cdef class _Words:
    """The hashes of the words in names, by the rules of `reader.hash_name`."""

    cdef object hashes
    cdef int64_t[::1] _values
    cdef Py_ssize_t n

    def __cinit__(self):
        self.hashes = self._values = np.empty(1 << 10, dtype=np.int64)

    cdef int add(self, const unsigned char* name) except -1:
        """Add the words of *name*; return how many there are."""
        cdef int size = 0, start = 0, end = 0, n = 0
        if self.n + MOST_NAME_WORDS > self._values.shape[0]:
            self.hashes = self._values = np.concatenate([self.hashes, self.hashes])
        while size < LONGEST_NAME and name[size] != 0:
            if name[size] >= 128:
                for value in reader.hash_name(_decode(name)):
                    self._values[self.n] = value
                    self.n += 1
                    n += 1
                return n
            size += 1
        while start < size and n < MOST_NAME_WORDS:
            while end < size and b"A" <= name[end] <= b"Z":
                end += 1
            if end - start > 1 and end < size and b"a" <= name[end] <= b"z":
                end -= 1  # the last capital begins the next word
            else:
                while end < size and b"a" <= name[end] <= b"z":
                    end += 1
            if end > start:
                self._values[self.n] = _crc(name + start, end - start, 32) % N_NAME_HASHES
                self.n += 1
                n += 1
            else:
                end += 1
            start = end
        return n


cdef uint32_t _crc(const unsigned char* text, Py_ssize_t size, uint32_t bits) noexcept:
    """Return the CRC-32 of *text*, as zlib does. *bits* are set in each byte; 32 changes letters to lower case."""
    cdef uint32_t crc = 0xFFFFFFFF
    cdef Py_ssize_t i
    for i in range(size):
        crc = CRC_TABLE[(crc ^ (text[i] | bits)) & 255] ^ (crc >> 8)
    return ~crc


cdef int _fill_crc_table() noexcept:
    cdef uint32_t i, crc
    for i in range(256):
        crc = i
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
        CRC_TABLE[i] = crc
    return 0


_fill_crc_table()
