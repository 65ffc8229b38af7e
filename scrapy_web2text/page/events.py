"""The tree of a page that libxml2 cannot build well, from the events of its parser.

libxml2 builds trees of at most 2,048 levels and drops all that is deeper, and the time for the attributes of one
element is quadratic in their number. Its events have neither limit, so the tree is built from them with other bounds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Final, Literal

from lxml import etree

from scrapy_web2text.exceptions import PageError

__all__ = ["DEEPEST", "MOST_ATTRIBUTES", "PageCensus", "build_tree", "deep_reason", "is_flattened"]

# Attributes of an element; the others are dropped. Beyond 1,000, only hostile pages and unclosed quotes have more.
MOST_ATTRIBUTES: Final = 1_000
# Levels of the tree, as in libxml2. Deeper elements become siblings at this level.
DEEPEST: Final = 2_048
# The names and characters that lxml accepts in a tree, and those that it refuses; the parser lets more through.
_NAME: Final = re.compile(r"[a-zA-Z_][\w.-]*")
_REFUSED: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PIECE: Final = 16_384  # bytes
# For each end tag, the parser compares its name with those of all open elements until it finds it. A million
# comparisons take about 2 ms.
_MOST_COMPARISONS: Final = 500_000_000


class _Factory(etree.HTMLParser):  # type: ignore[misc]
    """The parser that a tree refers to; it parses nothing."""

    is_flattened = False


def is_flattened(root: etree._Element) -> bool:
    """Return whether *root* is of a tree from `build_tree` that is less deep than its page."""
    return getattr(root.getroottree().parser, "is_flattened", False)


def deep_reason(root: etree._Element) -> Literal["too_deep"] | None:
    """Return the ``fallback_reason`` of a page whose tree is less deep than the page; None for other trees."""
    return "too_deep" if is_flattened(root) else None


class PageCensus:
    """A parser target that adds up what the parts of a page take.

    :param most_bytes: a :class:`PageError` is raised as soon as the sum is larger.
    """

    def __init__(self, most_bytes: float, *, element: int, text: int, attribute: int) -> None:
        self.most_attributes = 0
        self._bytes_left = most_bytes
        self._element, self._text, self._attribute = element, text, attribute

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        """Count an element."""
        n_attributes = len(attributes)
        self.most_attributes = max(self.most_attributes, n_attributes)
        self._take(self._element + n_attributes * self._attribute)

    def comment(self, text: str) -> None:  # noqa: ARG002
        """Count a comment, or a processing instruction."""
        self._take(self._element)

    def data(self, text: str) -> None:  # noqa: ARG002
        """Count a text."""
        self._take(self._text)

    def close(self) -> PageCensus:
        """Return the census."""
        return self

    def _take(self, n_bytes: int) -> None:
        self._bytes_left -= n_bytes
        if self._bytes_left < 0:
            raise PageError("too_large", "the elements of the page would take too much memory")


class _Builder:
    """A parser target that builds a tree with bounds. Elements below the deepest level are closed by the next one."""

    def __init__(self) -> None:
        self._factory = _Factory()
        self._builder = etree.TreeBuilder(parser=self._factory)
        self._is_flat_open = False
        self._is_started = False
        self._has_body = False
        self.open_tags: list[str] = []
        self.deepest = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Add an element, unless it is another ``html`` or ``body``."""
        tag = _to_name(tag)
        if (tag == "html" and self._is_started) or (tag == "body" and self._has_body):
            return
        self._is_started = True
        self._has_body = self._has_body or tag == "body"
        self._close_flat()
        self.open_tags.append(tag)
        self._is_flat_open = len(self.open_tags) > DEEPEST
        self.deepest = max(self.deepest, len(self.open_tags))
        self._factory.is_flattened |= self._is_flat_open
        kept = {
            name: _REFUSED.sub(" ", value)
            for name, value in islice(attributes.items(), MOST_ATTRIBUTES)
            if _NAME.fullmatch(name)
        }
        self._builder.start(tag, kept)

    def end(self, tag: str) -> None:
        """End an element. ``html`` and ``body`` end with the page, as in HTML5."""
        tag = _to_name(tag)
        if tag in ("html", "body") or not self.open_tags or self.open_tags[-1] != tag:
            return
        if len(self.open_tags) <= DEEPEST:
            self._builder.end(tag)
        else:
            self._close_flat()
        self.open_tags.pop()

    def data(self, text: str) -> None:
        """Add text."""
        if self._is_started:
            self._builder.data(_REFUSED.sub(" ", text))

    def comment(self, text: str) -> None:  # noqa: ARG002
        """Add an empty comment: it parts the texts before and after it, which paths count."""
        if self.open_tags:
            self._builder.comment("")

    def close(self) -> etree._Element | None:
        """Return the root; None if the page has no element."""
        if not self._is_started:
            return None
        self._close_flat()
        for tag in reversed(self.open_tags[:DEEPEST]):
            self._builder.end(tag)
        return self._builder.close()

    def _close_flat(self) -> None:
        if self._is_flat_open:
            self._builder.end(self.open_tags[-1])
            self._is_flat_open = False


def _to_name(tag: str) -> str:
    return tag if _NAME.fullmatch(tag) else "unknown"


def build_tree(page: bytes) -> etree._Element | None:
    """Return the root of *page*, which is UTF-8; None if it has no element. Comments are empty.

    The end of a page is dropped if its end tags would take too long.
    """
    builder = _Builder()
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, target=builder)
    n_comparisons = 0
    for start in range(0, len(page), _PIECE):
        piece = page[start : start + _PIECE]
        n_end_tags = piece.count(b"</")
        builder.deepest = len(builder.open_tags)
        if n_comparisons + n_end_tags * builder.deepest > _MOST_COMPARISONS:
            break
        parser.feed(piece)
        n_comparisons += n_end_tags * builder.deepest
    return parser.close()
