"""The main content as HTML: only its own text, images and links, in the simplest elements that keep its structure.

The lines of the text become paragraphs, items, cells, headings and code. Elements that only lay out the page are
dropped. Nothing of the page is copied: tags are those below, nested as a parser of HTML5 expects, and all else is
escaped. So a sanitizer would change nothing, which the tests check.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Final, TypeAlias

import numpy as np

from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.escaping import Allowance, escape_attribute, escape_html
from scrapy_web2text.content.layout import find_hollow_items
from scrapy_web2text.content.links import describe_image, image_source, is_allowed, link_url
from scrapy_web2text.content.places import LINE_TAGS, Group, Place
from scrapy_web2text.content.structure import Line, needs_space
from scrapy_web2text.content.text import write_code
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.reader import collapse_each
from scrapy_web2text.page.tags import HEADING_TAGS, TAG_NAMES
from scrapy_web2text.page.urls import join_url

# Inline elements with a meaning -> how they are written.
_INLINE: Final = {
    **{tag: tag for tag in "a abbr cite code del em ins kbd mark q rp rt ruby samp strong sub sup".split()},
    "acronym": "abbr",
    "b": "strong",
    "dfn": "em",
    "i": "em",
    "s": "del",
    "strike": "del",
    "tt": "code",
    "var": "em",
}
_INLINE_NAMES: Final = frozenset(_INLINE)
_MOST_INLINE: Final = 6
# Elements that write a single paragraph without a `p`.
_TIGHT_TAGS: Final = frozenset({"li", "td", "th", "dd", "figcaption"})
_PARAGRAPH: Final = len("<p></p>\n")
# Between the cells of a row that is written as text.
_CELL_END: Final = " | "
_LANGUAGE: Final = re.compile(
    r"(?:^|\s)(?:(?:lang|language|highlight-source|brush:)[-:\s]\s*"
    r"|highlight-(?!(?:box|container|default|lines?|none|source|text|wrap)))([A-Za-z0-9+#_.-]{1,30})"
)
_LANGUAGE_NAME: Final = re.compile(r"[A-Za-z0-9+#_.-]{1,30}")
_SPAN: Final = re.compile("[1-9][0-9]{0,2}")


def content_html(content: Content, allowance: Allowance | None = None) -> str:
    """Return the content as a safe HTML fragment.

    :param allowance: its length; markup that does not fit is left out, but no words.
    """
    lines = content.lines_with_images
    if not lines:
        return ""
    writer = _Writer(content, allowance or Allowance(), len(lines))
    writer.write(lines)
    return "".join(writer.pieces).strip()


class _Writer:
    """Writes lines as HTML, one after another."""

    def __init__(self, content: Content, allowance: Allowance, n_lines: int) -> None:
        self._content = content
        self._allowance = allowance
        self._structure = content.structure
        self._page = content.page
        self._texts = content.texts
        self._numbers = content.item_numbers
        self._next_numbers: dict[int, int] = {}
        # Many blocks of code can share an element with a long class.
        self._find_language = cache(partial(_find_language, self._page))
        self._is_cell = self._page.tags_in({"td", "th"})
        self._waiting_cells: dict[int, Iterator[int]] = {}
        nothing: _Inline = ()
        self._find_inline = self._structure.inherit(nothing, partial(_add_inline, content), _INLINE_NAMES)
        self._open: list[Place] = []
        for escape in (escape_html, partial(escape_html, is_sparing=True)):
            self._escape, self._escaped = escape, _escape_texts(content.texts, escape)
            title = f"<h1>{escape(content.title)}</h1>\n" if content.title else ""
            n_characters = len(title) + sum(map(len, self._escaped.values())) + len(self._escaped)
            if 2 * n_characters <= allowance.n_left:  # else the page is hardly more than signs
                break
        allowance.n_left = max(allowance.n_left - n_characters - n_lines * _PARAGRAPH, 0)
        self.pieces = [title]

    def write(self, lines: list[Line]) -> None:
        hollow_items = find_hollow_items(self._page, np.array([line.slots[0] for line in lines]))
        paragraphs = self._content.paragraphs(lines, hollow_items)
        check_time()
        sizes = Counter(groups[0][0][-1].element for groups in paragraphs if groups[0][0])
        for groups in watched(paragraphs):
            place = self._move_to(groups[0][0])
            tag = place[-1].tag if place else ""
            if tag == "pre":
                code = self._code(groups[0][1], place[-1].element)
                if self._allowance.take(len(code)):
                    self.pieces.append(code)
                    continue
                tag = ""
            line_break = "<br>" if len(groups) == 1 else " "
            inline = _CELL_END.join(filter(None, [self._inline_lines(group, line_break) for group in groups]))
            is_bare = tag in LINE_TAGS or (tag in _TIGHT_TAGS and sizes[place[-1].element] == 1)
            is_image = tag == "figure" and not any(slot in self._texts for line in groups[0][1] for slot in line.slots)
            self._allowance.n_left += _PARAGRAPH * is_bare
            self.pieces.append(inline if is_bare or is_image else f"<p>{inline}</p>\n")
        self._move_to(())

    def _inline_lines(self, group: Group, line_break: str) -> str:
        """Return the lines of a paragraph or cell with their inline elements."""
        place, lines = group
        is_heading = bool(place) and place[-1].tag in HEADING_TAGS
        if len(lines) == 1:
            return self._line(lines[0], is_heading=is_heading)
        return line_break.join(filter(None, [self._line(line, is_heading=is_heading) for line in watched(lines)]))

    def _move_to(self, place: tuple[Place, ...]) -> tuple[Place, ...]:
        """Close the open elements that do not surround *place*, and open those that do.

        :returns: *place*; nowhere if its tags do not fit.
        """
        n_shared = _count_shared(place, self._open)
        if n_shared == len(place) == len(self._open):
            return place
        opened = place[n_shared:]
        if opened and not self._allowance.take(sum([len("<></>\n") + 2 * len(step.tag) for step in opened])):
            place, n_shared = (), 0
        closed = self._open[n_shared:]
        del self._open[n_shared:]
        for step in reversed(closed):
            if step.tag == "tr":
                self._write_empty_cells(step.element, None)
            if step.tag != "pre":
                is_added = step.tag == "tbody" and step.element < 0
                self.pieces.append(f"</{step.tag}>" if is_added else f"</{step.tag}>\n")
        for depth in range(n_shared, len(place)):
            self._open_step(place, depth)
        return place

    def _open_step(self, place: tuple[Place, ...], depth: int) -> None:
        """Write the start tag of one step of *place*, with the spans of a cell or the number of a list or item."""
        step = place[depth]
        self._open.append(step)
        if step.tag == "pre":
            return
        attributes = ""
        if step.tag in ("td", "th"):
            self._write_empty_cells(place[depth - 1].element, step.element)
            attributes = self._spans(step.element)
        elif step.tag == "tr" and step.element not in self._waiting_cells:  # a text between its cells closes a row
            cells = self._is_cell[step.element : self._page.ends[step.element]].nonzero()[0] + step.element
            self._waiting_cells[step.element] = iter(cells[self._page.parents[cells] == step.element].tolist())
        elif step.tag == "ol" and depth + 1 < len(place):
            number = self._numbers.get(place[depth + 1].element, 1)
            self._next_numbers[step.element] = number
            attributes = f' start="{number}"' if number != 1 else ""
        elif step.tag == "li" and step.element in self._numbers:
            number, expected = self._numbers[step.element], self._next_numbers.get(place[depth - 1].element)
            self._next_numbers[place[depth - 1].element] = number + 1
            attributes = f' value="{number}"' if expected is not None and number != expected else ""
        self.pieces.append(f"<{step.tag}{attributes if self._allowance.take(len(attributes)) else ''}>")

    def _write_empty_cells(self, row: int, before: int | None) -> None:
        """Write the empty cells of a row up to the cell *before*, or all that remain, to keep the columns aligned."""
        for cell in self._waiting_cells.get(row, ()):
            if cell == before:
                return
            tag = TAG_NAMES[self._structure.tags[cell]]
            piece = f"<{tag}{self._spans(cell)}></{tag}>\n"
            self.pieces.append(piece if self._allowance.take(len(piece)) else "")

    def _spans(self, cell: int) -> str:
        node = self._page.elements[cell]
        values = ((name, (node.get(name) or "").strip()) for name in ("colspan", "rowspan"))
        return "".join(f' {name}="{value}"' for name, value in values if _SPAN.fullmatch(value) and value != "1")

    def _line(self, line: Line, *, is_heading: bool) -> str:
        """Return the text of a *line* with its inline elements."""
        owners, slots, before = self._structure.owners, line.slots, ""
        if len(slots) == 1 and slots[0] in self._texts and not self._find_inline(owners[slots[0]]):  # most
            return self._escaped[slots[0]].strip()
        pieces: list[str] = []
        open_tags: list[tuple[str, int, str]] = []
        for i, slot in enumerate(watched(slots)):
            text = self._texts.get(slot, "")
            wanted = self._find_inline(owners[slot])
            if is_heading and wanted:
                wanted = tuple(step for step in wanted if step[0] != "strong")
            n_shared = _count_shared(wanted, open_tags) if open_tags else 0
            while open_tags[n_shared:]:
                pieces.append(f"</{open_tags.pop()[0]}>")
            if pieces and not pieces[-1].endswith(" "):
                is_word = before and text and needs_space(self._page, slots[i - 1], before, slot, text)
                if is_word or line.gaps[i] or text[:1].isspace():
                    pieces.append(" ")
            before = text
            for step in wanted[n_shared:]:
                if not self._allowance.take(len("<></>") + 2 * len(step[0]) + len(step[2])):
                    break
                open_tags.append(step)
                pieces.append(f"<{step[0]}{step[2]}>")
            pieces.append(self._escaped[slot] if slot in self._texts else self._image(owners[slot]))
        pieces += [f"</{step[0]}>" for step in reversed(open_tags)]
        return "".join(pieces).strip()

    def _image(self, element: int) -> str:
        node = self._page.elements[element]
        source = join_url(self._content.base, image_source(node))
        attribute = f'src="{escape_attribute(source)}" ' if source and is_allowed(source) else ""
        image = f'<img {attribute}alt="{escape_attribute(describe_image(node))}">'
        return image if source and self._allowance.take(len(image)) else ""

    def _code(self, lines: list[Line], element: int) -> str:
        language = self._language(element)
        attribute = f' class="language-{language}"' if language else ""
        code = self._escape(write_code(self._content, lines).replace("\r\n", "\n").replace("\r", "\n"))
        return f"<pre><code{attribute}>{code}</code></pre>\n"

    def _language(self, element: int) -> str | None:
        """Return the language of code, which highlighters name at its ``code`` or ``pre`` or their parents; None
        if none does.
        """
        inner = element + 1 if element + 1 < self._page.ends[element] else element
        parent = self._structure.parents[element]
        around = (parent, self._structure.parents[parent]) if parent >= 0 else ()
        languages = (self._find_language(index) for index in (inner, element, *around) if index >= 0)
        return next(filter(None, languages), None)


# The inline elements around a text, outermost first: tag, element, attributes.
_Inline: TypeAlias = tuple[tuple[str, int, str], ...]


def _add_inline(content: Content, steps: _Inline, element: int) -> _Inline:
    """Return the inline elements around a text in *element*, given the *steps* around the element itself."""
    tag, around = _INLINE[TAG_NAMES[content.structure.tags[element]]], [step[0] for step in steps]
    # A text of a ruby ends another one.
    if len(steps) >= _MOST_INLINE or tag in around or {tag, *around[-1:]} == {"rp", "rt"}:
        return steps
    if tag != "a":
        return (*steps, (tag, element, ""))
    url = link_url(content.page.elements[element], content.base) if content.options.links == "keep" else None
    return steps if url is None else (*steps, (tag, element, f' href="{escape_attribute(url)}"'))


def _find_language(page: Page, element: int) -> str | None:
    """Return the language that the class or an attribute of *element* names; None if it names none."""
    node = page.elements[element]
    match = _LANGUAGE.search(node.get("class") or "")
    if match is not None:
        return match[1]
    named = node.get("data-lang") or node.get("data-language") or ""
    if not named and node.tag == "pre" and len(node.get("lang") or "") > len("en"):  # else the language of a text
        named = node.get("lang") or ""
    return named if _LANGUAGE_NAME.fullmatch(named) else None


def _escape_texts(texts: Mapping[int, str], escape: Callable[[str], str]) -> dict[int, str]:
    """Return *texts*, each escaped, with its whitespace collapsed, none before it, and at most a space after it."""
    collapsed = collapse_each([*texts.values()])
    # They have no line breaks, and to escape them together is faster; sparingly, the end of a text counts.
    escaped = escape("\n".join(collapsed)).split("\n") if escape is escape_html else [*map(escape, collapsed)]
    return {
        slot: text + " " * raw[-1:].isspace()
        for (slot, raw), text in watched(zip(texts.items(), escaped, strict=True), len(texts))
    }


def _count_shared(wanted: Sequence[object], opened: Sequence[object]) -> int:
    """Return how many of the first steps of two chains of elements are equal."""
    for n_shared, (one, other) in enumerate(zip(wanted, opened, strict=False)):
        if one != other:
            return n_shared
    return min(len(wanted), len(opened))
