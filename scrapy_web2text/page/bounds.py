"""Pages that libxml2 cannot read in bounded time and memory; they are found before they are parsed.

The time for the attributes of one element is quadratic in their number. A tree is many times as large as its page if
the page is full of short tags: libxml2 takes 120 bytes for each element, attribute and text, and Python objects take
more. The search for such pages costs ordinary pages next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lxml import etree

from scrapy_web2text.exceptions import PageError

# Attributes of an element. So many take libxml2 a tenth of a second; only hostile pages and unclosed quotes have more.
MOST_ATTRIBUTES: Final = 10_000
# Levels of elements. libxml2 reads no further.
DEEPEST: Final = 2_048


def is_cut_short(root: etree._Element) -> bool:
    """Return whether libxml2 has dropped the end of the page with this *root*, because the page nests too deeply."""
    last = root.getroottree().parser.error_log.last_error
    return last is not None and last.message.startswith("Excessive depth")


class _Census:
    """A parser target that adds up the memory for a page, and raises a :class:`PageError` if it exceeds *most_bytes*.

    It also raises the error for an element with too many attributes, and for too many levels: for each end tag, the
    parser compares the names of the open elements.
    """

    def __init__(self, most_bytes: int) -> None:
        self._bytes_left = most_bytes
        self._depth = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        self._depth += 1
        if len(attributes) > MOST_ATTRIBUTES:
            raise PageError("too_large", f"an element of the page has more than {MOST_ATTRIBUTES:,} attributes")
        self._take(_ELEMENT + len(attributes) * _ATTRIBUTE)

    def end(self, tag: str) -> None:  # noqa: ARG002
        self._depth -= 1

    def comment(self, text: str) -> None:  # noqa: ARG002
        self._take(_ELEMENT)

    def data(self, text: str) -> None:  # noqa: ARG002
        self._take(_TEXT)

    def close(self) -> None:
        pass

    def _take(self, n_bytes: int) -> None:
        self._bytes_left -= n_bytes
        if self._bytes_left < 0 or self._depth > DEEPEST:
            raise PageError("too_large", "the elements of the page would take too much memory")


_BYTES_PER_BYTE: Final = 25  # of memory, for each byte of a page
_FREE_BYTES: Final = 60_000_000  # of memory, for a page of any size
# Bytes of memory for each part of a page, measured with all outputs.
_ELEMENT: Final = 370
_TEXT: Final = 670
_ATTRIBUTE: Final = 240
# Shorter pages cannot reach the limit: "<p>x" has four bytes.
_LEAST_BYTES: Final = _FREE_BYTES // ((_ELEMENT + _TEXT) // 4 - _BYTES_PER_BYTE)

_PIECE: Final = 65_536  # bytes that the parser is given at once
_LONG_TAG: Final = 32_768  # bytes; shorter tags have too few attributes to matter
_LEAST_REACH: Final = 64  # bytes
_MOST_STARTS: Final = 200  # possible starts of tags that are tried in one page
_MOST_READ: Final = 50_000_000  # bytes that are read in all of these
# Bytes before the quote that opens the value of an attribute.
_BEFORE_VALUE: Final = frozenset(b" \t\n\v\f\r=")
# The whitespace of HTML, without the vertical tab of `\s`, which can be the name of an attribute.
_TAG: Final = re.compile(
    rb"<[a-zA-Z][^ \t\n\f\r/>]*+(?:[ \t\n\f\r/]*+[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"
    rb"(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:\"[^\"]*+\"|'[^']*+'|[^ \t\n\f\r>\"'][^ \t\n\f\r>]*+)?+)?+)"
    rb"{0,10000}+[ \t\n\f\r/]*+>"
)


def _most_memory(n_bytes: int) -> int:
    """Return what the extraction of a page of *n_bytes* takes at most, in bytes; the page itself is not counted."""
    return _BYTES_PER_BYTE * n_bytes + _FREE_BYTES


def is_longer(html: object, limit: int | None) -> bool:
    """Return whether a page is longer than *limit* bytes; a `str` is as long as its UTF-8 encoding."""
    if limit is None or not isinstance(html, bytes | str):
        return False
    if len(html) > limit or isinstance(html, bytes) or html.isascii() or len(html) * 4 <= limit:
        return len(html) > limit
    return len(html.encode(errors="surrogatepass")) > limit


def most_blocks(html: object, limit: int | None, block_bytes: int) -> int | None:
    """Return the number of blocks of a page that a model may label: *limit*, or fewer if they take too much memory.

    A *limit* of None is returned unchanged. Trees are not limited by memory, since the caller already holds them.
    """
    if limit is None or not block_bytes or not isinstance(html, bytes | str):
        return limit
    return min(limit, _most_memory(len(html)) // block_bytes)


def check_size(page: bytes) -> None:
    """Raise a :class:`PageError` with reason ``too_large`` if *page* would take too much memory or time.

    The limits are 25 times its size plus 60 MB of memory, and 10,000 attributes of an element. The parts of the
    page are estimated from its bytes, and counted by the parser only if the estimate is too large.
    """
    limit = _most_memory(len(page))
    if _estimate_memory(page) > limit or has_long_tag(page):
        parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, target=_Census(limit))
        for start in range(0, len(page), _PIECE):  # after an error, libxml2 would read the rest of a whole page
            parser.feed(page[start : start + _PIECE])
        parser.close()


def _estimate_memory(page: bytes) -> int:
    """Return the largest number of bytes that the parts of *page* can take; 0 if it is short."""
    if len(page) < _LEAST_BYTES:
        return 0
    tags = page.count(b"<") * (_ELEMENT + _TEXT)
    # No attribute is shorter than "a=b ", so most pages need not be searched for them.
    if tags + len(page) // 4 * _ATTRIBUTE <= _most_memory(len(page)):
        return tags
    import numpy as np  # loaded only in the workers of a crawl

    is_space = np.frombuffer(page, dtype=np.uint8) <= ord(" ")
    # An attribute follows whitespace, a slash or the second quote of another.
    n_spaces = int(np.count_nonzero(is_space[1:] > is_space[:-1]))
    n_quotes = page.count(b'"') + page.count(b"'")
    return tags + (n_spaces + page.count(b"/") + n_quotes // 2) * _ATTRIBUTE


def has_long_tag(page: bytes) -> bool:
    """Return whether *page* can have a tag of more than 32 kB with more than 10,000 attributes.

    The answer is rarely True for other pages, and never False for a page with such a tag.

    The page is not tokenized, since that would take too long. Instead, places are found that are certainly not inside a
    tag: after a ``>`` that is not inside quotes. A ``>`` is inside quotes if the nearest quote before it opens a value,
    that is, follows ``=``. If all steps between these places are short, so are all tags. In a longer step, each ``<``
    with a letter is tried as the start of a tag with few attributes. The search then goes on after this ``<``, not
    after the tag, since it may not be one.
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
    """Return a place in the 32 kB after *place*, after a ``>`` that is not inside of quotes; -1 if none is found.

    A few candidates are tried, from the last one back.
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
