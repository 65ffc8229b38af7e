"""A document as HTML: its text, images and links, in the simplest elements that keep its structure.

No markup of the page is copied. Tags are the kinds of nodes, nested as a parser of HTML5 expects, and all other text is
escaped. A sanitizer would therefore change nothing, which the tests check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.escaping import Allowance, escape_attribute, escape_html
from scrapy_web2text.content.nodes import INLINE, Cell, Code, Document, Image, Item, Link, Node, passages

# Nodes without children. A ``tab`` is between the cells of a row that is written as text.
_SINGLE: Final = {"br": "<br>", "hr": "<hr>\n", "tab": " | "}


def write_html(document: Document, allowance: Allowance | None = None) -> str:
    """Return *document* as a safe HTML fragment.

    :param allowance: length of the result. If it is too long with all markup, only texts and paragraphs are written.
    """
    allowance = allowance or Allowance()
    for escape in (escape_html, partial(escape_html, is_sparing=True)):
        room = Allowance(allowance.n_left)
        html = _Writer(escape, room).write_all(document.children)
        if not room.is_spent and len(html) <= allowance.n_left:
            return html.strip()
    allowance.is_spent = True
    return _write_plain(document)


def _write_plain(document: Document) -> str:
    """Return the texts of *document*, with each passage as a paragraph."""
    writer = _Writer(partial(escape_html, is_sparing=True), Allowance(0))
    written = (writer.write_children(passage) for passage in watched(passages(document.children)))
    return "\n".join(f"<p>{text}</p>" for text in written if text)


class _Writer:
    """Writes nodes as HTML, with the links and other inline nodes that fit into the *allowance*."""

    def __init__(self, escape: Callable[[str], str], allowance: Allowance) -> None:
        self._escape = escape
        self._allowance = allowance

    def write_all(self, nodes: Sequence[Node | str]) -> str:
        escape, write = self._escape, self.write
        return "".join([escape(node) if isinstance(node, str) else write(node) for node in watched(nodes, len(nodes))])

    def write_children(self, node: Node) -> str:
        return self.write_all(node.children)

    def write(self, node: Node) -> str:
        """Return a node with its children."""
        kind = node.kind
        if kind in INLINE:
            return self._write_inline(node)
        if kind in _SINGLE:
            return _SINGLE[kind]
        if isinstance(node, Image):
            return self._write_image(node)
        return self._write_numbered(node) if kind == "ol" else self._write_block(node)

    def _write_block(self, node: Node) -> str:
        """Return a structure or a passage as HTML."""
        kind, inner = node.kind, self.write_children(node)
        if kind == "text":
            return inner
        if isinstance(node, Code):
            language = f' class="language-{node.language}"' if node.language else ""
            return f"<pre><code{language}>{inner}</code></pre>\n"
        return f"<{kind}{_spans(node) if isinstance(node, Cell) else ''}>{inner}</{kind}>\n"

    def _write_numbered(self, items: Node) -> str:
        """Return an ordered list as HTML. An item has its number if it does not continue the count."""
        numbers = [node.number for node in items.children[:1] if isinstance(node, Item) and node.number is not None]
        expected = start = numbers[0] if numbers else 1
        written = []
        for node in watched(items.children):
            if isinstance(node, Item) and node.number is not None:
                value = f' value="{node.number}"' if node.number != expected else ""
                written.append(f"<li{value}>{self.write_children(node)}</li>\n")
                expected = node.number + 1
            else:
                written.append(self.write_all([node]))
        attribute = f' start="{start}"' if start != 1 else ""
        return f"<ol{attribute}>{''.join(written)}</ol>\n"

    def _write_inline(self, node: Node) -> str:
        url = node.url if isinstance(node, Link) else ""
        fits = self._allowance.take(len("<></>") + 2 * len(node.kind) + len(url))
        inner = self.write_children(node)
        if not fits:
            return inner
        attribute = f' href="{escape_attribute(url)}"' if url else ""
        return f"<{node.kind}{attribute}>{inner}</{node.kind}>"

    def _write_image(self, image: Image) -> str:
        if not self._allowance.take(len('<img src="" alt="">') + len(image.url or "") + len(image.alt)):
            return ""
        source = f'src="{escape_attribute(image.url)}" ' if image.url else ""
        return f'<img {source}alt="{escape_attribute(image.alt)}">'


def _spans(cell: Cell) -> str:
    spans = (("colspan", cell.n_columns), ("rowspan", cell.n_rows))
    return "".join([f' {name}="{n_spanned}"' for name, n_spanned in spans if n_spanned > 1])
