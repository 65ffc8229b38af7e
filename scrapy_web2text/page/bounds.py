"""Pages that are too large for a tree, or that libxml2 cannot build well.

libxml2 builds trees of at most 2,048 levels and drops all that is deeper, and the time for the attributes of one
element is quadratic in their number. Its events have neither limit, so such a tree is built from them with other
bounds. Which pages are too large, and which have tags too long for libxml2, is found before a page is parsed, and costs
next to nothing for ordinary pages. A tree is many times as large as its page if that is full of short tags: libxml2
takes 120 bytes for each element, attribute and text, and Python objects take more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Final

import numpy as np
from lxml import etree

from scrapy_web2text.exceptions import PageError

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


class _Census:
    """A parser target that adds up what the parts of a page take; more than *most_bytes* is a :class:`PageError`."""

    def __init__(self, most_bytes: float) -> None:
        self.most_attributes = 0
        self._bytes_left = most_bytes

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        self.most_attributes = max(self.most_attributes, len(attributes))
        self._take(_ELEMENT + len(attributes) * _ATTRIBUTE)

    def comment(self, text: str) -> None:  # noqa: ARG002
        self._take(_ELEMENT)

    def data(self, text: str) -> None:  # noqa: ARG002
        self._take(_TEXT)

    def close(self) -> _Census:
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
        first = islice(attributes.items(), MOST_ATTRIBUTES)
        kept = {name: _REFUSED.sub(" ", value) for name, value in first if _NAME.fullmatch(name)}
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


_BYTES_PER_BYTE: Final = 25  # of memory, for each byte of a page
_FREE_BYTES: Final = 60_000_000  # of memory, for a page of any size
# Bytes of memory for each part of a page, measured with all outputs.
_ELEMENT: Final = 370
_TEXT: Final = 670
_ATTRIBUTE: Final = 240
# Shorter pages cannot reach the limit: "<p>x" has four bytes.
_LEAST_BYTES: Final = _FREE_BYTES // ((_ELEMENT + _TEXT) // 4 - _BYTES_PER_BYTE)

_LONG_TAG: Final = 8_192  # bytes; shorter tags have too few attributes to matter
_LEAST_REACH: Final = 64  # bytes
_MOST_STARTS: Final = 200  # possible starts of tags that are tried in one page
_MOST_READ: Final = 50_000_000  # bytes that are read in all of these
# Bytes before the quote that opens the value of an attribute.
_BEFORE_VALUE: Final = frozenset(b" \t\n\v\f\r=")
# The whitespace of HTML, without the vertical tab of `\s`, which can be the name of an attribute.
_TAG: Final = re.compile(
    rb"<[a-zA-Z][^ \t\n\f\r/>]*+(?:[ \t\n\f\r/]*+[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"
    rb"(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:\"[^\"]*+\"|'[^']*+'|[^ \t\n\f\r>\"'][^ \t\n\f\r>]*+)?+)?+)"
    rb"{0,1000}+[ \t\n\f\r/]*+>"
)


def _most_memory(n_bytes: int) -> int:
    """Return what the extraction of a page of *n_bytes* takes at most, in bytes; the page itself is not counted."""
    return _BYTES_PER_BYTE * n_bytes + _FREE_BYTES


def is_longer(html: object, limit: int | None) -> bool:
    """Return whether a page is longer than *limit* bytes; the length of a `str` is that of its UTF-8 encoding."""
    if limit is None or not isinstance(html, bytes | str):
        return False
    if len(html) > limit or isinstance(html, bytes) or html.isascii() or len(html) * 4 <= limit:
        return len(html) > limit
    return len(html.encode(errors="surrogatepass")) > limit


def most_blocks(html: object, limit: int | None, block_bytes: int) -> int | None:
    """Return the number of blocks of a page that a model may label: *limit*, or fewer if they take too much memory.

    A *limit* of None is returned unchanged. Trees are not bounded by their memory, as their caller has them already.
    """
    if limit is None or not block_bytes or not isinstance(html, bytes | str):
        return limit
    return min(limit, _most_memory(len(html)) // block_bytes)


def check_memory(page: bytes) -> None:
    """Raise a :class:`PageError` with reason ``too_large`` if *page* would take more than 25 times its size and 60 MB.

    The parts of the page are estimated from its bytes, and counted by the parser only if the estimate is too large.
    """
    if len(page) < _LEAST_BYTES:
        return
    limit = _most_memory(len(page))
    tags = int(np.count_nonzero(np.frombuffer(page, dtype=np.uint8) == ord("<"))) * (_ELEMENT + _TEXT)
    # No attribute is shorter than "a=b ", so most pages need not be searched for them.
    if tags + len(page) // 4 * _ATTRIBUTE > limit and tags + _estimate_attributes(page) > limit:
        _count(page, _Census(limit))


def _estimate_attributes(page: bytes) -> int:
    """Return the largest number of bytes that attributes can take in a page of these characters."""
    characters = np.frombuffer(page, dtype=np.uint8)
    is_space = characters <= ord(" ")
    # An attribute follows whitespace, a slash or the second quote of another.
    n_spaces = int(np.count_nonzero(is_space[1:] > is_space[:-1]))
    n_double, n_single, n_slashes = (int(np.count_nonzero(characters == ord(sign))) for sign in "\"'/")
    return (n_spaces + n_slashes + (n_double + n_single) // 2) * _ATTRIBUTE


def has_too_many_attributes(page: bytes) -> bool:
    """Return whether an element of *page* has more than 1,000 attributes."""
    if not has_long_tag(page):
        return False
    return _count(page, _Census(float("inf"))).most_attributes > MOST_ATTRIBUTES


def _count(page: bytes, census: _Census) -> _Census:
    """Return *census* with the parts of *page*."""
    etree.fromstring(page, etree.HTMLParser(encoding="utf-8", huge_tree=True, target=census))
    return census


def has_long_tag(page: bytes) -> bool:
    """Return whether *page* can have a tag of more than 8,192 bytes with more than 1,000 attributes.

    The answer is rarely True for other pages, and never False for a page with such a tag.

    The page is not tokenized, since that would take too long. Instead, places are found that are certainly not inside
    a tag: after a ``>`` that is not inside of quotes. It is inside if the nearest quote before it opens a value, so
    comes after ``=``. If all steps between these places are short, so are all tags. In a longer step, each ``<`` with a
    letter is tried as the start of a tag with few attributes. The search then goes on after this ``<``, not after the
    tag, since it may not be one.
    """
    place, n_starts, n_left = 0, 0, _MOST_READ
    while len(page) - place > _LONG_TAG:
        end = _find_end(page, place)
        if end >= 0:
            place = end
            continue
        start = page.find(b"<", place, place + _LONG_TAG)
        while start >= 0 and not page[start + 1 : start + 2].isalpha():
            start = page.find(b"<", start + 1, place + _LONG_TAG)
        if start < 0:
            place += _LONG_TAG
            continue
        n_starts += 1
        tag = None if n_starts > _MOST_STARTS else _TAG.match(page, start, start + n_left)
        if tag is None:
            return True
        n_left -= tag.end() - start
        place = start + 1
    return False


def _find_end(page: bytes, place: int) -> int:
    """Return a place in the 8,192 bytes after *place*, after a ``>`` that is not inside of quotes; -1 if none is found.

    Some characters are tried, from the end on.
    """
    reach = _LONG_TAG
    while reach >= _LEAST_REACH:
        end = page.rfind(b">", place, place + reach)
        if end < 0:
            return -1
        double, single = page.rfind(b'"', place, end), page.rfind(b"'", place, end)
        if not (_opens_value(page, double) or _opens_value(page, single)):
            return end + 1
        reach //= 2
    return -1


def _opens_value(page: bytes, quote: int) -> bool:
    return quote > 0 and page[quote - 1] in _BEFORE_VALUE
