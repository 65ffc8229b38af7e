"""Builds the document, which has the structure of the content, from lines of text and the elements around them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Final

import numpy as np

from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.escaping import drop_forbidden
from scrapy_web2text.content.inline import InlineBuilder, count_shared
from scrapy_web2text.content.layout import CELLS, find_hollow_items, read_spans
from scrapy_web2text.content.nodes import Cell, Code, Document, Item, Node, Passage
from scrapy_web2text.content.places import LINE_TAGS, Group, PlaceStep
from scrapy_web2text.content.structure import Line
from scrapy_web2text.content.text import write_code
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.tags import TAG_NAMES, tag_ids

# Elements whose text, if it is a single paragraph, is not wrapped into a paragraph.
TIGHT_TAGS: Final = CELLS | {"li", "dd", "figcaption"}
_LANGUAGE: Final = re.compile(
    r"(?:^|\s)(?:(?:lang|language|highlight-source|brush:)[-:\s]\s*"
    r"|highlight-(?!(?:box|container|default|lines?|none|source|text|wrap)))([A-Za-z0-9+#_.-]{1,30})"
    # Hexo and older versions of highlight.js have a class for the language alone.
    r"|(?:\Afigure highlight|\shljs)\s+(?!(?:auto|copy|has|lang|line|no))([A-Za-z0-9+#_.]{1,30})(?=\s|$)"
    r"|\A(?:code|pre) (?!(?:auto|copy|has|no))([A-Za-z0-9+#_.]{1,30})\s+hljs(?=\s|$)"
)
_LANGUAGE_NAMES: Final = ("class", "data-syntaxhighlighter-params")
_LANGUAGE_ATTRIBUTES: Final = ("data-lang", "data-language", "data-code-language", "data-enlighter-language")
_LANGUAGE_NAME: Final = re.compile(r"[A-Za-z0-9+#_.-]{1,30}")
_RULE, _CODE = tag_ids(("hr", "code")).tolist()


def build_document(content: Content, posts: Sequence[int] = ()) -> Document:
    """Return the content as a document.

    :param posts: the slots of the texts that have a rule before them, in order.
    """
    if not content.lines_with_images:
        return Document([], (), 0)
    title = drop_forbidden(content.title)
    builder = _Builder(content, [Passage("h1", [title], (-1, -1))] if title else [], posts)
    formulas = content.page.formulas if content.options.math == "tex" else ()
    n_characters = len(title) + sum(map(len, builder.texts.values()))
    return Document(builder.build(content.lines_with_images), formulas, n_characters)


class _Builder:
    """Builds a document from lines, one after another."""

    def __init__(self, content: Content, first: Sequence[Node], posts: Sequence[int]) -> None:
        self._content = content
        self._page = content.page
        self._structure = content.structure
        self._slots: list[int] = content.slots.tolist()
        self._inline = InlineBuilder(content)
        self.texts = self._inline.texts
        # Cached, since many blocks of code can share an element with a long class.
        self._find_language = cache(partial(_find_language, self._page))
        self._is_cell = self._page.tags_in(CELLS)
        self._waiting_cells: dict[int, Iterator[int]] = {}
        self._posts, self._n_begun = posts, 0
        self._open: list[PlaceStep] = []
        self._nodes = [Node("", [*first])]  # the root, and the nodes of the open places

    def build(self, lines: list[Line]) -> list[Node]:
        """Return the children of the document."""
        hollow_items = find_hollow_items(self._page, np.array([line.slots[0] for line in lines]))
        paragraphs = self._content.paragraphs(lines, hollow_items)
        check_time()
        sizes = Counter(groups[0][0][-1].element for groups in paragraphs if groups[0][0])
        for groups in watched(paragraphs):
            self._add_passage(groups, sizes)
        self._close(0)
        return [node for node in self._nodes[0].children if isinstance(node, Node)]

    def _add_passage(self, groups: list[Group], sizes: Counter[int]) -> None:
        """Add the passage that consists of *groups*.

        :param sizes: number of passages of each element.
        """
        place, lines = groups[0]
        self._end_post(place, lines[0].slots[0])
        parent = self._open_place(place)
        if self._structure.tags[lines[0].owner] == _RULE:
            if not isinstance(parent, Passage):
                parent.children.append(Node("hr", []))
            return
        if isinstance(parent, Code):
            code = write_code(self._content, lines).replace("\r\n", "\n").replace("\r", "\n")
            parent.children.append(drop_forbidden(code))
            parent.span = self._find_span(groups)
            return
        children = self._inline.build(groups)
        if isinstance(parent, Passage):
            parent.children += children
            parent.span = self._find_span(groups)
        elif children:
            is_image = parent.kind == "figure" and not any(slot in self.texts for line in lines for slot in line.slots)
            is_tight = parent.kind in TIGHT_TAGS and sizes[place[-1].element] == 1
            note = self._content.notes.starts.get(lines[0].slots[0])
            children = children if note is None else [f"{note}. ", *children]
            kind = "text" if is_image or is_tight else "p"
            parent.children.append(Passage(kind, children, self._find_span(groups), note))

    def _end_post(self, place: tuple[PlaceStep, ...], slot: int) -> None:
        """Add a rule before *slot* if a post begins there, unless its *place* is in a list with the post before."""
        n_begun = bisect_right(self._posts, slot)
        if n_begun > self._n_begun and not count_shared(place, self._open):
            self._close(0)
            self._nodes[0].children.append(Node("hr", []))
        self._n_begun = n_begun

    def _find_span(self, groups: Sequence[Group]) -> tuple[int, int]:
        first, last = groups[0][1][0].slots[0], groups[-1][1][-1].slots[-1]
        return (
            (-2, -2)
            if first in self._content.captions
            else (bisect_left(self._slots, first), bisect_right(self._slots, last))
        )

    def _open_place(self, place: tuple[PlaceStep, ...]) -> Node:
        """Return the innermost node of *place*. Close the open nodes that are not in *place*, and open the others."""
        n_shared = count_shared(place, self._open)
        self._close(n_shared)
        for step in place[n_shared:]:
            node = self._new_node(step)
            self._nodes[-1].children.append(node)
            self._nodes.append(node)
            self._open.append(step)
        return self._nodes[-1]

    def _close(self, n_left: int) -> None:
        """Close all open nodes but the outermost *n_left*, and add the empty cells at the ends of rows."""
        while len(self._open) > n_left:
            step, node = self._open.pop(), self._nodes.pop()
            if step.tag == "tr":
                self._add_empty_cells(node, step.element, None)

    def _new_node(self, step: PlaceStep) -> Node:
        """Return a new node for a step, added as the last child of the innermost open node."""
        parent, (tag, element) = self._nodes[-1], step
        if tag in CELLS:
            self._add_empty_cells(parent, self._open[-1].element, element)
            return self._new_cell(element)
        if tag == "tr" and element not in self._waiting_cells:  # a row opens again after a text between its cells
            cells = self._is_cell[element : self._page.ends[element]].nonzero()[0] + element
            self._waiting_cells[element] = iter(cells[self._page.parents[cells] == element].tolist())
        if tag == "li":
            number = self._number(element, parent) if parent.kind == "ol" else None
            return Item(tag, [], number, self._content.notes.items.get(element))
        if tag == "pre":
            return Code(tag, [], (0, 0), language=self._language(element))
        return Passage(tag, [], (0, 0)) if tag in LINE_TAGS else Node(tag, [])

    def _number(self, item: int, items: Node) -> int:
        """Return the number of the next *item* of a list."""
        before = next((node.number for node in reversed(items.children) if isinstance(node, Item)), None)
        return self._content.item_numbers.get(item, (before or 0) + 1)

    def _add_empty_cells(self, row: Node, element: int, before: int | None) -> None:
        """Add the empty cells of a row before the cell *before* (None for all of them), to keep columns aligned."""
        for cell in self._waiting_cells.get(element, ()):
            if cell == before:
                return
            row.children.append(self._new_cell(cell))

    def _new_cell(self, element: int) -> Cell:
        n_columns, n_rows = read_spans(self._page.elements[element])
        return Cell(TAG_NAMES[self._structure.tags[element]], [], n_columns, n_rows)

    def _language(self, element: int) -> str | None:
        """Return the language that the ``code`` of a block, its ``pre`` or a parent states; None without a language."""
        inner = next(
            (i for i in range(element + 1, self._page.ends[element]) if self._structure.tags[i] == _CODE), element
        )
        parent = self._structure.parents[element]
        around = (parent, self._structure.parents[parent]) if parent >= 0 else ()
        languages = (self._find_language(index) for index in (inner, element, *around) if index >= 0)
        return next(filter(None, languages), None)


def _find_language(page: Page, element: int) -> str | None:
    """Return the language that the class or an attribute of *element* names; None if there is no such name."""
    node = page.elements[element]
    match = _LANGUAGE.search(" ".join([node.tag, *map(node.get, _LANGUAGE_NAMES, ("", ""))]))
    if match is not None:
        return match[match.lastindex or 0]
    named = next(filter(None, map(node.get, _LANGUAGE_ATTRIBUTES)), "")
    if not named and node.tag == "pre" and len(node.get("lang") or "") > len("en"):  # "en" is no code
        named = node.get("lang") or ""
    return named if _LANGUAGE_NAME.fullmatch(named) else None
