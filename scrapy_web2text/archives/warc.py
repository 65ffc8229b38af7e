"""Pages in WARC files: HTTP responses of HTML, plain or compressed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from w3lib.encoding import http_content_type_encoding

from scrapy_web2text.archives.records import Broken, Item, Record, Skipped, read_limit
from scrapy_web2text.archives.streams import GZIP_MAGIC, ZSTD_MAGICS, CountingStream

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

__all__ = ["read_warc"]

_OK: Final = range(200, 300)
_FIRST_BYTES: Final = b"WARC/"
_CHUNK: Final = 64 << 10  # bytes
_GZIP_WINDOW: Final = 31  # for zlib: a member of gzip
_LONGEST_HEAD: Final = 1_000  # bytes of what may be a record, to see whether it is one
_LONGEST_KIND: Final = 100  # characters


def read_warc(stream: BinaryIO, n_done: int, max_bytes: int | None) -> Iterator[Item]:
    """Yield what each record is, after the first *n_done* items.

    Where the file is damaged, reading goes on at the next record, if the stream can seek and is not compressed by
    Zstandard, whose records may need a dictionary from the first bytes.

    :param stream: plain, or compressed by gzip or Zstandard.
    :param max_bytes: the longest page, in bytes; longer ones are read only so far that this can be seen.
    """
    # The items before are read like the others, so that a damaged file has the same items in every run.
    return islice(_read_items(stream, read_limit(max_bytes)), n_done, None)


def _read_items(stream: BinaryIO, limit: int) -> Iterator[Item]:
    start: int | None = 0
    while start is not None:
        found = start
        try:
            for record in _iterate(stream):
                found = max(found, record.stream_pos)
                yield from _to_items(record, limit)
        except OSError as error:
            yield Broken(f"invalid WARC record: {error}", is_gap=True)
        else:
            return
        start = _seek_record(stream, found + 1)


def _iterate(stream: BinaryIO) -> Iterator[WarcRecord]:
    from fastwarc.warc import ArchiveIterator  # noqa: PLC0415  the extra `warc`

    source: Any = stream if stream.seekable() else CountingStream(stream)
    return iter(ArchiveIterator(source))


def _to_items(record: WarcRecord, limit: int) -> Iterator[Item]:
    """Yield a record, and that it is the last of a truncated file, if it is."""
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
    """Return what a record is, if it is not a page."""
    if str(record.record_type) != "response":
        return str(record.record_type)
    status = record.http_headers.status_code if record.is_http_parsed else None
    if status is None:
        return "not HTTP"
    if status not in _OK:
        return f"status {status}"
    media_type = (record.http_headers.get("Content-Type") or "").partition(";")[0].strip().lower()
    return media_type[:_LONGEST_KIND] if media_type and "html" not in media_type else None


def _read_body(record: WarcRecord, limit: int) -> bytes:
    """Return the body, at most *limit* bytes. It is read in parts, since FastWARC drops a part that is not whole."""
    parts = []
    left = record.content_length if limit < 0 else min(limit, record.content_length)
    while left and (part := record.reader.read(min(left, _CHUNK))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _to_record(record: WarcRecord, body: bytes, *, is_cut: bool) -> Record:
    headers = record.http_headers
    given = {"warc_record_id": record.headers.get("WARC-Record-ID"), "warc_date": record.headers.get("WARC-Date")}
    return Record(
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
    """Seek the first record at *start* or later, and return its place; None if there is none to be found."""
    if not stream.seekable():
        return None
    stream.seek(0)
    head = stream.read(4)
    if head.startswith(ZSTD_MAGICS):
        return None
    is_record, magic = (_is_member, GZIP_MAGIC) if head.startswith(GZIP_MAGIC) else (_is_plain, _FIRST_BYTES)
    place = stream.seek(start)
    data = stream.read(_CHUNK)
    while data:
        found = data.find(magic)
        while found >= 0:
            if len(data) - found < _LONGEST_HEAD:
                data += stream.read(_LONGEST_HEAD)
            if is_record(data[found : found + _LONGEST_HEAD]):
                return stream.seek(place + found)
            found = data.find(magic, found + 1)
        kept = len(magic) - 1
        more = stream.read(_CHUNK)
        place += len(data) - kept
        data = data[-kept:] + more if more else b""
    return None


def _is_plain(head: bytes) -> bool:
    return head[:8] in (b"WARC/1.0", b"WARC/1.1")


def _is_member(head: bytes) -> bool:
    with suppress(zlib.error):
        return zlib.decompressobj(_GZIP_WINDOW).decompress(head, len(_FIRST_BYTES)) == _FIRST_BYTES
    return False
