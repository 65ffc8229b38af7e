"""Pages in WARC files: HTTP responses of HTML, with their bodies as they were sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from w3lib.encoding import http_content_type_encoding

from scrapy_web2text.sources.records import (
    ArchiveItem,
    Broken,
    CountingStream,
    PageRecord,
    Skipped,
)

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

# With the sizes of its chunks, a body can be longer than the page in it.
_TRANSFERRED_PER_BYTE: Final = 2
_OK: Final = range(200, 300)
_CHUNK: Final = 64 << 10  # bytes


def read_warc(stream: BinaryIO, max_bytes: int | None) -> Iterator[ArchiveItem]:
    """Yield an item for each record. A damaged record ends the file.

    :param max_bytes: length of the longest page, in bytes. A longer page is read only until its length is certain.
    """
    from fastwarc.warc import ArchiveIterator  # the extra `warc`

    limit = -1 if max_bytes is None else _TRANSFERRED_PER_BYTE * max_bytes + 1
    source: Any = stream if stream.seekable() else CountingStream(stream)
    try:
        for record in ArchiveIterator(source):
            yield from _to_items(record, limit)
    except OSError as error:
        yield Broken(f"invalid WARC record: {error}; the records after it were not read", is_gap=True)


def _to_items(record: WarcRecord, limit: int) -> Iterator[ArchiveItem]:
    """Yield an item for a record and, if the file ends within the record, an item that says so."""
    kind = _find_kind(record)
    n_bytes = record.content_length
    body = _read_body(record, limit) if kind is None else b""
    is_cut = len(body) + record.consume() < n_bytes or "Content-Length" not in record.headers
    if kind is None and not (is_cut and not body):
        yield _to_record(record, body, is_cut=is_cut)
    elif kind is not None and not is_cut:
        yield Skipped(kind)
    if is_cut:
        yield Broken("the file ends within a record", is_gap=True)


def _find_kind(record: WarcRecord) -> str | None:
    """Return the kind of a record that is not a page; None for a page."""
    if str(record.record_type) != "response":
        return str(record.record_type)
    status = record.http_headers.status_code if record.is_http_parsed else None
    if status is None:
        return "not HTTP"
    if status not in _OK:
        return f"status {status}"
    media_type = (record.http_headers.get("Content-Type") or "").partition(";")[0].strip().lower()
    return media_type if media_type and "html" not in media_type else None


def _read_body(record: WarcRecord, limit: int) -> bytes:
    """Return the body, at most *limit* bytes. It is read in parts, since FastWARC drops a part that is not whole."""
    parts = []
    left = record.content_length if limit < 0 else min(limit, record.content_length)
    while left and (part := record.reader.read(min(left, _CHUNK))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _to_record(record: WarcRecord, body: bytes, *, is_cut: bool) -> PageRecord:
    headers = record.http_headers
    given = {"warc_record_id": record.headers.get("WARC-Record-ID"), "warc_date": record.headers.get("WARC-Date")}
    return PageRecord(
        body,
        # Some writers put the URL between angle brackets, as an example of WARC/1.0 does.
        (record.headers.get("WARC-Target-URI") or "").strip("<>") or None,
        http_content_type_encoding(headers.get("Content-Type")),
        headers.get("Transfer-Encoding") or "",
        headers.get("Content-Encoding") or "",
        "truncated" if is_cut or record.headers.get("WARC-Truncated") else None,
        {name: value for name, value in given.items() if value is not None},
    )
