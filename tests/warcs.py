"""WARC files for tests."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path


def http(body: bytes, content_type: str | None = "text/html", *, status: str = "200 OK", headers: str = "") -> bytes:
    """Return an HTTP response."""
    stated = "" if content_type is None else f"Content-Type: {content_type}\r\n"
    return f"HTTP/1.1 {status}\r\n{stated}{headers}\r\n".encode("latin-1") + body


def record(block: bytes, url: str = "https://example.com/", *, kind: str = "response", headers: str = "") -> bytes:
    """Return a record of a WARC file."""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-11-22T10:00:00Z\r\n"
        f"WARC-Target-URI: {url}\r\n{headers}Content-Type: application/http; msgtype={kind}\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def write_warc(path: Path, records: Iterable[bytes]) -> Path:
    """Write a WARC file, with a member for each record if its name ends in ``.gz``."""
    pack = gzip.compress if path.suffix == ".gz" else bytes
    path.write_bytes(b"".join(map(pack, records)))
    return path
