"""Parsing: from bytes, str, a Selector or a tree to an lxml tree, which is never modified."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from lxml import etree
from parsel import Selector
from w3lib.encoding import read_bom

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.page.encoding import to_utf8

if TYPE_CHECKING:
    from typing import TypeAlias

    Html: TypeAlias = "bytes | str | Selector | etree._Element | etree._ElementTree"

__all__ = ["check_types", "looks_binary", "to_tree"]

# First bytes of the binary formats that servers most often send as text/html.
_SIGNATURES = (b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"RIFF", b"OggS", b"\x7fELF")
_CONTROL_BYTES = bytes(set(range(1, 32)) - set(b"\t\n\v\f\r\x1b"))
_SNIFFED_BYTES = 1024
_MAX_CONTROL_SHARE = 0.05  # compressed data has 0.098
_EMPTY_PAGE = b"<html><body></body></html>"
# The root element of a feed or a sitemap, after everything that XML allows before it.
_FEED: Final = re.compile(
    rb"(?:\s|<\?(?:(?!\?>).)*\?>|<!--(?:(?!-->).)*-->|<!DOCTYPE\s+rss\b[^>]*>)*"
    rb"<(?:rss|(?:\w+:)?feed|rdf:rdf|urlset|sitemapindex)[\s>]",
    re.DOTALL | re.IGNORECASE,
)


def to_tree(html: Html, *, encoding: str | None = None) -> etree._Element:
    """Return the root element of a page; a tree is returned unchanged.

    :param html: a whole page or a part of one. The nodes of a Selector or tree are never modified.
    :param encoding: the encoding of `bytes`. None, or a name that Python does not know as a text encoding, means the
        byte order mark, then the encoding that the page declares.
    :raises PageError: with reason ``not_html`` if the page is a PDF, an image or other binary data, JSON or a feed.
    :raises TypeError: if *html* is of another type.
    :raises ValueError: if *encoding* is not a string.
    """
    check_types(html, encoding)
    if isinstance(html, bytes):
        if looks_binary(html):
            raise PageError("not_html", f"expected HTML, got binary data that begins with {html[:8]!r}")
        _refuse_data(html)
        return _parse(to_utf8(html, encoding))
    if isinstance(html, str):
        page = _encode(html)
        _refuse_data(page)
        return _parse(page)
    root = _root_of(html)
    return _parse(_encode(root)) if isinstance(root, str) else root


def check_types(html: Html, encoding: str | None) -> None:
    """Raise the TypeError or ValueError of `to_tree` if an argument is of another type; nothing is parsed."""
    if encoding is not None and not isinstance(encoding, str):
        raise ValueError(f"encoding: expected the name of an encoding or None, got {encoding!r}")
    root = _root_of(html)
    # Comments and the like are _Element too.
    if isinstance(root, bytes | str) or (isinstance(root, etree._Element) and isinstance(root.tag, str)):
        return
    kind = type(root).__name__
    got = f"a Selector of {kind}" if isinstance(html, Selector) else kind
    raise TypeError(f"html: expected bytes, str, a Selector or an lxml tree of elements, got {got}")


def _root_of(html: Html) -> Any:
    """Return the root of a Selector, which may be a text, or of a tree; anything else is returned unchanged."""
    root = html.root if isinstance(html, Selector) else html
    return root.getroot() if isinstance(root, etree._ElementTree) else root


def looks_binary(body: bytes) -> bool:
    """Return whether *body* begins like a binary file, whatever its headers say."""
    if body.startswith(_SIGNATURES):
        return True
    if read_bom(body)[0] is not None:
        return False
    head = body[:_SNIFFED_BYTES]
    return len(head) - len(head.translate(None, _CONTROL_BYTES)) > _MAX_CONTROL_SHARE * len(head)


def _refuse_data(page: bytes) -> None:
    """Raise PageError if *page*, in an encoding that extends ASCII, is JSON or a feed by its first characters."""
    start = page[:_SNIFFED_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] in (b"{", b"[") and _is_json(page):
        raise PageError("not_html", "expected HTML, got JSON")
    if _FEED.match(start):
        raise PageError("not_html", "expected HTML, got a feed or a sitemap")


def _is_json(page: bytes) -> bool:
    if page.rstrip()[-1:] not in (b"}", b"]"):
        return False
    try:
        json.loads(page)
    except RecursionError:  # deeply nested brackets
        return True
    except ValueError:
        return False
    return True


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")  # replaces lone surrogates


def _parse(body: bytes) -> etree._Element:
    """Return the root of *body*, a page in UTF-8; the encoding that it declares is ignored."""
    body = body.replace(b"\x00", b"")  # libxml2 would end the page at a NUL
    # Without huge_tree, libxml2 stops at 256 nested elements and drops the rest of the page; with it, at 2,048.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as e:  # "Document is empty"
        if e.code == etree.ErrorTypes.ERR_NO_MEMORY:  # the rest of the page would be missing without a word
            raise MemoryError("the tree of the page does not fit into memory") from e
        root = None
    return etree.fromstring(_EMPTY_PAGE, parser) if root is None else root
