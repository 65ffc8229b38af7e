# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The arrays of a page, read from the nodes of libxml2 below lxml's elements.

It does what `reader.py` does, without an object for each element, text and attribute. Only fields of nodes that
libxml2 has had for twenty years are read: no function of libxml2 is called, so that nothing is linked. Names are the
same pointer wherever they occur in a document, so a name is looked up once.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint8_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset, strlen
from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Element, elementFactory, import_lxml__etree

from bisect import bisect_right

import numpy as np

from scrapy_web2text.common.budget import check_time
from scrapy_web2text.page.reader import check_lxml

# Both raise an ImportError if this module was built for another version or interface of lxml.
check_lxml()
import_lxml__etree()

cdef enum:
    N_CACHED = 1 << 10  # names of a page that are looked up once
    BATCH = 512  # elements between two checks of the time limit

EDITED = "the tree was edited while it was read"

ctypedef tree.xmlNode* Node


cdef class Nodes:
    """The elements of a page in preorder; lxml elements are created on demand.

    The nodes live as long as the roots, which must not be edited meanwhile.
    """

    cdef list _roots, _starts
    cdef Nodes _source  # the same nodes in another order, if there are no roots
    cdef const int64_t[::1] _order
    cdef Node* _nodes
    cdef dict _known
    cdef readonly Py_ssize_t size

    def __dealloc__(self):
        free(self._nodes)

    def __len__(self):
        return self.size

    def __iter__(self):
        return (self[i] for i in range(self.size))

    def __getitem__(self, Py_ssize_t i):
        if i < 0:
            i += self.size
        if not 0 <= i < self.size:
            raise IndexError(i)
        if self._source is not None:
            return self._source[self._order[i]]
        element = self._known.get(i)
        if element is None:
            # The element is kept: lxml climbs to the root whenever one is deallocated.
            root = self._roots[bisect_right(self._starts, i) - 1]
            element = self._known[i] = elementFactory((<_Element>root)._doc, self._nodes[i])
        return element


def take_nodes(Nodes elements, const int64_t[::1] order):
    """Return the elements in another order, as `reader.take_nodes` does."""
    cdef Nodes nodes = Nodes()
    cdef Py_ssize_t i
    nodes._source, nodes._order, nodes.size = elements, order, order.shape[0]
    nodes._nodes = <Node*>malloc(max(nodes.size, 1) * sizeof(Node))
    if nodes._nodes == NULL:
        raise MemoryError
    for i in range(nodes.size):
        if not 0 <= order[i] < elements.size:
            raise IndexError(order[i])
        nodes._nodes[i] = elements._nodes[order[i]]
    return nodes


def mark_elements(Nodes elements, found):
    """Return which of the elements are in *found*, as `reader.mark_elements` does, by their addresses."""
    cdef set addresses = {<uintptr_t>(<_Element>node)._c_node for node in found if isinstance(node, _Element)}
    cdef Py_ssize_t i
    is_found = np.zeros(elements.size, dtype=bool)
    cdef uint8_t[::1] marks = is_found.view(np.uint8)
    for i in range(elements.size):
        marks[i] = <uintptr_t>elements._nodes[i] in addresses
    return is_found


cdef struct NameCache:
    const void* keys[N_CACHED]
    int64_t values[N_CACHED]


cdef class _NameNumbers:
    """Numbers of names; *number_of* is called once for each pointer, or more often if there are very many."""

    cdef NameCache _cache
    cdef object _number_of

    def __cinit__(self, number_of):
        self._number_of = number_of

    cdef int64_t find(self, const unsigned char* name) except? -9:
        cdef uintptr_t address = <uintptr_t><const void*>name
        cdef uintptr_t place = (address >> 3) ^ (address >> 13)
        cdef int tries
        for tries in range(8):
            place = (place + 1) % N_CACHED
            if self._cache.keys[place] == name:
                return self._cache.values[place]
            if self._cache.keys[place] == NULL:
                self._cache.values[place] = self._number_of(_decode(name))
                self._cache.keys[place] = name
                return self._cache.values[place]
        return self._number_of(_decode(name))


cdef inline str _decode(const unsigned char* text):
    return PyUnicode_DecodeUTF8(<const char*>text, strlen(<const char*>text), NULL)


cdef inline bint _is_element(Node node) noexcept:
    # The nodes that are elements in lxml.
    return (
        node.type == tree.XML_ELEMENT_NODE or node.type == tree.XML_COMMENT_NODE
        or node.type == tree.XML_ENTITY_REF_NODE or node.type == tree.XML_PI_NODE
    )


cdef inline Node _next_element(Node node) noexcept:
    while node != NULL and not _is_element(node):
        node = node.next
    return node


cdef inline Node _first_child(Node node) noexcept:
    return _next_element(node.children) if node.type == tree.XML_ELEMENT_NODE else NULL


cdef inline Node _text_node(Node node) noexcept:
    """Return *node*, or the next one that holds text, before the next element."""
    while node != NULL:
        if node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE:
            return node
        if node.type != tree.XML_XINCLUDE_START and node.type != tree.XML_XINCLUDE_END:
            return NULL
        node = node.next
    return NULL


cdef Py_ssize_t _count_nodes(Node root) noexcept:
    cdef Py_ssize_t n = 0
    cdef Node node = root
    cdef Node below
    while True:
        n += 1
        below = _first_child(node)
        while below == NULL:
            if node == root:
                return n
            below = _next_element(node.next)
            if below == NULL:
                node = node.parent
        node = below


cdef class _Walk:
    """Fills the arrays of a page, one subtree after another."""

    cdef Node* nodes
    cdef int64_t[::1] names, tags, parents, ends, open_slots, close_slots, slot_elements
    cdef uint8_t[::1] slot_has_text
    cdef const uint8_t[::1] without_text
    cdef int64_t template
    cdef _NameNumbers numbers
    cdef object number_of, is_leaf
    cdef list tag_of_name, texts, leaf_slots
    cdef Py_ssize_t n, slot
    cdef int in_template

    cdef int walk(self, Node root, Py_ssize_t parent) except -1:
        """Add the subtree of *root*, except for its own end tag."""
        cdef Node node = root
        cdef Node below
        cdef Py_ssize_t index = self.start(node, parent)
        while True:
            below = _first_child(node)
            while below == NULL:
                if node == root:
                    return 0
                self.end(index, node.next)
                below = _next_element(node.next)
                index = self.parents[index]
                if below == NULL:
                    node = node.parent
            node = below
            index = self.start(node, index)

    cdef Py_ssize_t start(self, Node node, Py_ssize_t parent) except -1:
        cdef Py_ssize_t index = self.n
        cdef int64_t name = 0
        cdef int64_t tag
        if index % BATCH == 0:
            check_time()
        if index == self.names.shape[0]:
            raise RuntimeError(EDITED)
        self.n += 1
        self.nodes[index] = node
        if node.type == tree.XML_ELEMENT_NODE:
            if node.ns == NULL or node.ns.href == NULL:
                name = self.numbers.find(node.name)
            else:
                name = self.number_of(f"{{{_decode(node.ns.href)}}}{_decode(node.name)}")
        self.names[index] = name
        tag = self.tags[index] = self.tag_of_name[name]
        self.parents[index] = parent
        if tag == self.template:
            self.in_template += 1
        self.open_slots[index] = self.slot
        self.slot_elements[self.slot] = index
        if not self.without_text[tag]:
            self.add_text(node.children)
        self.slot += 1
        return index

    cdef int end(self, Py_ssize_t index, Node following) except -1:
        self.ends[index] = self.n
        self.close_slots[index] = self.slot
        self.slot_elements[self.slot] = index
        if self.tags[index] == self.template:
            self.in_template -= 1
        self.add_text(following)
        self.slot += 1
        return 0

    cdef int end_with(self, Py_ssize_t index, str text) except -1:
        """End a subtree that *text* follows."""
        self.end(index, NULL)
        if text and not self.in_template:
            self.slot_has_text[self.slot - 1] = True
            if self.is_leaf(text):
                self.texts.append(text)
                self.leaf_slots.append(self.slot - 1)
        return 0

    cdef int add_text(self, Node node) except -1:
        """Add the text of the nodes from *node* on to the current slot."""
        node = _text_node(node)
        if node == NULL or self.in_template:
            return 0
        cdef Node after = _text_node(node.next)
        cdef const unsigned char* content = node.content
        cdef object joined = None
        if after != NULL:
            joined = _join(node)
            content = <const unsigned char*><const char*>joined
        if content == NULL or content[0] == 0:
            return 0
        self.slot_has_text[self.slot] = True
        while 0 < content[0] <= 32:
            content += 1
        if content[0] == 0:
            return 0  # whitespace and control characters
        cdef str text = _decode(<const unsigned char*><const char*>joined if joined is not None else node.content)
        if content[0] < 128 or self.is_leaf(text):
            self.texts.append(text)
            self.leaf_slots.append(self.slot)
        return 0


cdef bytes _join(Node node):
    cdef list parts = []
    while node != NULL:
        if node.content != NULL:
            parts.append(PyBytes_FromStringAndSize(<const char*>node.content, strlen(<const char*>node.content)))
        node = _text_node(node.next)
    return b"".join(parts)


def read_nodes(list roots, dict stray_texts, number_of, list tag_of_name, is_leaf, without_text, template):
    """Return the `Nodes` of a page and its arrays; `reader.read_nodes` has the parameters."""
    cdef Nodes nodes = Nodes()
    cdef _Walk walk = _Walk()
    cdef Py_ssize_t n = 0, i, index
    cdef _Element root
    for root in roots:
        n += _count_nodes(root._c_node)
    nodes._nodes = <Node*>malloc(n * sizeof(Node))
    if nodes._nodes == NULL:
        raise MemoryError
    nodes._roots, nodes._known, nodes.size = roots, {}, n
    nodes._starts = []
    names, tags, parents, ends, open_slots, close_slots = np.empty((6, n), dtype=np.int64)
    slot_elements, slot_has_text = np.empty(2 * n, dtype=np.int64), np.zeros(2 * n, dtype=bool)
    walk.nodes = nodes._nodes
    walk.names, walk.tags, walk.parents, walk.ends = names, tags, parents, ends
    walk.open_slots, walk.close_slots = open_slots, close_slots
    walk.slot_elements, walk.slot_has_text = slot_elements, slot_has_text.view(np.uint8)
    walk.without_text, walk.template = without_text.view(np.uint8), template
    walk.numbers, walk.number_of, walk.tag_of_name = _NameNumbers(number_of), number_of, tag_of_name
    walk.is_leaf, walk.texts, walk.leaf_slots = is_leaf, [], []
    for i in range(len(roots)):
        root = roots[i]
        index = walk.n
        nodes._starts.append(index)
        walk.walk(root._c_node, 0 if i else -1)
        if i and i in stray_texts:
            walk.end_with(index, stray_texts[i])
        elif i:
            walk.end(index, root._c_node.next)
    if walk.n != n:
        raise RuntimeError(EDITED)
    walk.end(0, NULL)
    return nodes, {
        "strays": np.array(nodes._starts[1:], dtype=np.int64), "name_numbers": names, "tags": tags, "parents": parents, "ends": ends,
        "open_slots": open_slots, "close_slots": close_slots, "slot_elements": slot_elements,
        "slot_has_text": slot_has_text, "texts": walk.texts,
        "leaf_slots": np.array(walk.leaf_slots, dtype=np.int64),
    }


include "_attributes.pxi"
include "_texts.pxi"
include "_tree.pxi"
