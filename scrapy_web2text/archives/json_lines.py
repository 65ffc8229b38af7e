"""Pages in JSON Lines: one object for each page, with its HTML in a field."""

from __future__ import annotations

import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from scrapy_web2text.archives.records import Broken, Item, Record, list_names, read_limit
from scrapy_web2text.archives.streams import decompressed

if TYPE_CHECKING:
    from scrapy_web2text.archives.sources import Columns

__all__ = ["check_fields", "read_json_lines", "read_lines"]

_BYTES_PER_BYTE: Final = 6  # a character as an escape, such as \u00e9
_OTHER_FIELDS: Final = 1_000_000  # bytes
# The first lines that are checked: one is enough if it has the field.
_N_CHECKED: Final = 100
_LONGEST_CHECKED: Final = 10_000_000  # bytes
# In these, a line does not end with a single byte. UTF-32 with the least byte first begins like UTF-16.
_WIDE: Final = (BOM_UTF16_LE, BOM_UTF16_BE, BOM_UTF32_BE)


def check_fields(stream: BinaryIO, columns: Columns) -> None:
    """Look for the field of HTML in the first lines. Damage is left to `read_json_lines`, which reports it.

    :param stream: plain or compressed by gzip or Zstandard.
    :raises ValueError: if these lines hold objects, but none of them has the field; or if the file is not UTF-8.
    """
    fields: list[str] = []
    with suppress(OSError), decompressed(stream) as file:
        for line, is_whole in islice(read_lines(file, _LONGEST_CHECKED), _N_CHECKED):
            if line.startswith(_WIDE):
                raise ValueError("expected UTF-8, got UTF-16 or UTF-32; `iconv -t utf-8` converts it")
            values: Any = None
            with suppress(ValueError, RecursionError):
                values = json.loads(line)
            if not is_whole or (isinstance(values, dict) and columns.html in values):
                return
            fields = fields or (list(values) if isinstance(values, dict) else [])
    if fields:
        raise ValueError(f"expected a field {columns.html!r} (--html-column), got {list_names(fields)}")


def read_json_lines(stream: BinaryIO, columns: Columns, n_done: int, max_bytes: int | None) -> Iterator[Item]:
    """Yield what each line holds, after the first *n_done*. Empty lines do not count.

    :param stream: plain or compressed by gzip or Zstandard.
    :param max_bytes: the longest page, in bytes; longer lines are not read into memory. None for no limit.
    :raises OSError: if the stream cannot be read or decompressed.
    """
    limit = -1 if max_bytes is None else _BYTES_PER_BYTE * read_limit(max_bytes) + _OTHER_FIELDS
    with decompressed(stream) as file:
        lines = ((line, is_whole) for line, is_whole in read_lines(file, limit) if not (is_whole and line.isspace()))
        for number, (line, is_whole) in enumerate(lines):
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
