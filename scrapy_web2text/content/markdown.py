"""The main content as Markdown, converted from its HTML: CommonMark with GitHub's tables."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from lxml import etree

from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.content.escaping import Allowance, drop_forbidden_characters, escape_markdown_line
from scrapy_web2text.content.markdown_writer import EDGE, HAS_HEAD, MARKER, Around, write_markdown
from scrapy_web2text.page.parse import new_parser

_INLINE: Final = "a abbr cite code del em img ins kbd mark q rp rt ruby samp strong sub sup".split()
# Only hostile pages have cells that span more.
_MOST_SPANNED: Final = 100
# Larger numbers do not start an item.
_LARGEST_NUMBER: Final = 999_999_999
# Number of cells that spans add to the tables of the shortest page. A longer page gets one more for each nine
# characters of its HTML, which is the length of an empty cell.
_LEAST_ADDED: Final = 5_000


def html_to_markdown(html: str, allowance: Allowance | None = None, *, formulas: Collection[str] = ()) -> str:
    """Return *html*, a fragment written by `content_html`, as Markdown.

    :param allowance: its length. Indentation that does not fit is left out; if that is not enough, so is all markup.
    :param formulas: the formulas in its texts, which are not escaped.
    """
    # Whitespace between tags has no meaning and costs time; code has no line breaks between tags.
    # Characters that were dropped later could join two backticks.
    html = drop_forbidden_characters(html).replace(">\n<", "><")
    if not html.strip():
        return ""
    root = etree.fromstring(html.encode(), new_parser())
    _alive = [*root.iter()]  # lxml's proxies: each new one costs a climb to the root
    allowance = allowance or Allowance()
    most = allowance.n_left
    n_left = _LEAST_ADDED + len(html) // len("<td></td>")
    for element in watched([*root.iter("table", "ul", "ol")]):
        if element.tag == "table":
            _move_captions(element)
            if next(element.iterdescendants("thead"), None) is not None:
                element.set(HAS_HEAD, "")
            n_left = _fill_spans(element, n_left)
        else:
            _mark_items(element)
    text = write_markdown(root, root.tag, Around(formulas, allowance))
    text = text.replace(f"`{EDGE * 2}`", "` `").replace(EDGE, "").strip()
    allowance.n_left = most
    return text if allowance.take(len(text)) else _write_plain(root)


def _write_plain(root: etree._Element) -> str:
    """Return the texts of *root*, each a paragraph."""
    etree.strip_tags(root, *_INLINE)
    texts = (" ".join(text.split()) for text in watched(root.itertext()))
    return "\n\n".join(escape_markdown_line(text) for text in texts if text)


def _mark_items(items: etree._Element) -> None:
    """Store the marker of each item of a list.

    The second of two adjacent lists gets a different marker, or Markdown would join them.
    """
    before = items.getprevious()
    is_adjacent = before is not None and before.tag == items.tag and not before.tail
    is_second = is_adjacent and MARKER not in before.attrib
    if is_second:
        items.set(MARKER, "")
    number = int(items.get("start") or 1)
    for item in items.iterchildren("li"):
        if items.tag == "ol":
            item.set(MARKER, f"{min(max(number, 0), _LARGEST_NUMBER)}{')' if is_second else '.'} ")
        else:
            item.set(MARKER, "* " if is_second else "- ")
        number += 1


def _move_captions(table: etree._Element) -> None:
    """Make each caption of a *table* a paragraph before it; inside, its lines would be rows."""
    for caption in [*table.iterdescendants("caption")]:
        caption.tag = "p"
        table.addprevious(caption)


def _fill_spans(table: etree._Element, n_left: int) -> int:
    """Add empty cells to each row of a *table*, as cells in Markdown cannot span rows or columns.

    :param n_left: maximum number of cells to add; spans beyond it are ignored.
    :returns: how many more may be added to other tables.
    """
    pending: dict[int, int] = {}  # column -> remaining rows covered by a cell above
    for row in table.iterdescendants("tr"):
        check_time()
        n_left = _fill_row(row, pending, n_left)
    return n_left


def _fill_row(row: etree._Element, pending: dict[int, int], n_left: int) -> int:
    filled: list[etree._Element] = []

    def fill_covered() -> None:
        nonlocal n_left
        while n_left and pending.get(len(filled)):
            n_left -= 1
            pending[len(filled)] -= 1
            filled.append(etree.Element("td"))

    cells = [*row]
    for cell in cells:
        fill_covered()
        width, height = (min(int(cell.attrib.pop(name, 1)), _MOST_SPANNED) for name in ("colspan", "rowspan"))
        width = min(width, n_left + 1)
        n_left -= width - 1
        if height > 1:
            pending.update(dict.fromkeys(range(len(filled), len(filled) + width), height - 1))
        filled += [cell, *(etree.Element(cell.tag) for _ in range(width - 1))]
    fill_covered()
    if len(filled) > len(cells):
        row[:] = filled
    return n_left
