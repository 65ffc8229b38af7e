"""Builds the texts and inline nodes of a passage (links, images, emphasis, code) from its lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, TypeAlias

from scrapy_web2text.common.budget import watched
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.escaping import drop_forbidden
from scrapy_web2text.content.links import describe_image, image_source, is_allowed, link_url
from scrapy_web2text.content.nodes import INLINE, Image, Link, Mark, Node
from scrapy_web2text.content.places import Group
from scrapy_web2text.content.structure import Line, read_indent
from scrapy_web2text.content.words import Words
from scrapy_web2text.page.reader import collapse_each
from scrapy_web2text.page.tags import HEADING_TAGS, TAG_NAMES
from scrapy_web2text.page.urls import join_url

# Inline elements with a meaning -> their kinds.
_KINDS: Final = {
    **{tag: tag for tag in INLINE},
    "acronym": "abbr",
    "b": "strong",
    "dfn": "em",
    "i": "em",
    "s": "del",
    "strike": "del",
    "tt": "code",
    "var": "em",
}
_NAMES: Final = frozenset(_KINDS)
# Elements whose text is already strong, so that ``strong`` inside adds nothing.
_STRONG: Final = frozenset({*HEADING_TAGS, "dt"})
_MOST_INLINE: Final = 6
# The inline elements around a text, outermost first: kind, element, and the URL of a link or the name of a mark's note.
_Steps: TypeAlias = tuple[tuple[str, int, str], ...]


_NODES: Final = {"a": Link, "sup": Mark}


class InlineBuilder:
    """Builds the children of passages."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._words = Words(content.structure)
        self._owners = content.structure.owners
        nothing: _Steps = ()
        self._find_steps = content.structure.inherit(nothing, partial(_add_step, content), _NAMES)
        # Each text loses the whitespace before it, and keeps at most a space after it.
        self._raw = content.texts | content.captions
        collapsed = drop_forbidden(tuple(collapse_each([*self._raw.values()])))
        self.texts: dict[int, str] = {
            slot: text + " " * raw[-1:].isspace()
            for (slot, raw), text in watched(zip(self._raw.items(), collapsed, strict=True), len(collapsed))
        }

    def build(self, groups: Sequence[Group]) -> list[Node | str]:
        """Return the children of a passage: the lines of a paragraph, or the lines of the cells of a row."""
        is_row = len(groups) > 1
        cells = [self._join(self._build_lines(group), " " if is_row else Node("br", [])) for group in groups]
        return self._join(cells, Node("tab", []))

    def _build_lines(self, group: Group) -> Iterable[list[Node | str]]:
        place, lines = group
        is_strong = bool(place) and place[-1].tag in _STRONG
        return [self._build_line(line, is_strong=is_strong) for line in watched(lines)]

    def _join(self, parts: Iterable[list[Node | str]], separator: Node | str) -> list[Node | str]:
        """Return the *parts* that are not empty, joined by the *separator*."""
        joined: list[Node | str] = []
        for part in filter(None, parts):
            joined += [separator, *part] if joined else part
        return joined

    def _build_line(self, line: Line, *, is_strong: bool) -> list[Node | str]:
        slots = line.slots
        indent = read_indent(self._raw.get(slots[0], "")) if line.n_breaks else ""
        if len(slots) == 1 and slots[0] in self.texts and not self._find_steps(self._owners[slots[0]]):  # most lines
            text = self.texts[slots[0]].strip()
            return [indent + text] if text else []
        writer = _LineWriter(indent)
        before = ""
        for i, slot in enumerate(watched(slots)):
            text = self._raw.get(slot, "")
            steps = self._find_steps(self._owners[slot])
            if is_strong and steps:
                steps = tuple(step for step in steps if step[0] != "strong")
            writer.close(steps)
            if not writer.ends_with_space:
                is_apart = line.gaps[i] or text[:1].isspace()
                if is_apart or self._words.has_break(slots[i - 1], before, slot, text):
                    writer.write(" ")
            before = text
            writer.open(steps)
            if slot in self.texts:
                writer.write(self.texts[slot])
            else:
                writer.add_image(self._build_image(self._owners[slot]))
        return writer.end()

    def _build_image(self, element: int) -> Image | None:
        node = self._content.page.elements[element]
        source = join_url(self._content.base, image_source(node))
        if not source:
            return None
        url = drop_forbidden(source) if is_allowed(source) else None
        return Image("img", [], url, drop_forbidden(describe_image(node)))


def _add_step(content: Content, steps: _Steps, element: int) -> _Steps:
    """Return the inline elements around a text in *element*, given the *steps* around the element itself."""
    note = content.notes.marks.get(element)
    if note is not None:
        return (*(step for step in steps if step[0] != "sup"), ("sup", element, note))
    kind, around = _KINDS[TAG_NAMES[content.structure.tags[element]]], [step[0] for step in steps]
    if len(steps) >= _MOST_INLINE or kind in around:
        return steps
    if kind != "a":
        return (*steps, (kind, element, ""))
    url = link_url(content.page.elements[element], content.base) if content.options.links == "keep" else None
    return steps if url is None else (*steps, (kind, element, drop_forbidden(url)))


class _LineWriter:
    """Writes texts into inline nodes, which it opens and closes."""

    def __init__(self, indent: str) -> None:
        self._children: list[list[Node | str]] = [[]]
        self._open: list[tuple[str, int, str]] = []
        self._texts: list[str] = [indent]  # the texts of the innermost open node since its last child node
        self.ends_with_space = True

    def write(self, text: str) -> None:
        self._texts.append(text)
        self.ends_with_space = text.endswith(" ")

    def _end_text(self, *, without_space: bool = False) -> None:
        text = "".join(self._texts)
        text = text.rstrip() if without_space else text
        self._texts = []
        if text:
            self._children[-1].append(text)

    def close(self, steps: _Steps) -> None:
        """Close the open nodes that are not among *steps*. A space at the end of a node moves after the node."""
        n_shared = count_shared(steps, self._open)
        if n_shared < len(self._open):
            space = [" "] if self._texts and self.ends_with_space else []
            self._end_text(without_space=True)
            del self._open[n_shared:], self._children[n_shared + 1 :]
            self._texts = space

    def open(self, steps: _Steps) -> None:
        """Open the nodes of *steps* that are not open yet."""
        for step in steps[len(self._open) :]:
            self._end_text()
            kind, _, name = step
            children: list[Node | str] = []
            self._children[-1].append(_NODES[kind](kind, children, name) if name else Node(kind, children))
            self._open.append(step)
            self._children.append(children)

    def add_image(self, image: Image | None) -> None:
        if image is not None:
            self._end_text()
            self._children[-1].append(image)
            self.ends_with_space = False

    def end(self) -> list[Node | str]:
        """Return the nodes of the line, without a space at its end."""
        self.close(())
        self._end_text(without_space=True)
        return self._children[0]


def count_shared(wanted: Sequence[object], opened: Sequence[object]) -> int:
    """Return the number of equal steps at the beginning of two chains of elements."""
    for n_shared, (one, other) in enumerate(zip(wanted, opened, strict=False)):
        if one != other:
            return n_shared
    return min(len(wanted), len(opened))
