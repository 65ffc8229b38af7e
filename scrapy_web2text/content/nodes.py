"""The content of a page as a tree of nodes, which is built once. HTML, Markdown and paragraphs are written from it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

# A document is a list of structures and passages. A structure holds structures and passages. A passage holds texts and
# inline nodes, and so does an inline node.
INLINE: Final = frozenset("a abbr cite code del em ins kbd mark q samp strong sub sup".split())


@dataclass(slots=True, eq=False)
class Node:
    """A part of the content.

    :param kind: the name of the HTML element with the same meaning; or ``text``, the only paragraph of an item or a
        cell; or ``tab``, the separator of the cells of a row that is a paragraph.
    """

    kind: str
    children: list[Node | str]


@dataclass(slots=True, eq=False)
class Passage(Node):
    """A paragraph, heading, term, caption or block of code. A block of code has its text as its only child.

    :param span: the position of its first text among the texts of the content, and the position after its last text;
        negative for the title, which is not among these texts, and for captions that only the forms have.
    :param note: the name of the note that it begins, whose number is then its first child; None for no note.
    """

    span: tuple[int, int]
    note: str | None = None


@dataclass(slots=True, eq=False)
class Code(Passage):
    """A block of code. :param language: its language, by the name in highlighters; None if it is unknown."""

    language: str | None = None


@dataclass(slots=True, eq=False)
class Item(Node):
    """An item of a list.

    :param number: its number in an ordered list; None in another list.
    :param note: the name of the note that the item is; None for no note.
    """

    number: int | None
    note: str | None = None


@dataclass(slots=True, eq=False)
class Cell(Node):
    """A cell of a table, with the numbers of columns and rows that it spans."""

    n_columns: int
    n_rows: int


@dataclass(slots=True, eq=False)
class Link(Node):
    """A link."""

    url: str


@dataclass(slots=True, eq=False)
class Mark(Node):
    """The mark of a note, which is a ``sup``. :param note: the name of the note."""

    note: str


@dataclass(slots=True, eq=False)
class Image(Node):
    """An image. :param url: None if its scheme is not allowed. :param alt: its description."""

    url: str | None
    alt: str


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """The content of a page.

    :param formulas: the formulas in its texts, with their dollar signs; empty if formulas are not written as TeX.
    :param n_characters: number of characters of all texts.
    """

    children: Sequence[Node]
    formulas: Collection[str]
    n_characters: int


def passages(nodes: Iterable[Node | str]) -> Iterator[Passage]:
    """Yield the passages in *nodes*, in their order."""
    for node in nodes:
        if isinstance(node, Passage):
            yield node
        elif isinstance(node, Node):
            yield from passages(node.children)


# The text of a subscript or superscript, and the characters of Unicode for it. A single letter is the mark of a note or
# an exponent; there are no such characters for q, nor for most letters in a subscript.
SUB_OR_SUP: Final = re.compile(r"\s*[0-9+\u2212-][0-9+\u2212,\s-]*|\s*[a-z]\s*")
_SIGNS: Final = "0123456789+-\u2212"
_LETTERS: Final = "abcdefghijklmnoprstuvwxyz"
SUB_AND_SUP_CHARACTERS: Final = {
    "sub": str.maketrans(_SIGNS, "₀₁₂₃₄₅₆₇₈₉₊₋₋"),
    "sup": str.maketrans(_SIGNS + _LETTERS, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"),
}


def plain_text(node: Node, line_break: str, signs: Mapping[int, int] | None = None) -> str:
    """Return the texts of *node*, with subscripts and superscripts of digits and signs as characters of Unicode.

    :param line_break: the text for a ``br``.
    :param signs: the characters of Unicode by digit or sign, inside a ``sub`` or ``sup``.
    """
    if node.kind == "br":
        return line_break
    if node.kind == "tab":
        return "\t"
    signs = SUB_AND_SUP_CHARACTERS.get(node.kind, signs)
    texts = []
    for child in node.children:
        if isinstance(child, Node):
            texts.append(plain_text(child, line_break, signs))
        else:
            texts.append(child.translate(signs) if signs and SUB_OR_SUP.fullmatch(child) else child)
    return "".join(texts)


def list_links(node: Node) -> Iterator[str]:
    """Yield the URL of each link in *node*."""
    for child in node.children:
        if isinstance(child, Link):
            yield child.url
        elif isinstance(child, Node):
            yield from list_links(child)
