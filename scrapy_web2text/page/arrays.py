"""A page as flat numpy arrays: its elements in preorder and its texts in document order.

Every tag is followed by a *slot*, a place for text. Element *i* has two of them: ``open_slots[i]`` after its start tag
(``element.text`` in lxml) and ``close_slots[i]`` after its end tag (``element.tail``). A page of n elements has 2n
slots, numbered in document order. A text that is more than whitespace and control characters is a *leaf*. Here are
three elements with their six slots, and the arrays of this page::

    <body> 0 <p> 1 "One" <b> 2 "two" </b> 3 " " </p> 4 "three" </body> 5

>>> page = tree_to_page(etree.HTML("<body><p>One<b>two</b> </p>three</body>"))
>>> [element.tag for element in page.elements]
['body', 'p', 'b']
>>> page.open_slots.tolist(), page.close_slots.tolist()
([0, 1, 2], [5, 4, 3])
>>> page.slot_elements.tolist()
[0, 1, 2, 2, 1, 0]
>>> page.slot_has_text.tolist()
[False, True, True, True, True, False]
>>> page.texts, page.leaf_slots.tolist()
(['One', 'two', 'three'], [1, 2, 4])

The slots from ``open_slots[i]`` up to, but not including, ``close_slots[i]`` are inside element *i*. Questions about
the tree become comparisons, shifts and cumulative sums over slots, and need neither node objects nor recursion:

>>> is_inside_p = (page.leaf_slots >= page.open_slots[1]) & (page.leaf_slots < page.close_slots[1])
>>> is_inside_p.tolist()
[True, True, False]
>>> page.count_enclosing(page.tags_in({"p", "b"})).tolist()
[0, 1, 2, 1, 0, 0]
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, IntArray, UintArray, sum_spans
from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.page import reader
from scrapy_web2text.page.browser_tree import ParsedArrays, differs_in_browsers, order_like_browsers
from scrapy_web2text.page.delimited_tex import ANY_SIGN, find_signs, has_signs, marks_formula, write_delimited
from scrapy_web2text.page.formulas import write_formulas
from scrapy_web2text.page.image_texts import write_image_texts
from scrapy_web2text.page.invisible import drop_invisible, has_invisible
from scrapy_web2text.page.reader import count_enclosing
from scrapy_web2text.page.tags import (
    HEADING_TAGS,
    INLINE_TAGS,
    TAG_NAMES,
    TEMPLATE,
    WITHOUT_TEXT,
    TagNumbers,
    tag_ids,
    tag_table,
)
from scrapy_web2text.page.tree import Landmarks, Root, find_roots

# A text of only these characters is not a leaf: whitespace by `str.isspace`, and control characters.
_WHITESPACE: Final = "".join(
    character for character in map(chr, range(0x3001)) if character <= " " or character.isspace()
)
_CODE_TAGS: Final = frozenset({"code", "pre", "textarea"})
_SILENT_IN_TREES: Final = WITHOUT_TEXT & (np.arange(len(TAG_NAMES)) != TEMPLATE)
_DIV, _CUSTOM = tag_ids(("div", "#custom")).tolist()
_IS_BLOCK: Final = ~tag_table(INLINE_TAGS | {"", "#comment"})


class Original(NamedTuple):
    """The whole document of a page in the tree that libxml2 built, which paths and selectors follow.

    :param slots: for each slot of the page, the slot of the document with its text; -1 for none. *Shape:* ``(2n,)``
    """

    page: Page
    slots: IntArray


@dataclass(frozen=True, eq=False)
class Page:
    """A page of n elements, comments included, and m text leaves, all in document order; see the module's example.

    :param root: the element that was passed to `tree_to_page`; for a whole page, the ``html`` element.
    :param elements: the lxml elements, for names of rare tags and for attributes.
    :param names: the different names of elements; the first is for comments.
    :param name_numbers: number of each element's name in `names`. *Shape:* ``(n,)``
    :param strays: the elements outside of the root that count as its children, in ascending order.
    :param parents: the parent of each element, -1 for the first. *Shape:* ``(n,)``
    :param tags: number of each element's tag in `TAG_NAMES`. *Shape:* ``(n,)``
    :param ends: one past the last element of each element's subtree. *Shape:* ``(n,)``
    :param open_slots: the slot after the start tag of each element. *Shape:* ``(n,)``
    :param close_slots: the slot after the end tag of each element. *Shape:* ``(n,)``
    :param slot_elements: the element whose start or end tag precedes each slot. *Shape:* ``(2n,)``
    :param slot_has_text: whether each slot has text, including whitespace. *Shape:* ``(2n,)``
    :param texts: raw text of each leaf. *Length:* m
    :param leaf_slots: the slot of each leaf. *Shape:* ``(m,)``
    :param formulas: the texts that are formulas.
    :param original: the document as libxml2 built it, if a browser builds another tree; else None.
    """

    root: etree._Element
    elements: Sequence[etree._Element]
    names: list[str]
    name_numbers: IntArray
    strays: IntArray
    parents: IntArray
    tags: IntArray
    ends: IntArray
    open_slots: IntArray
    close_slots: IntArray
    slot_elements: IntArray
    slot_has_text: BoolArray
    texts: list[str]
    leaf_slots: IntArray
    formulas: frozenset[str] = frozenset()
    original: Original | None = None

    @property
    def document_root(self) -> etree._Element:
        """Root of the whole document; not `root` if the page was read from an element inside a document."""
        return self.root.getroottree().getroot()

    @cached_property
    def landmarks(self) -> Landmarks:
        """The elements below `root` that tell what the page is about."""
        return Landmarks(self.root)

    @cached_property
    def document_landmarks(self) -> Landmarks:
        """The same elements of the whole document."""
        root = self.document_root
        return self.landmarks if root is self.root else Landmarks(root)

    @property
    def n_elements(self) -> int:
        """Number of elements, comments included."""
        return len(self.elements)

    @property
    def n_leaves(self) -> int:
        """Number of text leaves."""
        return len(self.texts)

    @cached_property
    def tag_names(self) -> frozenset[str]:
        """The tags of the page, by name. Many functions need no arrays if the page lacks their tags."""
        return frozenset(map(TAG_NAMES.__getitem__, np.bincount(self.tags).nonzero()[0].tolist()))

    def tags_in(self, names: Collection[str]) -> BoolArray:
        """Return which elements have one of the tags *names*. *Shape:* ``(n,)``"""
        return tag_table(frozenset(names))[self.tags]

    def count_enclosing(self, elements: BoolArray) -> IntArray:
        """Return the number of the chosen *elements* around each slot. *Shapes:* ``(n,)`` -> ``(2n,)``"""
        return count_enclosing(elements, self.open_slots, self.close_slots)

    def mark_inside(self, elements: Collection[int] | IntArray) -> BoolArray:
        """Return which slots are inside some of *elements*. *Shapes:* ``(k,)`` -> ``(2n,)``"""
        if not len(elements):  # as on most pages
            return np.zeros(2 * self.n_elements, dtype=bool)
        is_chosen = np.zeros(self.n_elements, dtype=bool)
        is_chosen[[*elements]] = True
        return self.count_enclosing(is_chosen) > 0

    def is_inside(self, names: Collection[str], leaves: IntArray) -> BoolArray:
        """Return which of *leaves* are inside an element with one of the tags *names*. *Shapes:* ``(k,)`` twice"""
        if self.tag_names.isdisjoint(names):
            return np.zeros(len(leaves), dtype=bool)
        return self.count_enclosing(self.tags_in(names))[self.leaf_slots[leaves]] > 0

    def read_attributes(self, elements: IntArray, *names: str) -> list[dict[int, str]]:
        """Return the values of each of the attributes *names*, by element, for *elements* that have it.

        :param elements: ascending indices of elements. *Shape:* ``(h,)``
        """
        return reader.read_values(self.elements, elements, names)

    def hash_paths(self, names: UintArray, elements: IntArray) -> UintArray:
        """Return two hashes of the path to each of *elements*: of its tags, and of its tags and *names*.

        *Shapes:* ``(n,)``, ``(k,)`` -> ``(2, k)``
        """
        return reader.hash_paths(self.tags, names, self.open_slots, self.close_slots, elements)

    def leaf_ranges(self, leaves: IntArray) -> tuple[IntArray, IntArray]:
        """Return the range of *leaves* inside each element, as positions in *leaves*. *Shapes:* ``(n,)`` twice

        The range of element i is from ``first[i]`` up to, but not including, ``stop[i]``.
        """
        bounds = np.empty(len(leaves) + 2, dtype=np.int64)
        bounds[0], bounds[1:-1], bounds[-1] = -1, self.leaf_slots[leaves], 2 * self.n_elements
        n_before = np.arange(len(leaves) + 1).repeat(np.diff(bounds).astype(np.intp))  # of each slot
        return n_before[self.open_slots], n_before[self.close_slots]

    def is_first_text(self, slots: IntArray) -> BoolArray:
        """Return whether the text at each of *slots* is an lxml ``text``, not a ``tail``. *Shapes:* ``(k,)`` twice"""
        return self.open_slots[self.slot_elements[slots]] == slots

    def text_at(self, slot: int) -> str:
        """Return the text at a slot, as the tree holds it; may be empty."""
        element = self.slot_elements[slot]
        node = self.elements[element]
        return (node.text if self.open_slots[element] == slot else node.tail) or ""

    def owners(self, slots: IntArray) -> IntArray:
        """Return the innermost element around the text at each of a few *slots*. *Shapes:* ``(k,)`` twice"""
        elements = self.slot_elements[slots]
        return np.where(self.open_slots[elements] == slots, elements, self.parents[elements])

    def slot_owners(self) -> IntArray:
        """Return the innermost element around the text at each slot. *Shape:* ``(2n,)``"""
        owners: IntArray = self.parents[self.slot_elements]
        owners[self.open_slots] = np.arange(self.n_elements)
        return owners


def tree_to_page(root: etree._Element) -> Page:
    """Return the page under *root*: its body if it is a whole page, else *root* itself."""
    roots = find_roots(root)
    numbers = TagNumbers()
    source = _read(numbers, roots.first, roots.after)
    elements, fields = source.elements, source.fields
    original = None
    if roots.before or differs_in_browsers(source):
        source = _read(numbers, roots.root, roots.following, with_templates=True)
        order, slots, fields = order_like_browsers(source, _is_leaf)
        elements = reader.take_nodes(source.elements, order)
        original = Original(Page(root, source.elements, source.names, **source.fields), slots)
    check_time()
    formulas = write_formulas(elements, numbers.names, fields, inline_tag=0, display_tag=_DIV)
    write_image_texts(elements, fields, inline_tag=0)
    text = "\n".join(fields["texts"])
    if not text.isascii() and has_invisible("".join([each for each in fields["texts"] if not each.isascii()])):
        fields["texts"] = [text if text.isascii() else drop_invisible(text) for text in watched(fields["texts"])]
    page = Page(root, elements, numbers.names, formulas=frozenset(formulas), original=original, **fields)
    if _CUSTOM in numbers.tags:
        _inline_custom_elements(page)
    return _read_delimited(page) if has_signs(text) else page


def _inline_custom_elements(page: Page) -> None:
    """Give custom elements in a paragraph or beside a text, without such elements or blocks inside, an inline tag."""
    custom = (page.tags == _CUSTOM).nonzero()[0]
    holds_text = page.tags_in({"p", *HEADING_TAGS})
    holds_text[page.owners(page.leaf_slots)] = True
    is_alone = sum_spans(_IS_BLOCK[page.tags], custom, page.ends[custom]) == 1
    page.tags[custom[is_alone & holds_text[page.parents[custom]]]] = 0


def _read_delimited(page: Page) -> Page:
    """Return *page* with the TeX between signs in its texts as formulas."""
    signed = np.array([i for i, text in enumerate(watched(page.texts)) if has_signs(text)], dtype=np.int64)
    if not len(signed):  # the scripts are long, and a text of prices has several dollars, too
        return page
    sign = find_signs(page.document_landmarks.scripts)
    if sign is not None:
        signed = signed[~page.is_inside(_CODE_TAGS, signed)]
    else:
        around = page.owners(page.leaf_slots[signed]).tolist()
        is_marked = [marks_formula(page.texts[i], page.elements[j]) for i, j in zip(signed, around, strict=True)]
        signed = signed[is_marked]
    found = write_delimited(page.texts, signed.tolist(), sign or ANY_SIGN)
    return replace(page, formulas=page.formulas | found)


def _read(
    numbers: TagNumbers, first: etree._Element, others: Sequence[Root], *, with_templates: bool = False
) -> ParsedArrays:
    """Return the arrays of the subtree *first* with *others* at its end.

    :param with_templates: whether the texts in templates are read.
    """
    check_time()
    texts = {position: other.text for position, other in enumerate(others, 1) if other.text is not None}
    roots = [first, *(other.node for other in others)]
    tables = (_SILENT_IN_TREES, -1) if with_templates else (WITHOUT_TEXT, TEMPLATE)
    elements, fields = reader.read_nodes(roots, texts, numbers.__getitem__, numbers.tags, _is_leaf, *tables)
    return ParsedArrays(elements, numbers.names, fields)


def _is_leaf(text: str) -> bool:
    return not (text[0].isspace() or text[0] <= " ") or text.strip(_WHITESPACE) != ""
