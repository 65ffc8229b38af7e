"""The main content as Markdown, converted from its HTML: CommonMark with GitHub's tables."""

from __future__ import annotations

import re
from typing import Any, Final

from bs4 import BeautifulSoup, Tag
from markdownify import ATX, BACKSLASH, MarkdownConverter

from scrapy_web2text.budget import check_time
from scrapy_web2text.content.escaping import drop_forbidden_characters, escape_markdown, escape_markdown_url

__all__ = ["html_to_markdown"]

_LANGUAGE: Final = "language-"
_MARKER: Final = "data-marker"
_BACKTICKS: Final = re.compile("`+")
# Characters that Markdown would interpret at the start of a line.
_AT_LINE_START: Final = re.compile(r"^(\s*)(?:(#{1,6}|[-+])(?=\s|$)|([>=~|-]|:(?=-))|(\d{1,9})([.)])(?=\s|$))")
# Only hostile pages have cells that span more.
_MOST_SPANNED: Final = 100
_CELLS: Final = frozenset({"td", "th"})
# Larger numbers do not start an item.
_LARGEST_NUMBER: Final = 999_999_999
# Around a code span: the backticks of adjacent spans would merge. HTML cannot hold it.
_EDGE: Final = "\0"
_AUTOLINK: Final = re.compile(r"<(?:https?|mailto|tel):[^<>\s]*>", re.IGNORECASE)
# Number of cells that spans add to the tables of the shortest page. A longer page gets one more for each nine
# characters of its HTML, which is the length of an empty cell.
_LEAST_ADDED: Final = 5_000


def html_to_markdown(html: str) -> str:
    """Return *html*, a fragment written by `content_html`, as Markdown."""
    # Whitespace between tags has no meaning and costs time; code has no line breaks between tags.
    # Characters that were dropped later could join two backticks.
    html = drop_forbidden_characters(html).replace(">\n<", "><")
    soup = BeautifulSoup(html, "lxml", element_classes={Tag: _Tag})
    n_left = _LEAST_ADDED + len(html) // len("<td></td>")
    check_time()
    for table in soup.find_all("table"):
        _move_captions(table)
        n_left = _fill_spans(table, n_left)
    check_time()
    for items in soup.find_all(["ul", "ol"]):
        check_time()
        _mark_items(items)
    converter = _Converter(
        heading_style=ATX,
        newline_style=BACKSLASH,
        table_infer_header=True,
        keep_inline_images_in=["td", "th", "a"],
        code_language_callback=_language,
        # Markdown lacks subscripts and superscripts but allows these tags, also on GitHub. Without, 10² becomes 102.
        sub_symbol="<sub>",
        sup_symbol="<sup>",
    )
    markdown: str = converter.convert_soup(soup)
    return markdown.replace(f"`{_EDGE * 2}`", "` `").replace(_EDGE, "").strip()


class _Tag(Tag):
    """An element with a fast search for its parents: markdownify asks each element whether it is in a ``pre``.

    The search of bs4 takes a fifth of the conversion. The time is checked as each element is created.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        check_time()
        super().__init__(*args, **options)

    def find_parent(self, name: Any = None, *args: Any, **options: Any) -> Any:
        """Return the nearest element around this one with the *name*; None if there is none."""
        if not isinstance(name, str) or args or options:
            return super().find_parent(name, *args, **options)
        return next((parent for parent in self.parents if parent.name == name), None)


def _mark_items(items: Tag) -> None:
    """Store the marker of each item of a list.

    The second of two adjacent lists gets a different marker, or Markdown would join them.
    """
    before = items.previous_sibling
    is_second = isinstance(before, Tag) and before.name == items.name and _MARKER not in before.attrs
    if is_second:
        items[_MARKER] = ""
    number = int(str(items.get("start") or 1))
    for item in items.find_all("li", recursive=False):
        if items.name == "ol":
            item[_MARKER] = f"{min(max(number, 0), _LARGEST_NUMBER)}{')' if is_second else '.'} "
        else:
            item[_MARKER] = "* " if is_second else "- "
        number += 1


def _move_captions(table: Tag) -> None:
    """Make each caption of a *table* a paragraph before it; inside, its lines would be rows."""
    for caption in table.find_all("caption"):
        caption.name = "p"
        table.insert_before(caption.extract())


def _fill_spans(table: Tag, n_left: int) -> int:
    """Add empty cells to each row of a *table*, as cells in Markdown cannot span rows or columns.

    :param n_left: maximum number of cells to add; spans beyond it are ignored.
    :returns: how many more may be added to other tables.
    """
    pending: dict[int, int] = {}  # column -> remaining rows covered by a cell above
    for row in table.find_all("tr"):
        check_time()
        n_left = _fill_row(row, pending, n_left)
    return n_left


def _fill_row(row: Tag, pending: dict[int, int], n_left: int) -> int:
    column = position = 0  # by position, because bs4 searches all cells for the place of one

    def fill_covered() -> None:
        nonlocal column, position, n_left
        while n_left and pending.get(column):
            n_left -= 1
            pending[column] -= 1
            column += 1
            row.insert(position, Tag(name="td"))
            position += 1

    for cell in [*row.contents]:
        if isinstance(cell, Tag) and cell.name in ("td", "th"):
            fill_covered()
            width, height = (_span(cell, name) for name in ("colspan", "rowspan"))
            width = min(width, n_left + 1)
            n_left -= width - 1
            if height > 1:
                pending.update(dict.fromkeys(range(column, column + width), height - 1))
            for _ in range(width - 1):
                position += 1
                row.insert(position, Tag(name=cell.name))
            column += width
        position += 1
    fill_covered()
    return n_left


def _span(cell: Tag, name: str) -> int:
    return min(int(str(cell.attrs.pop(name, 1))), _MOST_SPANNED)


def _language(code: Tag) -> str:
    inner = code.find("code")
    classes = inner.get("class") if isinstance(inner, Tag) else None
    return next((name.removeprefix(_LANGUAGE) for name in classes or () if name.startswith(_LANGUAGE)), "")


class _Converter(MarkdownConverter):  # type: ignore[misc]  # untyped
    """The converter of markdownify, corrected where its output is not valid Markdown."""

    def process_tag(self, node: Tag, parent_tags: set[str] | None = None) -> str:
        """Return an element as Markdown."""
        check_time()
        converted: str = super().process_tag(node, parent_tags)
        return converted

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Return *text* with Markdown escaped, in as few places as possible, since people read the result."""
        text = escape_markdown(text)
        if "a" in parent_tags:
            text = text.replace("]", "\\]")
        if parent_tags & _CELLS:
            text = text.replace("|", "\\|")
        match = _AT_LINE_START.match(text)
        if match is None:
            return text
        number = match[4]
        at = match.start(5) if number else match.end(1)
        return f"{text[:at]}\\{text[at:]}"

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a link. Without a scheme, a URL in angle brackets would be a tag."""
        url = el["href"] = escape_markdown_url(str(el.get("href") or ""))
        link: str = super().convert_a(el, text, parent_tags)
        return f"[{text.strip()}]({url})" if link == f"<{url}>" and not _AUTOLINK.fullmatch(link) else link

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write an image; in code, only its description. Brackets in its URL or its description would end them."""
        alt = str(el.get("alt") or "")
        if "_noformat" in parent_tags:
            return alt
        el["src"] = escape_markdown_url(str(el.get("src") or ""))
        el["alt"] = self.escape(alt, {*parent_tags, "a"})
        image: str = super().convert_img(el, text, parent_tags)
        return image

    def convert_code(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write inline code."""
        code: str = super().convert_code(el, text, parent_tags)
        return code if "_noformat" in parent_tags else self._code_span(code, text, parent_tags)

    def _code_span(self, code: str, text: str, parent_tags: set[str]) -> str:
        """Return *code*, a span of *text*, with its edges marked. In a table, a vertical bar would end the cell."""
        if parent_tags & _CELLS:
            if "\\|" in text:  # whether the backslash escapes the bar depends on the renderer
                return self.escape(text, parent_tags)
            code = code.replace("|", "\\|")
        span = code.strip(" ")
        return code.replace(span, f"{_EDGE}{span}{_EDGE}") if span else code

    convert_kbd = convert_code
    convert_samp = convert_code

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a block of code, in a fence longer than any in the code; in a table, a code span."""
        longest = max(map(len, _BACKTICKS.findall(text)), default=0)
        fence = "`" * max(3, longest + 1)
        if parent_tags & _CELLS:
            code = " ".join(text.strip("\n").split("\n"))
            return f" {self._code_span(f'{fence} {code} {fence}', code, parent_tags)} " if code.strip() else ""
        return f"\n\n{fence}{_language(el)}\n{text.strip(chr(10))}\n{fence}\n\n" if text.strip() else ""

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a table, or nothing if only its caption had text."""
        return super().convert_table(el, text, parent_tags) if text.strip() else ""

    def convert_list(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a list. A nested one that does not start with 1 needs an empty line before it."""
        written: str = super().convert_list(el, text, parent_tags)
        return f"\n{written}" if "li" in parent_tags and el.get("start") else written

    convert_ul = convert_list
    convert_ol = convert_list

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write an item, with its other lines indented."""
        marker = str(el.get(_MARKER, "- "))
        lines = text.strip().split("\n")
        indent = " " * len(marker)
        return marker + "\n".join([lines[0], *(indent + line if line else "" for line in lines[1:])]) + "\n"

    def convert_dt(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a term in bold, as Markdown has no definition lists."""
        return f"\n\n**{' '.join(text.split())}**\n\n" if text.strip() else ""

    def convert_dd(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write the definition of a term as a paragraph."""
        return f"\n\n{text.strip()}\n\n"
