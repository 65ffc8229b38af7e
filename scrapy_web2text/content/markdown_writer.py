"""An HTML tree of the main content as Markdown: one function for each element.

Blocks begin and end with line breaks. Where two meet, the longer run of line breaks counts, two at most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final

from lxml import etree

from scrapy_web2text.common.budget import check_time
from scrapy_web2text.content.escaping import (
    Allowance,
    escape_beside_formulas,
    escape_markdown_line,
    escape_markdown_url,
)

MARKER: Final = "data-marker"  # the attribute of an item with its marker
HAS_HEAD: Final = "data-head"  # an attribute of tables with a ``thead``
# Around a code span: the backticks of adjacent spans would merge. HTML cannot hold it.
EDGE: Final = "\0"
_LANGUAGE: Final = "language-"
_BACKTICKS: Final = re.compile("`+")
_SPACES: Final = re.compile("[ \t]+")
_WHITESPACE: Final = re.compile("[ \t\r\n]+")
_LINE_BREAKS: Final = re.compile("(?<![ \t\r\n])[ \t\r\n]*[\r\n][ \t\r\n]*")
_AUTOLINK: Final = re.compile(r"<(?:https?|mailto|tel):[^<>\s]*>", re.IGNORECASE)
_CLOSING: Final = re.compile("(?<![^ ])#+$")  # of a heading
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_CELLS: Final = frozenset({"td", "th"})
_ONE_LINE: Final = _CELLS.union(_HEADINGS)
_LISTS: Final = frozenset({"ul", "ol"})
_CODE: Final = frozenset({"code", "kbd", "samp", "pre"})
# Blocks: whitespace at both ends of them, and around them, has no meaning.
_BLOCKS: Final = frozenset(
    {*_HEADINGS, *_CELLS, *_LISTS, *"blockquote dd dl dt li p table tbody tfoot thead tr".split()}
)
_APART: Final = _BLOCKS | {"pre"}
# Markdown lacks subscripts and superscripts but allows these tags, also on GitHub. Without, 10² becomes 102.
_MARKS: Final = {
    "strong": ("**", "**"),
    "em": ("*", "*"),
    "del": ("~~", "~~"),
    "sub": ("<sub>", "</sub>"),
    "sup": ("<sup>", "</sup>"),
}
_EMPHASIS: Final = {tag: marks[0] for tag, marks in _MARKS.items() if marks[0] == marks[1]}
_MARKED: Final = frozenset({*_MARKS, "a", "q"})  # what they begin with is not text
_MATTERING: Final = _ONE_LINE | _CODE | {"a", "li"}  # what is in them is written in another way
_ENDS: Final = " \t\r\n"  # what is dropped at both ends of a block


class Around:
    """What is around a text: the elements that matter, the formulas of the page, and how long its Markdown may be."""

    def __init__(self, formulas: Collection[str], allowance: Allowance, tags: frozenset[str] = frozenset()) -> None:
        self.formulas, self.allowance, self._tags = formulas, allowance, tags
        self.in_line = not _ONE_LINE.isdisjoint(tags)  # headings and cells are one line
        self.in_code, self.in_cell = not _CODE.isdisjoint(tags), not _CELLS.isdisjoint(tags)
        self.in_pre, self.in_link, self.in_item = (tag in tags for tag in ("pre", "a", "li"))
        self._inside: dict[str, Around] = {}

    def inside(self, tag: str) -> Around:
        """Return what is around the texts in an element."""
        if tag not in _MATTERING or tag in self._tags:
            return self
        if tag not in self._inside:
            self._inside[tag] = Around(self.formulas, self.allowance, self._tags | {tag})
        return self._inside[tag]


def write_markdown(element: etree._Element, tag: str, around: Around) -> str:
    """Return an element with a *tag* as Markdown, with the line breaks around it. Its lists and tables are prepared."""
    inside, is_block = around.inside(tag), tag in _BLOCKS
    text, children = element.text or "", element[:] if len(element) else ()  # faster than to iterate
    tags = [child.tag for child in children] if children else ()
    if text:
        starts_line = not inside.in_line and tag not in _MARKED
        text = _text(text, inside, is_block, tags[0] in _APART if tags else is_block, starts_line)
    if children:
        check_time()
        pieces = [text] if text else []
        for child, name, following in zip(children, tags, (*tags[1:], None), strict=True):
            if piece := write_markdown(child, name, inside):
                is_marked = not inside.in_code and (name in _EMPHASIS or piece[0] == "[")
                pieces.append(_fit(pieces, piece, child, name) if is_marked else piece)
            if tail := child.tail:
                is_before = is_block if following is None else following in _APART
                starts_line = not inside.in_line and (not pieces or pieces[-1][-1] == "\n" or pieces[-1].isspace())
                if piece := _text(tail, inside, name in _APART, is_before, starts_line):
                    pieces.append(piece)
        text = "".join(pieces if inside.in_pre or len(pieces) < 2 else _merge_line_breaks(pieces))
    write = _WRITERS.get(tag)
    return text if write is None else write(element, text, around)


def _merge_line_breaks(pieces: list[str]) -> list[str]:
    """Return *pieces* with at most two line breaks where two of them meet, and those that they begin and end with."""
    merged, n_after = [""], 0
    for piece in pieces:
        merged.append(piece)
        if n_after and piece[0] == "\n":
            rest = piece.lstrip("\n")
            merged[-2:] = merged[-2][:-n_after], "\n" * min(2, max(n_after, len(piece) - len(rest))), rest
        n_after = len(piece) - len(piece.rstrip("\n") or piece) if piece[-1] == "\n" else 0
    return merged


def _fit(pieces: list[str], piece: str, element: etree._Element, tag: str) -> str:
    """Return *piece*, written for an inline element after *pieces*, so that its marks are read as such.

    An exclamation mark would make a link an image. Two elements with the same emphasis become one. Asterisks between a
    letter and a punctuation mark are not read as emphasis (CommonMark 0.31, section 6.2); tags are.
    """
    before = pieces[-1] if pieces else ""
    if tag not in _EMPHASIS:
        if before.endswith("!"):
            pieces[-1] = f"{before[:-1]}\\!"
        return piece
    mark, previous = _EMPHASIS[tag], element.getprevious()
    is_joined = previous is not None and previous.tag == tag and not previous.tail
    if is_joined and before.endswith(mark) and piece.startswith(mark):
        pieces[-1] = before[: -len(mark)]
        return piece[len(mark) :]
    after, inner = (element.tail or "")[:1], piece.strip(" ")[len(mark) : -len(mark)]
    opens = not before.endswith(mark[0]) and (inner[0].isalnum() or not before[-1:].isalnum() or piece[0] == " ")
    closes = inner[-1].isalnum() or not after.isalnum() or piece[-1] == " "
    return piece if opens and closes else piece.replace(f"{mark}{inner}{mark}", f"<{tag}>{inner}</{tag}>")


def _text(text: str, around: Around, is_after_block: bool, is_before_block: bool, starts_line: bool) -> str:
    """Return a text, escaped; whitespace next to the start or the end of a block is dropped."""
    if (is_after_block or is_before_block) and text.isspace():
        return ""
    if not around.in_pre:
        # Most texts have neither; to look is faster than to replace.
        if "\n" in text or "\r" in text:
            text = _LINE_BREAKS.sub("\n", text)
        if "  " in text or "\t" in text:
            text = _SPACES.sub(" ", text)
    if not around.in_code:
        formulas = around.formulas if "$" in text or "]" in text else ()
        where = {"in_link": around.in_link, "in_cell": around.in_cell, "at_start": starts_line}
        text = escape_beside_formulas(text, formulas, **where) if formulas else escape_markdown_line(text, **where)
    if is_after_block:
        text = text.lstrip(_ENDS)
    return text.rstrip() if is_before_block else text


def _indent(lines: list[str], indent: str, around: Around) -> list[str]:
    """Return *lines* with *indent* before each that has text; as they are if that does not fit."""
    fits = around.allowance.take(len(indent) * len(lines))
    return [indent + line if line else indent.rstrip() for line in lines] if fits else lines


def _paragraph(text: str, around: Around) -> str:
    if around.in_line:
        return f" {text} "
    return f"\n\n{text}\n\n" if text else ""


def _heading(level: int, _: etree._Element, text: str, around: Around) -> str:
    if around.in_line:
        return text
    text = _CLOSING.sub(r"\\\g<0>", _WHITESPACE.sub(" ", text.strip()))
    return f"\n\n{'#' * level} {text}\n\n"


def _marked(marks: tuple[str, str], _: etree._Element, text: str, around: Around) -> str:
    if around.in_code:
        return text
    before, inner, after = _split_spaces(text)
    return f"{before}{marks[0]}{inner}{marks[1]}{after}" if inner else ""


def _split_spaces(text: str) -> tuple[str, str, str]:
    """Return a space if *text* begins with one, the text without whitespace around it, and a space if it ends so."""
    return " " if text[:1] == " " else "", text.strip(), " " if text[-1:] == " " else ""


def _link(element: etree._Element, text: str, around: Around) -> str:
    """Write a link. Without a scheme, a URL in angle brackets would be a tag."""
    if around.in_code:
        return text
    before, inner, after = _split_spaces(text)
    if not inner:
        return ""
    url = escape_markdown_url(element.get("href") or "")
    is_short = inner.replace("\\_", "_") == url and _AUTOLINK.fullmatch(f"<{url}>") is not None
    link = f"<{url}>" if is_short else f"[{inner}]({url})" if url else inner
    return f"{before}{link}{after}"


def _image(element: etree._Element, _text_inside: str, around: Around) -> str:
    """Write an image; in code, only its description. Brackets in its URL or its description would end them."""
    alt = element.get("alt") or ""
    if around.in_code:
        return alt
    alt = escape_markdown_line(alt, in_link=True, in_cell=around.in_cell, at_start=False)
    if around.in_line and element.getparent().tag not in {*_CELLS, "a"}:
        return alt
    return f"![{alt}]({escape_markdown_url(element.get('src') or '')})"


def _code(_: etree._Element, text: str, around: Around) -> str:
    """Write inline code."""
    if around.in_code:
        return text
    before, inner, after = _split_spaces(text)
    if not inner:
        return ""
    longest = _longest_backticks(inner)
    fence = "`" * (longest + 1)
    return _code_span(
        f"{before}{fence} {inner} {fence}{after}" if longest else f"{before}`{inner}`{after}", text, around
    )


def _code_span(code: str, text: str, around: Around) -> str:
    """Return *code*, a span of *text*, with its edges marked. In a table, a vertical bar would end the cell."""
    if around.in_cell:
        if "\\|" in text:  # whether the backslash escapes the bar depends on the renderer
            return escape_markdown_line(text, in_link=around.in_link or bool(around.formulas), in_cell=True)
        code = code.replace("|", "\\|")
    span = code.strip(" ")
    return code.replace(span, f"{EDGE}{span}{EDGE}") if span else code


def _code_block(element: etree._Element, text: str, around: Around) -> str:
    """Write a block of code, in a fence longer than any in the code; in a table, a code span."""
    fence = "`" * max(3, _longest_backticks(text) + 1)
    if not text.strip():
        return ""
    code = text.strip("\n")
    if around.in_cell:
        line = code.replace("\n", " ")
        return f" {_code_span(f'{fence} {line} {fence}', line, around)} "
    return f"\n\n{fence}{_language(element)}\n{code}\n{fence}\n\n"


def _longest_backticks(text: str) -> int:
    """Return the length of the longest run of backticks in *text*; a fence needs one more."""
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _language(code: etree._Element) -> str:
    inner = next(code.iter("code"), None)
    names = () if inner is None else (inner.get("class") or "").split()
    return next((name.removeprefix(_LANGUAGE) for name in names if name.startswith(_LANGUAGE)), "")


def _quote(_: etree._Element, text: str, around: Around) -> str:
    text = text.strip(_ENDS)
    if around.in_line:
        return f" {text} "
    return "\n" + "\n".join(_indent(text.split("\n"), "> ", around)) + "\n\n" if text else "\n"


def _list(element: etree._Element, text: str, around: Around) -> str:
    """Write a list. A nested one that does not start with 1 needs an empty line before it."""
    if around.in_item:
        line_breaks = "\n\n" if element.get("start") else "\n"
        return line_breaks + text.rstrip()
    following = element.getnext()
    has_text = bool(element.tail and element.tail.strip())
    is_before_paragraph = has_text or (following is not None and following.tag not in _LISTS)
    return "\n\n" + text + "\n" * is_before_paragraph


def _item(element: etree._Element, text: str, around: Around) -> str:
    """Write an item, with its other lines indented."""
    marker = str(element.get(MARKER, "- "))
    first, *lines = text.strip().split("\n")
    return marker + "\n".join([first, *_indent(lines, " " * len(marker), around)]) + "\n"


def _row(row: etree._Element, text: str, _: Around) -> str:
    """Return a row, with the line that Markdown wants under the first row, or an empty first row."""
    line = f"|{text}\n"
    if row.getprevious() is not None:
        return line
    cells = [*row.iterdescendants("td", "th")]
    part = row.getparent()
    is_head = all(cell.tag == "th" for cell in cells) or (part.tag == "thead" and row.getnext() is None)
    under = f"| {' | '.join(['---'] * len(cells))} |\n"
    if is_head or part.tag != "tbody" or HAS_HEAD not in part.getparent().attrib:
        return line + under
    return line if part.getprevious() is not None else f"| {' | '.join([''] * len(cells))} |\n{under}{line}"


_WRITERS: Final[Mapping[str, Callable[[etree._Element, str, Around], str]]] = {
    "a": _link,
    "blockquote": _quote,
    "br": lambda _, text, around: (text + " " if text else " ") if around.in_line else "\\\n" + text,
    "dd": lambda _, text, __: f"\n\n{text.strip()}\n\n",
    "dl": lambda _, text, around: _paragraph(text.strip(), around),
    # Markdown has no definition lists.
    "dt": lambda _, text, __: f"\n\n**{' '.join(text.split())}**\n\n" if text.strip() else "",
    "figcaption": lambda _, text, __: f"\n\n{text.strip()}\n\n",
    "img": _image,
    "li": _item,
    "p": lambda _, text, around: _paragraph(text.strip(_ENDS), around),
    "pre": _code_block,
    "q": lambda _, text, __: f'"{text}"',
    # The caption is before the table; without other text, there is no table.
    "table": lambda _, text, __: f"\n\n{text.strip()}\n\n" if text.strip() else "",
    "tr": _row,
    **dict.fromkeys(("code", "kbd", "samp"), _code),
    **dict.fromkeys(_LISTS, _list),
    **dict.fromkeys(_CELLS, lambda _, text, __: f" {text.strip()} |".replace("\n", " ")),
    **{tag: partial(_heading, level) for tag, level in _HEADINGS.items()},
    **{tag: partial(_marked, marks) for tag, marks in _MARKS.items()},
}
