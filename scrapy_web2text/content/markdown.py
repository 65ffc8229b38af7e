"""A document as Markdown (CommonMark with GitHub's tables), by one function for each kind of structure or passage.

Structures and passages begin and end with line breaks. Where two of them meet, the longer run of line breaks is kept,
at most two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.content.escaping import Allowance, escape_markdown_line
from scrapy_web2text.content.markdown_inline import AUTOLINK, EDGE, ENDS, Surroundings, write_code_block, write_inline
from scrapy_web2text.content.nodes import Cell, Document, Item, Node, Passage, passages, plain_text
from scrapy_web2text.page.tags import HEADING_TAGS

_WHITESPACE: Final = re.compile("[ \t\r\n]+")
_TASK: Final = re.compile(r"\A\\\[([ x])\] ")  # an escaped box, which GitHub's Markdown reads
_NUMBER: Final = re.compile(r"^(\d{1,9})([.)])(?=\s|$)", re.MULTILINE)  # of an item, whose sign is in another element
_CLOSING: Final = re.compile("(?<![^ ])#+$")  # signs that Markdown would read as the end of a heading
_LISTS: Final = frozenset({"ul", "ol"})
# A text that Markdown cannot read as the URL of a link: more follows the first word and, if there is one, the title.
_NO_URL: Final = re.compile(
    r"""[^\s<]\S*[ \t]+(?:[^\s"'(]|"[^"\\\n]*"[ \t]*\S|'[^'\\\n]*'[ \t]*\S|\([^()\\\n]*\)[ \t]*\S)"""
)
_NOTE_INDENT: Final = " " * 4
# Columns or rows. Only hostile pages have cells that span more.
_MOST_SPANNED: Final = 100
# Number of cells that spans add to the tables of the shortest page. A longer page gets one more for each character.
_LEAST_ADDED: Final = 5_000


def write_markdown(document: Document, allowance: Allowance | None = None) -> str:
    """Return *document* as Markdown.

    :param allowance: length of the result. URLs and indentation that do not fit are left out. If the result is still
        too long, all markup is left out.
    """
    allowance = allowance or Allowance()
    # Escaping can double the length of a text.
    room = Allowance(max(allowance.n_left - 2 * document.n_characters, 0))
    around = Surroundings(document.formulas, room, Allowance(_LEAST_ADDED + document.n_characters))
    text = _write_all(document.children, around)
    text = text.replace(f"`{EDGE * 2}`", "` `").replace(EDGE, "").strip()
    allowance.is_spent |= room.is_spent
    return text if allowance.take(len(text)) else _write_plain(document)


def _write_plain(document: Document) -> str:
    """Return the texts of *document*, with each passage as a paragraph."""
    texts = (plain_text(passage, " ") for passage in watched(passages(document.children)))
    return "\n\n".join(escape_markdown_line(text) for text in texts if text)


def _write_all(nodes: Sequence[Node | str], around: Surroundings) -> str:
    """Return structures and passages as Markdown."""
    pieces = []
    is_second = False
    for before, node in watched(pairwise((None, *nodes)), len(nodes)):
        if not isinstance(node, Node):
            continue
        # The second of two adjacent lists gets a different marker, or Markdown would join them.
        is_adjacent = isinstance(before, Node) and node.kind in _LISTS and before.kind == node.kind
        is_second = is_adjacent and not is_second
        piece = _write_list(node, around, is_second) if node.kind in _LISTS else _WRITERS[node.kind](node, around)
        if piece:
            pieces.append(piece)
    return "".join(_merge_line_breaks(pieces) if len(pieces) > 1 else pieces)


def _merge_line_breaks(pieces: list[str]) -> list[str]:
    """Return *pieces* with at most two line breaks where two of them meet; the first and the last breaks stay."""
    merged, n_after = [""], 0
    for piece in pieces:
        merged.append(piece)
        if n_after and piece[0] == "\n":
            rest = piece.lstrip("\n")
            merged[-2:] = merged[-2][:-n_after], "\n" * min(2, max(n_after, len(piece) - len(rest))), rest
        n_after = len(piece) - len(piece.rstrip("\n") or piece) if piece[-1] == "\n" else 0
    return merged


def _apart(text: str, around: Surroundings) -> str:
    """Return *text* between empty lines or, within a line, between spaces."""
    if around.in_line:
        return f" {text} "
    return f"\n\n{text}\n\n" if text else ""


def _write_structure(node: Node, around: Surroundings) -> str:
    return _apart(_write_all(node.children, around).strip(ENDS), around)


def _write_passage(passage: Node, around: Surroundings) -> str:
    return _apart(_write_text(passage, around), around)


def _write_text(passage: Node, around: Surroundings) -> str:
    note = passage.note if isinstance(passage, Passage) and not around.in_line else None
    node = passage if note is None else Node("p", passage.children[1:])
    text = write_inline(node, around).strip(ENDS)
    if text[:1].isdigit() or "\n" in text:
        text = _NUMBER.sub(r"\1\\\2", text)
    return text if note is None else _begin_note(note, text) + text


def _begin_note(note: str, text: str) -> str:
    """Return the mark before the *text* of a note.

    Renderers without footnotes would read ``[^1]: word`` as the URL of a link, so the bracket is escaped, except before
    a text that cannot be read so. A note that is a URL may become a link.
    """
    return f"[^{note}]: " if _NO_URL.match(text) or AUTOLINK.fullmatch(text) else f"\\[^{note}]: "


def _write_heading(heading: Node, around: Surroundings) -> str:
    text = write_inline(heading, around.inside(heading.kind)).strip()
    if around.in_line:
        return text
    text = _CLOSING.sub(r"\\\g<0>", _WHITESPACE.sub(" ", text))
    return f"\n\n{'#' * int(heading.kind[1])} {text}\n\n"


def _write_term(term: Node, around: Surroundings) -> str:
    """Write a term; Markdown has no definition lists."""
    text = write_inline(term, around.inside("dt")).strip()
    return _apart(f"**{text}**", around) if text else ""


def _write_quote(quote: Node, around: Surroundings) -> str:
    text = _write_all(quote.children, around).strip(ENDS)
    if around.in_line:
        return f" {text} "
    return "\n" + "\n".join(_indent(text.split("\n"), "> ", around)) + "\n\n" if text else "\n"


def _indent(lines: list[str], indent: str, around: Surroundings) -> list[str]:
    """Return *lines* with *indent* before each line with text. If the indents do not fit, *lines* are unchanged."""
    fits = around.allowance.take(len(indent) * len(lines))
    return [indent + line if line else indent.rstrip() for line in lines] if fits else lines


def _write_list(items: Node, around: Surroundings, is_second: bool) -> str:
    """Write a list. A nested list that does not start with 1 needs an empty line before it."""
    written = []
    for item in watched(items.children):
        if isinstance(item, Item):
            written.append(_write_item(item, is_second, around))
        else:
            written.append(_write_all([item], around))
    text = "".join(_merge_line_breaks([*filter(None, written)]))
    if not around.in_item:
        return f"\n\n{text}\n"
    first = items.children[0]
    is_from_one = not isinstance(first, Item) or first.number in (None, 1)
    return ("\n" if is_from_one else "\n\n") + text.rstrip()


def _write_item(item: Item, is_second: bool, around: Surroundings) -> str:
    """Write an item, with all lines indented except the first. The items of a second list have other markers."""
    text = _write_all(item.children, around.inside("li")).strip()
    first, *lines = text.split("\n")
    first = _TASK.sub(r"[\1] ", first)
    if item.note is not None and not around.in_line:
        marker, indent = _begin_note(item.note, text), _NOTE_INDENT
    else:
        marker = f"{'-*'[is_second]} " if item.number is None else f"{item.number}{'.)'[is_second]} "
        indent = " " * len(marker)
    return marker + "\n".join([first, *_indent(lines, indent, around)]) + "\n"


def _write_table(table: Node, around: Surroundings) -> str:
    """Write a table. Its captions come before it, since they would be read as rows; its first row is the head."""
    parts = [node for node in table.children if isinstance(node, Node)]
    captions = [_write_passage(part, around) for part in parts if part.kind == "caption"]
    rows = [row for part in parts if part.kind != "caption" for row in part.children if isinstance(row, Node)]
    inside = around.inside("td")
    lines = []
    for cells in watched(_fill_spans(rows, around.cells)):
        texts = ["" if cell is None else _write_all(cell.children, inside).strip() for cell in cells]
        lines.append(f"| {' | '.join(texts)} |".replace("\n", " "))
        if len(lines) == 1:
            lines.append(f"| {' | '.join(['---'] * len(cells))} |")
    return "".join(_merge_line_breaks([*filter(None, (*captions, _apart("\n".join(lines), around)))]))


def _fill_spans(rows: list[Node], room: Allowance) -> list[list[Cell | None]]:
    """Return the cells of each row, with None where a cell spans further columns or rows: Markdown has no spans.

    :param room: maximum number of cells to add; spans beyond it are ignored.
    """
    pending: dict[int, int] = {}  # column -> remaining rows covered by a cell above
    filled = []
    for row in watched(rows):
        check_time()
        filled.append(_fill_row(row, pending, room))
    return filled


def _fill_row(row: Node, pending: dict[int, int], room: Allowance) -> list[Cell | None]:
    filled: list[Cell | None] = []

    def fill_covered() -> None:
        while pending.get(len(filled)) and room.take(1):
            pending[len(filled)] -= 1
            filled.append(None)

    for cell in row.children:
        fill_covered()
        if isinstance(cell, Cell):
            width, height = min(cell.n_columns, _MOST_SPANNED), min(cell.n_rows, _MOST_SPANNED)
            width = width if room.take(width - 1) else 1
            if height > 1:
                pending.update(dict.fromkeys(range(len(filled), len(filled) + width), height - 1))
            filled += [cell, *[None] * (width - 1)]
    fill_covered()
    return filled


_WRITERS: Final[Mapping[str, Callable[[Node, Surroundings], str]]] = {
    "blockquote": _write_quote,
    "dt": _write_term,
    "hr": lambda _, around: _apart("---", around) if not around.in_line else " ",
    "pre": write_code_block,
    "table": _write_table,
    "text": _write_text,
    **dict.fromkeys(("p", "caption"), _write_passage),
    **dict.fromkeys(HEADING_TAGS, _write_heading),
    **dict.fromkeys(("dd", "dl", "figcaption", "figure"), _write_structure),
}
