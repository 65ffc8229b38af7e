"""Pages in JSON Lines: one object for each page, with its HTML in a field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, Final

from scrapy_web2text.archives.records import Broken, Item, Record, read_limit
from scrapy_web2text.archives.streams import decompressed

if TYPE_CHECKING:
    from scrapy_web2text.archives.sources import Columns

__all__ = ["read_json_lines", "read_lines"]

_BYTES_PER_BYTE: Final = 6  # a character as an escape, such as \u00e9
_OTHER_FIELDS: Final = 1_000_000  # bytes


def read_json_lines(stream: BinaryIO, columns: Columns, n_done: int, max_bytes: int | None) -> Iterator[Item]:
    """Yield what each line holds, after the first *n_done* lines.

    :param stream: plain or compressed by gzip or Zstandard.
    :param max_bytes: the longest page, in bytes; longer lines are not read into memory. None for no limit.
    :raises OSError: if the stream cannot be read or decompressed.
    """
    limit = -1 if max_bytes is None else _BYTES_PER_BYTE * read_limit(max_bytes) + _OTHER_FIELDS
    with decompressed(stream) as file:
        for number, (line, is_whole) in enumerate(read_lines(file, limit)):
            if number >= n_done:
                yield _to_item(line, columns) if is_whole else Broken(f"expected a line of at most {limit:,} bytes")


def read_lines(file: BinaryIO, limit: int) -> Iterator[tuple[bytes, bool]]:
    """Yield the lines, and whether each is whole. The rest of a line that is longer than *limit* bytes is skipped."""
    while line := file.readline(limit):
        is_whole = len(line) != limit or line.endswith(b"\n")
        rest = not is_whole
        while rest:
            more = file.readline(limit)
            rest = bool(more) and not more.endswith(b"\n")
        yield line, is_whole


def _to_item(line: bytes, columns: Columns) -> Item:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Broken(f"expected JSON, got {error}")
    if not isinstance(values, dict):
        return Broken(f"expected an object, got a {type(values).__name__}")
    html, url = values.get(columns.html), values.get(columns.url)
    if not isinstance(html, str):
        return Broken(f"{columns.html}: expected a string, got a {type(html).__name__}")
    return Record(html, url if isinstance(url, str) else None)
