"""The reader of pages: from lxml's elements to arrays, loops over these arrays, and the characters of texts.

If ``_reader.pyx`` is compiled, its functions replace the functions that the end of this module lists: they read the
nodes of libxml2, without a Python object for each, in a tenth of the time.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, Final

import numpy as np
from lxml import etree

from scrapy_web2text.common.arrays import BoolArray, IntArray, UintArray
from scrapy_web2text.common.budget import batches, check_time, watched
from scrapy_web2text.common.compiled import reason_for_python, use_compiled

# A regular expression. It splits camelCase, kebab-case and snake_case, and skips digits.
NAME_WORD: Final = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+"
# Hashes of words are below this.
N_NAME_HASHES: Final = 1 << 13
# The words and the characters of a name that are read, to limit the cost of hostile pages.
MOST_NAME_WORDS: Final = 12
LONGEST_NAME: Final = 200
# Odd numbers of random bits: sums and products with them are spread over all 64-bit numbers.
TAG_FACTOR: Final = np.uint64(0xC2B2AE3D27D4EB4F)
NAME_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
# The compiled reader relies on the layout of elements in lxml 6 and of nodes in libxml2 2. Before these change, run the
# tests with the new version, and change pyproject.toml as well.
_LXML: Final = 6
_LIBXML2: Final = 2
_N_CACHED: Final = 1 << 13
_WORD: Final = re.compile(NAME_WORD)
# Comments, strings and addresses in a style sheet, and the signs that mean something else in them than outside.
_NOISE: Final = re.compile(
    r"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*["\n]?|'(?:[^'\\\n]|\\.)*['\n]?|url\([^()"'\s]*\)""", re.DOTALL
)
_SIGNS: Final = re.compile(r"[{};]|\A/\*")
# A class or an id in a selector, what is in parentheses or brackets, and a rule that can be judged by one look.
SELECTOR_NAMES: Final = re.compile(r"[.#]-*[^\W\d][^\s!-,./:->@[-^`{-~]*")
_GROUP: Final = r"\([^{};@\\()\[\]]*+\)|\[[^{};@\\()\[\],]*+\]"
_GROUPS: Final = re.compile(_GROUP)
_SIMPLE_RULE: Final = re.compile(rf"(?<![^{{}}])((?:[^{{}};@\\()\[\]\x80-\U0010ffff]|{_GROUP})*+)\{{[^{{}}]*+\}}")


class AttributeKind:
    """Bits for what is read of an attribute."""

    NAME: Final = 1 << 0  # its words
    WHOLE: Final = 1 << 1  # a hash of its whole value
    MARK: Final = 1 << 2  # bits that a function computes


def check_lxml() -> None:
    """Raise an ImportError unless the installed lxml has the layout of elements that the compiled reader knows."""
    if (etree.LXML_VERSION[0], etree.LIBXML_VERSION[0]) != (_LXML, _LIBXML2):
        libxml2 = ".".join(map(str, etree.LIBXML_VERSION))
        raise ImportError(f"expected lxml {_LXML} with libxml2 {_LIBXML2}, got {etree.__version__} with {libxml2}")


def collapse_each(texts: Sequence[str]) -> list[str]:
    """Return the results of `collapse_texts`, but check the time limit after each batch of texts."""
    return [text for batch in batches(texts) for text in collapse_texts(batch)]


def read_nodes(
    roots: Sequence[etree._Element],
    stray_texts: Mapping[int, str],
    number_of: Callable[[Any], int],
    tag_of_name: list[int],
    is_leaf: Callable[[str], bool],
    without_text: BoolArray,
    template: int,
) -> tuple[Sequence[etree._Element], dict[str, Any]]:
    """Return the elements of a page, and the fields of `Page` that are read from them, by name.

    :param roots: the root of the page, and the elements outside of it that count as its last children.
    :param stray_texts: texts after some of the roots, by position, in place of the texts in the tree.
    :param number_of: function from the name of an element to its number; 0 is for comments and the like.
    :param tag_of_name: the tag of each of these numbers.
    :param is_leaf: function that says whether a text is more than whitespace.
    :param without_text: which tags have no text of their own, by number.
    :param template: number of the tag whose content is not part of the page.
    """
    walk = _Walk(is_leaf, without_text.tolist(), template)
    strays = []
    for position, root in enumerate(watched(roots)):
        first = len(walk.elements)
        strays.append(first)
        is_open: list[list[int]] = []  # the elements around the next one, and how many children each lacks
        for element in watched(root.iter(), None if len(root) else 1):
            parent = is_open[-1][0] if is_open else min(position, 1) - 1
            number = number_of(element.tag)
            is_open.append([walk.start(element, parent, number, tag_of_name[number]), len(element)])
            while is_open and not is_open[-1][1]:
                index, _ = is_open.pop()
                if is_open:
                    is_open[-1][1] -= 1
                    walk.end(index, walk.elements[index].tail)
        if position:
            walk.end(first, stray_texts.get(position, root.tail))
    walk.end(0, None)  # text after the root is not part of the page
    return walk.elements, {
        "strays": np.array(strays[1:], dtype=np.int64),
        **{name: np.array(values, dtype=np.int64) for name, values in walk.columns.items()},
        "slot_has_text": np.array(walk.slot_has_text, dtype=bool),
        "texts": walk.texts,
    }


class TagColumns:
    """Columns of `Page`, built from the start tags and the end tags of its elements in their order."""

    def __init__(self) -> None:
        names = "parents ends open_slots close_slots slot_elements leaf_slots"
        self.columns: dict[str, list[int]] = {name: [] for name in names.split()}

    def start(self, parent: int) -> int:
        """Add an element, whose end is not known yet, and return its index."""
        columns = self.columns
        index = len(columns["parents"])
        start = {"parents": parent, "ends": 0, "open_slots": len(columns["slot_elements"]), "close_slots": 0}
        for name, value in {**start, "slot_elements": index}.items():
            columns[name].append(value)
        return index

    def end(self, index: int) -> None:
        """End an element."""
        columns = self.columns
        columns["ends"][index] = len(columns["parents"])
        columns["close_slots"][index] = len(columns["slot_elements"])
        columns["slot_elements"].append(index)


class _Walk:
    """Notes the start tags and the end tags of a page, and the text after each.

    The elements are kept: lxml climbs to the root whenever one is deallocated.
    """

    def __init__(self, is_leaf: Callable[[str], bool], without_text: list[bool], template: int) -> None:
        self.elements: list[etree._Element] = []
        self._tags = TagColumns()
        self.columns: dict[str, list[int]] = {"name_numbers": [], "tags": [], **self._tags.columns}
        self.slot_has_text: list[bool] = []
        self.texts: list[str] = []
        self._is_leaf, self._without_text, self._template = is_leaf, without_text, template
        self._n_templates = 0

    def start(self, element: etree._Element, parent: int, name: int, tag: int) -> int:
        """Add an element, and return its index."""
        self.elements.append(element)
        self.columns["name_numbers"].append(name)
        self.columns["tags"].append(tag)
        self._n_templates += tag == self._template
        index = self._tags.start(parent)
        # Reading the text of a script would copy all of it.
        self._add_text(None if self._without_text[tag] else element.text)
        return index

    def end(self, index: int, text: str | None) -> None:
        """End an element that *text* follows."""
        self._n_templates -= self.columns["tags"][index] == self._template
        self._tags.end(index)
        self._add_text(text)

    def _add_text(self, text: str | None) -> None:
        has_text = bool(text) and not self._n_templates
        if has_text and text is not None and self._is_leaf(text):
            self.texts.append(text)
            self.columns["leaf_slots"].append(len(self.slot_has_text))
        self.slot_has_text.append(has_text)


def take_nodes(elements: Sequence[etree._Element], order: IntArray) -> Sequence[etree._Element]:
    """Return the *elements* of a page in another order. *Shape:* ``(k,)``"""
    return [elements[i] for i in order.tolist()]


def read_values(elements: Sequence[etree._Element], indices: IntArray, names: Sequence[str]) -> list[dict[int, str]]:
    """Return the values of each of the attributes *names* of the elements at *indices*, by the index of the element."""
    columns: list[dict[int, str]] = [{} for _ in names]
    numbers = {name: number for number, name in enumerate(names)}
    for i, number, _, value in _list_attributes(elements, indices, lambda name: numbers.get(name, -1)):
        columns[number][i] = value
    return columns


def _list_attributes(
    elements: Sequence[etree._Element], indices: IntArray, number_of: Callable[[str], int]
) -> Iterator[tuple[int, int, str, str]]:
    """Yield the index, the number of the name, the name and the value of each attribute that is not left out."""
    for i in watched(indices.tolist()):
        element = elements[i]
        for name in element.keys():  # noqa: SIM118
            # lxml's `items` reads all values, in time quadratic in the number of attributes.
            number = number_of(name)
            if number >= 0:
                yield i, number, name, element.get(name)


def read_attributes(
    elements: Sequence[etree._Element],
    indices: IntArray,
    kind_of: Callable[[str], int],
    mark_of: Callable[[str, str], int],
) -> dict[str, Any]:
    """Return the attributes of the elements at *indices*, as arrays by name; other elements count as without any.

    - ``names``: hashed words of names, element by element, below `N_NAME_HASHES`. *Shape:* ``(t,)``
    - ``n_names``: number of these words of each element. *Shape:* ``(n,)``
    - ``classes``: hash of the attribute that is hashed as a whole; 0 if it is missing. *Shape:* ``(n,)``
    - ``marks``: the bits of `MARK` attributes. *Shape:* ``(n,)``

    :param indices: in ascending order. *Shape:* ``(h,)``
    :param kind_of: function from the name of an attribute to its `AttributeKind`; -1 for attributes to leave out.
    :param mark_of: function from the name and the value of a `MARK` to bits.
    """
    names: list[int] = []
    n_names, marks = np.zeros((2, len(elements)), dtype=np.int64)
    classes = np.zeros(len(elements), dtype=np.uint64)
    for i, kind, name, value in _list_attributes(elements, indices, kind_of):
        if kind & AttributeKind.NAME:
            hashes = hash_name(value)
            names += hashes
            n_names[i] += len(hashes)
        if kind & AttributeKind.WHOLE:
            classes[i] = zlib.crc32(value.encode("utf-8", "replace")) + 1
        if kind & AttributeKind.MARK:
            marks[i] |= mark_of(name, value)
    return {"names": np.array(names, dtype=np.int64), "n_names": n_names, "classes": classes, "marks": marks}


def hash_name(name: str) -> list[int]:
    """Return the hashes of the first words in *name*, such as the value of a class attribute, in lower case."""
    return [*map(_hash_word, _WORD.findall(name[:LONGEST_NAME])[:MOST_NAME_WORDS])]


@lru_cache(_N_CACHED)
def _hash_word(word: str) -> int:
    """Return the hash of one word. The results are cached, as pages share most of their words."""
    return zlib.crc32(word.lower().encode()) % N_NAME_HASHES


def mark_elements(elements: Sequence[etree._Element], found: Iterable[object]) -> BoolArray:
    """Return which of *elements* are in *found*, which may also hold texts and the like. *Shape:* ``(n,)``"""
    return np.fromiter(map({*found}.__contains__, elements), dtype=bool, count=len(elements))


def collapse_texts(texts: Sequence[str]) -> list[str]:
    """Return each of *texts* with its runs of whitespace as one space, and none at its ends."""
    return [" ".join(text.split()) for text in texts]


def drop_noise(text: str) -> str:
    """Return *text* without comments, and without strings and addresses that have signs of CSS."""
    return _NOISE.sub(lambda m: " " if _SIGNS.search(m[0]) else m[0], text)


def empty_rules(sheet: str, names: Set[str]) -> str:
    """Return a style sheet in which simple rules are empty if no element has the names in one of their selectors.

    An empty rule is ``{}``, without its selectors: the braces around it keep their meaning.

    :param names: all classes and ids of the page, as ``.class`` and ``#id``.
    """

    def empty(rule: re.Match[str]) -> str:
        selectors = _GROUPS.sub(" ", rule[1]).split(",")
        can_match = any(names >= {*SELECTOR_NAMES.findall(selector)} for selector in selectors)
        return rule[0] if can_match else "{}"

    return _SIMPLE_RULE.sub(empty, sheet)


def unite_above(bits: IntArray, parents: IntArray) -> IntArray:
    """Return the bitwise union of *bits* over each element and all above it. *Shapes:* ``(n,)`` each

    :param parents: the parent of each element, -1 for the first.
    """
    united: list[int] = bits.tolist()
    above: list[int] = parents.tolist()
    for i in watched(range(1, len(united))):
        united[i] |= united[above[i]]
    return np.array(united, dtype=np.int64)


def count_enclosing(chosen: BoolArray, open_slots: IntArray, close_slots: IntArray) -> IntArray:
    """Return the number of the *chosen* elements around each slot. *Shapes:* ``(n,)`` -> ``(2n,)``"""
    steps = np.zeros(2 * len(chosen), dtype=np.int64)
    steps[open_slots[chosen]] = 1
    steps[close_slots[chosen]] = -1
    return steps.cumsum()


def find_nearest(chosen: BoolArray, parents: IntArray, elements: IntArray) -> IntArray:
    """Return the innermost *chosen* element at or above each of *elements*; -1 for none. *Shapes:* ``(k,)`` twice

    :param chosen: whether each element of the page is chosen. *Shape:* ``(n,)``
    :param parents: the parent of each element, -1 for the first.
    :param elements: indices of elements, or -1. *Shape:* ``(k,)``
    """
    above: list[int] = parents.tolist()
    found = {-1: -1, **{i: i for i in chosen.nonzero()[0].tolist()}}
    for element in watched(elements.tolist()):
        path, i = [], element
        while i not in found:
            path.append(i)
            i = above[i]
        found.update(dict.fromkeys(path, found[i]))
    return np.array([*map(found.__getitem__, elements.tolist())], dtype=np.int64)


def hash_paths(
    tags: IntArray, names: UintArray, open_slots: IntArray, close_slots: IntArray, elements: IntArray
) -> UintArray:
    """Return two hashes of the path of each of *elements*: of its tags, and of its tags and names. *Shape:* ``(2, k)``

    A path is an element and all above it. Its hash is the sum of their keys, each of which depends on the depth.

    :param names: a hash for each element of the page. *Shape:* ``(n,)``, as the fields of `Page` have it
    """
    keys = np.empty((2, len(tags)), dtype=np.uint64)
    keys[:] = (tags.astype(np.uint64) + np.uint64(1)) * TAG_FACTOR
    keys[1] ^= names * NAME_FACTOR
    depths = 2 * np.arange(len(tags)) - open_slots
    keys *= 2 * depths.astype(np.uint64) + np.uint64(1)
    check_time()
    steps = np.zeros((2, 2 * len(tags)), dtype=np.uint64)
    steps[:, open_slots] = keys
    steps[:, close_slots] = np.negative(keys)
    check_time()
    return np.cumsum(steps, axis=1, out=steps)[:, open_slots[elements]]


def nest(begins: IntArray, ends: IntArray, k: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return how g nested intervals, in preorder, contain each other and k leaves. *Shapes:* ``(g,)`` twice

    :returns: the parent of each interval, -1 for none; its depth; the innermost interval around each leaf; and the
        innermost interval around each leaf and the leaf before it.
        *Shapes:* ``(g,)`` twice, ``(k,)``, ``(max(k - 1, 0),)``
    """
    starts, stops = begins.tolist(), ends.tolist()
    parents: list[int] = []
    depths: list[int] = []
    innermost, common = [], []
    node = -1  # the innermost interval around the leaf
    for leaf in watched(range(k)):
        while node >= 0 and stops[node] <= leaf:
            node = parents[node]
        common.append(node)
        while len(parents) < len(starts) and starts[len(parents)] == leaf:
            depths.append(depths[node] + 1 if node >= 0 else 0)
            parents.append(node)
            node = len(parents) - 1
        innermost.append(node)
    one, two, three, four = (np.array(each, dtype=np.int64) for each in (parents, depths, innermost, common[1:]))
    return one, two, three, four


IN_PYTHON: Final = use_compiled(
    __name__,
    *(read_nodes, take_nodes, read_values, read_attributes, mark_elements, collapse_texts, drop_noise, empty_rules),
    *(unite_above, find_nearest, hash_paths, nest),
)
_IS_COMPILED: Final = read_nodes is not IN_PYTHON.read_nodes
READER_NAME: Final = "compiled reader" if _IS_COMPILED else "reader in Python"
# All modules are compiled together, or none, so the reader speaks for the others.
READER_COST: Final = "" if _IS_COMPILED else f"{reason_for_python(__name__)}: a page takes up to three times as long"
