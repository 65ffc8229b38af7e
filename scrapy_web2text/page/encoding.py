"""Encodings: from the bytes of a page to its text."""

from __future__ import annotations

import codecs
from functools import lru_cache

from w3lib.encoding import html_body_declared_encoding, html_to_unicode, read_bom, resolve_encoding

__all__ = ["decode", "is_encoding", "to_utf8"]

_SNIFFED_BYTES = 1024
_MAX_REPLACED_SHARE = 0.01
_NON_ASCII = bytes(range(0x80, 0x100))
_MIN_NON_ASCII = 12  # bytes that are convincing evidence of UTF-8


def to_utf8(body: bytes, encoding: str | None = None) -> bytes:
    """Return the text of *body*, as `decode` reads it, in UTF-8; *body* itself if it is UTF-8."""
    return body if _is_utf8(body, encoding) else decode(body, encoding).encode("utf-8", "replace")


@lru_cache(maxsize=64)
def is_encoding(name: str) -> bool:
    """Return whether *name* is a text encoding that Python knows; codecs such as ``hex`` and ``idna`` are not."""
    encoding = resolve_encoding(name) or name
    try:
        b"a\xe4".decode(encoding, "replace")
    except (LookupError, ValueError):
        return False
    return codecs.lookup(encoding).name != "punycode"  # for host names; since Python 3.13 it decodes everything


def decode(body: bytes, encoding: str | None = None) -> str:
    """Return the text of *body*; invalid bytes become U+FFFD.

    The given *encoding* is used unless it turns more than 1 % of the page into U+FFFD, and the encoding that the page
    declares (or UTF-8, or Windows-1252) does better.
    """
    if encoding is None or _is_refuted(encoding, body):
        return _decode_by_page(body)
    header = f"text/html; charset={resolve_encoding(encoding) or encoding}"
    text: str = html_to_unicode(header, body, auto_detect_fun=_guess)[1]
    n_replaced = text.count("\ufffd")
    if n_replaced > _MAX_REPLACED_SHARE * len(text):
        other = _decode_by_page(body)
        if other.count("\ufffd") < n_replaced:
            return other
    return text


def _decode_by_page(body: bytes) -> str:
    declared = html_body_declared_encoding(body)
    header = f"text/html; charset={_guess(body)}" if declared is not None and _is_refuted(declared, body) else None
    text: str = html_to_unicode(header, body, auto_detect_fun=_guess)[1]
    return text


def _is_refuted(encoding: str, body: bytes) -> bool:
    """Return whether *encoding* is unknown, or cannot or almost certainly does not encode *body*.

    Tags in UTF-16 or UTF-32 are full of NUL bytes, and long text in another encoding is almost never valid UTF-8.
    """
    if not is_encoding(encoding):
        return True
    name = resolve_encoding(encoding) or ""
    if name.startswith(("utf-16", "utf-32")):
        return b"\x00" not in body[:_SNIFFED_BYTES]
    n_non_ascii = len(body) - len(body.translate(None, _NON_ASCII))
    return name != "utf-8" and n_non_ascii >= _MIN_NON_ASCII and _guess(body) == "utf-8"


def _guess(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _is_utf8(body: bytes, encoding: str | None) -> bool:
    """Return whether *body* is UTF-8 and should be read as UTF-8; it then need not be decoded."""
    stated = html_body_declared_encoding(body) if encoding is None else encoding
    if stated is not None and resolve_encoding(stated) != "utf-8" and not _is_refuted(stated, body):
        return False
    return read_bom(body)[0] is None and _guess(body) == "utf-8"
