"""Pages in JSON Lines and Parquet: a field or column with HTML, and one with URLs; and the items of feeds."""

from __future__ import annotations

import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from scrapy_web2text.batch.records import Broken, Item, Record, decompressed, read_limit
from scrapy_web2text.content.display import shorten

# An item with the blocks of a page of the largest size is shorter.
_LONGEST_LINE: Final = 200_000_000  # bytes
_BYTES_PER_BYTE: Final = 6  # a character as an escape, such as \u00e9
_OTHER_FIELDS: Final = 1_000_000  # bytes
# The first lines that are checked: one is enough if it has the field.
_N_CHECKED: Final = 100
_LONGEST_CHECKED: Final = 10_000_000  # bytes
# In these, a line does not end with a single byte. UTF-32 with the least byte first begins like UTF-16.
_WIDE: Final = (BOM_UTF16_LE, BOM_UTF16_BE, BOM_UTF32_BE)
_ROWS_PER_BATCH: Final = 16  # which are in memory together
_LONGEST_NAMES: Final = 300  # characters of a list of columns, on a terminal


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns or fields that hold the HTML and the URL of a page."""

    html: str = "html"
    url: str = "url"


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
            names: list[str] = []
            with suppress(ValueError):
                names = [*_read_object(line)]
            if not is_whole or columns.html in names:
                return
            fields = fields or names
    if fields:
        raise ValueError(f"expected a field {columns.html!r} (--html-column), got {_show(fields)}")


def _show(names: Sequence[str]) -> str:
    """Return the names of columns for a message on a terminal: an archive may name them as it likes."""
    return shorten(", ".join(map(repr, names)), _LONGEST_NAMES)


def read_json_lines(stream: BinaryIO, columns: Columns, max_bytes: int | None) -> Iterator[Item]:
    """Yield what each line holds. Empty lines do not count.

    :param stream: plain or compressed by gzip or Zstandard.
    :param max_bytes: the longest page, in bytes; longer lines are not read into memory. None for no limit.
    :raises OSError: if the stream cannot be read or decompressed.
    """
    limit = -1 if max_bytes is None else _BYTES_PER_BYTE * read_limit(max_bytes) + _OTHER_FIELDS
    with decompressed(stream) as file:
        for line, is_whole in read_lines(file, limit):
            if not is_whole:
                yield Broken(f"expected a line of at most {limit:,} bytes")
            elif not line.isspace():
                yield _line_to_item(line, columns)


def read_lines(file: BinaryIO, limit: int) -> Iterator[tuple[bytes, bool]]:
    """Yield the lines, and whether each is whole. The rest of a line that is longer than *limit* bytes is skipped."""
    while line := file.readline(limit):
        is_whole = len(line) != limit or line.endswith(b"\n")
        rest = not is_whole
        while rest:
            more = file.readline(limit)
            rest = bool(more) and not more.endswith(b"\n")
        yield line, is_whole


def _line_to_item(line: bytes, columns: Columns) -> Item:
    try:
        values = _read_object(line)
    except ValueError as error:
        return Broken(str(error))
    return _to_item(values.get(columns.html), values.get(columns.url), columns.html)


def _read_object(line: bytes) -> dict[str, Any]:
    try:
        values = json.loads(line, parse_constant=lambda _: None)  # NaN is not JSON
    except (ValueError, RecursionError) as error:
        raise ValueError(f"expected JSON, got {error}") from None
    if not isinstance(values, dict):
        raise ValueError(f"expected an object, got a {type(values).__name__}")
    return values


def _to_item(html: object, url: object, name: str) -> Item:
    if not isinstance(html, str | bytes):
        return Broken(f"{name}: expected a string, got a {type(html).__name__}")
    return Record(html, url if isinstance(url, str) else None)


def check_columns(stream: BinaryIO, columns: Columns) -> list[str]:
    """Return the names of the columns with the HTML and, if there is one, the URL.

    :raises ValueError: if the stream is not Parquet, or has no column of HTML.
    """
    from pyarrow import ArrowException  # the extra `parquet`
    from pyarrow.parquet import read_schema

    try:
        names = read_schema(stream).names
    except ArrowException as error:
        raise ValueError(str(error)) from error
    if columns.html not in names:
        raise ValueError(f"expected a column {columns.html!r} (--html-column), got {_show(names)}")
    return [name for name in (columns.html, columns.url) if name in names]


def read_parquet(stream: BinaryIO, columns: Columns) -> Iterator[Item]:
    """Yield what each row holds.

    :raises OSError: if the stream cannot be read.
    :raises ValueError: if it is not Parquet, is damaged, or has no column of HTML.
    """
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    names = check_columns(stream, columns)
    try:
        with ParquetFile(stream) as file:
            for group in range(file.num_row_groups):
                yield from _read_group(file, group, names)
    except ArrowException as error:
        raise ValueError(str(error)) from error


def _read_group(file: Any, group: int, names: list[str]) -> Iterator[Item]:
    """Yield the rows of a row group; the first of *names* is the column of HTML."""
    for batch in file.iter_batches(_ROWS_PER_BATCH, row_groups=[group], columns=names):
        for html, *urls in zip(*(batch.column(name).to_pylist() for name in names), strict=True):
            yield _to_item(html, urls[0] if urls else None, names[0])


def read_items(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a name for each item of a feed, and the item.

    :param path: plain, or compressed by gzip or Zstandard.
    :raises ValueError: if a line is not a JSON object; the message names the file and the line.
    :raises OSError: if the file cannot be read or decompressed.
    """
    with path.open("rb") as stream, decompressed(stream) as file:
        for number, (line, is_whole) in enumerate(read_lines(file, _LONGEST_LINE), 1):
            if not line.strip():
                continue
            if not is_whole:
                raise ValueError(f"{path}:{number}: expected a line of at most {_LONGEST_LINE:,} bytes")
            try:
                item = _read_object(line)
            except ValueError as error:
                raise ValueError(f"{path}:{number}: {error}") from None
            yield next((str(item[key]) for key in ("path", "url") if item.get(key)), f"line {number}"), item
