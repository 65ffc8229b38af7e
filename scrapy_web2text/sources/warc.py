"""Pages in WARC files: HTTP responses of HTML, with their bodies as they were sent."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from w3lib.encoding import http_content_type_encoding

from scrapy_web2text.sources.records import (
    GZIP_MAGIC,
    GZIP_WINDOW,
    ZSTD_MAGICS,
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
_FIRST_BYTES: Final = (b"WARC/1.0", b"WARC/1.1")
_CHUNK: Final = 64 << 10  # bytes
_LONGEST_HEAD: Final = 1_000  # bytes that show whether a record begins there
_MOST_GAPS: Final = 1_000  # gaps in a file: at each of them, a part of the file is read again to find the next record


def read_warc(stream: BinaryIO, max_bytes: int | None) -> Iterator[ArchiveItem]:
    """Yield an item for each record.

    After a damaged part, reading goes on at the next record, up to 1,000 times. It ends there if the stream cannot
    seek, or if the records are compressed by Zstandard, since they may need a dictionary from the first bytes.

    :param max_bytes: length of the longest page, in bytes. A longer page is read only until its length is certain.
    """
    from fastwarc.warc import ArchiveIterator  # the extra `warc`

    limit = -1 if max_bytes is None else _TRANSFERRED_PER_BYTE * max_bytes + 1
    source: Any = stream if stream.seekable() else CountingStream(stream)
    start: int | None = 0
    for _ in range(_MOST_GAPS):
        if start is None:
            return
        found = start
        try:
            for record in ArchiveIterator(source):
                found = max(found, record.stream_pos)
                yield from _to_items(record, limit)
        except OSError as error:
            yield Broken(f"invalid WARC record: {error}", is_gap=True)
        else:
            return
        start = _seek_record(stream, found + 1)


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


def _seek_record(stream: BinaryIO, start: int) -> int | None:
    """Move to the first record at *start* or later, and return its position; None if no record is found."""
    if not stream.seekable():
        return None
    stream.seek(0)
    head = stream.read(4)
    if head.startswith(ZSTD_MAGICS):
        return None
    magic = GZIP_MAGIC if head.startswith(GZIP_MAGIC) else _FIRST_BYTES[0][:5]
    while True:
        stream.seek(start)
        data = stream.read(_CHUNK)
        found = data.find(magic)
        while found >= 0:
            if _is_record(data[found : found + _LONGEST_HEAD]):
                return stream.seek(start + found)
            found = data.find(magic, found + 1)
        if len(data) < _CHUNK:
            return None
        start += _CHUNK - _LONGEST_HEAD


def _is_record(head: bytes) -> bool:
    if head.startswith(GZIP_MAGIC):
        try:
            head = zlib.decompressobj(GZIP_WINDOW).decompress(head, len(_FIRST_BYTES[0]))
        except zlib.error:
            return False
    return head.startswith(_FIRST_BYTES)
