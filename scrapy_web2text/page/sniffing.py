"""What a page is by its first bytes: binary data, JSON or a feed, whatever its headers say."""

from __future__ import annotations

import json
import re
from typing import Final

from w3lib.encoding import read_bom

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.page.encoding import is_utf_16

__all__ = ["is_empty_body", "looks_binary", "refuse_data"]

# First bytes of the binary formats that servers most often send as text/html.
_SIGNATURES = (b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"RIFF", b"OggS", b"\x7fELF")
_CONTROL_BYTES = bytes(set(range(1, 32)) - set(b"\t\n\v\f\r\x1b"))
_SNIFFED_BYTES = 1024
_MAX_CONTROL_SHARE = 0.05  # compressed data has 0.098
# With the zero bytes of UTF-16.
_EMPTY_BYTES, _EMPTY_CHARACTERS = b" \t\n\v\f\r\0", " \t\n\v\f\r\0\xa0\ufeff"
# The root element of a feed or a sitemap, after everything that XML allows before it.
_FEED: Final = re.compile(
    rb"(?:\s|<\?(?:(?!\?>).)*\?>|<!--(?:(?!-->).)*-->|<!DOCTYPE\s+rss\b[^>]*>)*"
    rb"<(?:rss|(?:\w+:)?feed|rdf:rdf|urlset|sitemapindex)[\s>]",
    re.DOTALL | re.IGNORECASE,
)


def is_empty_body(page: bytes | str) -> bool:
    """Return whether *page* is nothing but whitespace after a byte order mark, which may be missing."""
    if isinstance(page, str):
        return not page[:_SNIFFED_BYTES].strip(_EMPTY_CHARACTERS) and not page.strip(_EMPTY_CHARACTERS)
    head = page[:_SNIFFED_BYTES]
    n_mark = len(read_bom(head)[1] or b"")
    return not head[n_mark:].strip(_EMPTY_BYTES) and not page[n_mark:].strip(_EMPTY_BYTES)


def looks_binary(body: bytes, encoding: str | None = None) -> bool:
    """Return whether *body* begins like a binary file, whatever its headers say.

    :param encoding: the encoding that a header states. Text in UTF-16 has many control characters by its bytes.
    """
    if body.startswith(_SIGNATURES):
        return True
    if read_bom(body)[0] is not None or is_utf_16(body, encoding):
        return False
    head = body[:_SNIFFED_BYTES]
    return len(head) - len(head.translate(None, _CONTROL_BYTES)) > _MAX_CONTROL_SHARE * len(head)


def refuse_data(page: bytes) -> None:
    """Raise PageError if *page*, in UTF-8, is JSON or a feed by its first characters."""
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
