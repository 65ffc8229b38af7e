"""Writes the texts, links, images, emphasis and code of a passage as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final

from scrapy_web2text.common.budget import check_time
from scrapy_web2text.content.escaping import (
    Allowance,
    escape_beside_formulas,
    escape_markdown_line,
    escape_markdown_url,
)
from scrapy_web2text.content.nodes import Code, Image, Link, Mark, Node, plain_text
from scrapy_web2text.page.tags import HEADING_TAGS

# A mark around each code span, since the backticks of adjacent spans would merge. No text contains this character.
EDGE: Final = "\0"
ENDS: Final = " \t\r\n"  # characters that are dropped at both ends of a passage
_BACKTICKS: Final = re.compile("`+")
AUTOLINK: Final = re.compile(r"<(?:https?|mailto|tel):[^<>\s]*>", re.IGNORECASE)
_ONE_LINE: Final = frozenset({*HEADING_TAGS, "dt", "td"})
# Markdown has no subscripts and superscripts, but allows their tags, also on GitHub. Without them, 10² would be 102.
_MARKS: Final = {
    "strong": ("**", "**"),
    "em": ("*", "*"),
    "del": ("~~", "~~"),
    "sub": ("<sub>", "</sub>"),
    "sup": ("<sup>", "</sup>"),
}
_EMPHASIS: Final = {kind: marks[0] for kind, marks in _MARKS.items() if marks[0] == marks[1]}
_MARKED: Final = frozenset({*_MARKS, "a", "q"})  # kinds whose Markdown begins with a mark, not with text
_AFTER_LABEL: Final = frozenset("([:")  # before one of these, the mark of a note would be read as a link or definition
_LABEL: Final = re.compile(r"\[\^[^\[\]]*\]\Z")
_LONGEST_LABEL: Final = 20  # characters
_CONTEXT_KINDS: Final = _ONE_LINE | {"a", "code", "li"}  # kinds whose children are written differently


class Surroundings:
    """The surroundings of a text.

    :param formulas: the formulas of the document.
    :param allowance: number of characters that URLs and indentation may take.
    :param cells: number of cells that spans may add.
    :param kinds: the kinds of the nodes around the text, as far as they change how it is written.
    """

    def __init__(
        self, formulas: Collection[str], allowance: Allowance, cells: Allowance, kinds: frozenset[str] = frozenset()
    ) -> None:
        self.formulas, self.allowance, self.cells, self._kinds = formulas, allowance, cells, kinds
        self.in_heading = not kinds.isdisjoint(HEADING_TAGS)
        self.in_line = not _ONE_LINE.isdisjoint(kinds)
        self.in_cell, self.in_link, self.in_code, self.in_item = (kind in kinds for kind in ("td", "a", "code", "li"))
        self._inside: dict[str, Surroundings] = {}

    def inside(self, kind: str) -> Surroundings:
        """Return the surroundings of the texts in a node of *kind*."""
        if kind not in _CONTEXT_KINDS or kind in self._kinds:
            return self
        if kind not in self._inside:
            self._inside[kind] = Surroundings(self.formulas, self.allowance, self.cells, self._kinds | {kind})
        return self._inside[kind]


def write_inline(node: Node, around: Surroundings) -> str:
    """Return the children of a passage or of an inline node as Markdown."""
    children = node.children
    if len(children) == 1 and isinstance(children[0], str):  # as in most passages
        return _write_text(children[0], around, starts_line=node.kind not in _MARKED)
    check_time()
    pieces: list[str] = []
    for i, child in enumerate(children):
        if isinstance(child, str):
            starts_line = (pieces[-1][-1] == "\n" or pieces[-1].isspace()) if pieces else node.kind not in _MARKED
            piece = _write_text(child, around, starts_line=starts_line)
        else:
            piece = _WRITERS.get(child.kind, write_inline)(child, around)
        if piece and not around.in_code:
            if isinstance(child, Node):
                following = children[i + 1] if i + 1 < len(children) else None
                piece = _fit(pieces, piece, children[i - 1] if i else None, child, following)
            # After the mark of a note, this would be read as a link or a definition.
            is_text = piece[0] != "[" or isinstance(child, str)
            if piece[0] in _AFTER_LABEL and is_text and pieces and _LABEL.search(pieces[-1][-_LONGEST_LABEL:]):
                piece = f"\\{piece}"
        if piece:
            pieces.append(piece)
    return "".join(pieces)


def _fit(pieces: list[str], piece: str, previous: Node | str | None, node: Node, following: Node | str | None) -> str:
    """Return *piece*, the Markdown of an inline node, changed so that its delimiters are read as delimiters.

    An exclamation mark before a link would turn the link into an image, so it is escaped. Two adjacent nodes with the
    same emphasis become one. Asterisks between a letter and a punctuation mark are not read as emphasis (CommonMark
    0.31, section 6.2), so tags replace them.
    """
    before = pieces[-1] if pieces else ""
    if node.kind not in _EMPHASIS:
        if before.endswith("!") and piece[0] == "[":
            pieces[-1] = f"{before[:-1]}\\!"
        return piece
    mark = _EMPHASIS[node.kind]
    is_joined = isinstance(previous, Node) and previous.kind == node.kind
    if is_joined and before.endswith(mark) and piece.startswith(mark):
        pieces[-1] = before[: -len(mark)]
        return piece[len(mark) :]
    after, inner = following[:1] if isinstance(following, str) else "", piece.strip(" ")[len(mark) : -len(mark)]
    opens = not before.endswith(mark[0]) and (inner[0].isalnum() or not before[-1:].isalnum() or piece[0] == " ")
    closes = inner[-1].isalnum() or not after.isalnum() or piece[-1] == " "
    return piece if opens and closes else piece.replace(f"{mark}{inner}{mark}", f"<{node.kind}>{inner}</{node.kind}>")


def _write_text(text: str, around: Surroundings, *, starts_line: bool) -> str:
    """Return an escaped text."""
    if around.in_code:
        return text
    formulas = around.formulas if "$" in text or "]" in text else ()
    at_start = starts_line and not around.in_line
    where = {"in_link": around.in_link, "in_cell": around.in_cell, "at_start": at_start}
    return escape_beside_formulas(text, formulas, **where) if formulas else escape_markdown_line(text, **where)


def _write_marked(node: Node, around: Surroundings) -> str:
    text = write_inline(node, around)
    if around.in_code:
        return text
    before, inner, after = _split_spaces(text)
    if isinstance(node, Mark) and inner and not around.in_link:
        return f"{before}[^{node.note}]{after}"
    start, end = _MARKS[node.kind]
    return f"{before}{start}{inner}{end}{after}" if inner else ""


def _split_spaces(text: str) -> tuple[str, str, str]:
    """Return the space before *text*, if any, *text* without whitespace at its ends, and the space after it, if any."""
    return " " if text[:1] == " " else "", text.strip(), " " if text[-1:] == " " else ""


def _write_link(link: Node, around: Surroundings) -> str:
    """Write a link. Only a URL with a scheme can be in angle brackets; another URL would be read as a tag."""
    text = write_inline(link, around.inside("a"))
    if around.in_code or not isinstance(link, Link):
        return text
    before, inner, after = _split_spaces(text)
    if not inner:
        return ""
    if not around.allowance.take(len(link.url)):
        return text
    url = escape_markdown_url(link.url)
    is_short = inner.replace("\\_", "_") == url and AUTOLINK.fullmatch(f"<{url}>") is not None
    return f"{before}<{url}>{after}" if is_short else f"{before}[{inner}]({url}){after}"


def _write_image(image: Node, around: Surroundings) -> str:
    """Write an image; in code, only its description. Brackets in the URL or the description are escaped."""
    if not isinstance(image, Image):
        return ""
    if around.in_code:
        return image.alt
    url = image.url or ""
    if not around.allowance.take(len(url) + len(image.alt)):
        return ""
    alt = escape_markdown_line(image.alt, in_link=True, in_cell=around.in_cell, at_start=False)
    return alt if around.in_heading and not around.in_link else f"![{alt}]({escape_markdown_url(url)})"


def _write_code(code: Node, around: Surroundings) -> str:
    """Write inline code."""
    text = write_inline(code, around.inside("code"))
    if around.in_code:
        return text
    (link, *others) = [*code.children, ""]
    if isinstance(link, Link) and others == [""] and not around.in_link:  # Markdown has no links in code
        return _write_link(Link("a", [Node("code", link.children)], link.url), around)
    before, inner, after = _split_spaces(text)
    if not inner:
        return ""
    longest = _longest_backticks(inner)
    fence = "`" * (longest + 1)
    span = f"{before}{fence} {inner} {fence}{after}" if longest else f"{before}`{inner}`{after}"
    return _code_span(span, text, around)


def _code_span(code: str, text: str, around: Surroundings) -> str:
    """Return *code*, the code span for *text*, with its edges marked. In a table, its vertical bars are escaped."""
    if around.in_cell:
        if "\\|" in text:  # whether the backslash escapes the bar depends on the renderer
            return escape_markdown_line(text, in_link=around.in_link or bool(around.formulas), in_cell=True)
        code = code.replace("|", "\\|")
    span = code.strip(" ")
    return code.replace(span, f"{EDGE}{span}{EDGE}") if span else code


def write_code_block(node: Node, around: Surroundings) -> str:
    """Return a block of code, in a fence longer than any run of backticks in the code; in a table, a code span."""
    text = plain_text(node, "\n")
    if not text.strip():
        return ""
    fence = "`" * max(3, _longest_backticks(text) + 1)
    code = text.strip("\n")
    if around.in_cell:
        line = code.replace("\n", " ")
        return f" {_code_span(f'{fence} {line} {fence}', line, around)} "
    language = node.language if isinstance(node, Code) else None
    return f"\n\n{fence}{language or ''}\n{code}\n{fence}\n\n"


def _longest_backticks(text: str) -> int:
    """Return the length of the longest run of backticks in *text*; a fence needs one more."""
    return max(map(len, _BACKTICKS.findall(text)), default=0)


_WRITERS: Final[Mapping[str, Callable[[Node, Surroundings], str]]] = {
    "a": _write_link,
    "br": lambda _, around: " " if around.in_line else "\\\n",
    "img": _write_image,
    "q": lambda quote, around: f'"{write_inline(quote, around)}"',
    "tab": lambda _, __: " | ",
    **dict.fromkeys(("code", "kbd", "samp"), _write_code),
    **dict.fromkeys(_MARKS, _write_marked),
}
