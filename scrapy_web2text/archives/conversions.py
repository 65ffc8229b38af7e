"""Texts as WARC records of the type ``conversion``, as in the WET files of Common Crawl."""

from __future__ import annotations

import base64
import hashlib
import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from scrapy_web2text._version import __version__

__all__ = ["write_conversion", "write_file_info"]

# They would end a header, or its line.
_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f]")


def write_file_info(name: str) -> bytes:
    """Return the record with which a file begins: what wrote it, and its *name*."""
    fields = f"software: scrapy-web2text/{__version__}\r\nformat: WARC File Format 1.0\r\n".encode()
    return _write_record("warcinfo", {"WARC-Filename": name}, "application/warc-fields", fields, None)


def write_conversion(values: Mapping[str, Any]) -> bytes:
    """Return the text of an answer as a record; *values* are those of its line.

    The date is that of the page's own record, if it has one, and the record refers to that. The URL of a page without
    one is made of its path, and of its place in an archive.
    """
    headers = {"WARC-Target-URI": values.get("url") or _name_place(values)}
    if values.get("warc_record_id"):
        headers["WARC-Refers-To"] = values["warc_record_id"]
    return _write_record("conversion", headers, "text/plain", values["text"].encode(), values.get("warc_date"))


def _name_place(values: Mapping[str, Any]) -> str:
    """Return a URL for a page without one: another for each page."""
    path = quote(values["path"].encode(errors="surrogateescape"))
    return f"file:{path}#{values['record']}" if "record" in values else f"file:{path}"


def _write_record(kind: str, headers: Mapping[str, str], media_type: str, block: bytes, date: str | None) -> bytes:
    digest = base64.b32encode(hashlib.sha1(block, usedforsecurity=False).digest()).decode()
    all_headers = {
        "WARC-Type": kind,
        **headers,
        "WARC-Date": date or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid4()}>",
        "WARC-Block-Digest": f"sha1:{digest}",
        "Content-Type": media_type,
        "Content-Length": str(len(block)),
    }
    lines = [f"{name}: {_FORBIDDEN.sub(_escape, value)}\r\n" for name, value in all_headers.items()]
    head = f"WARC/1.0\r\n{''.join(lines)}\r\n".encode(errors="backslashreplace")
    return head + block + b"\r\n\r\n"


def _escape(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"
