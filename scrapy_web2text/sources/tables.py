"""Pages in JSON Lines and Parquet, with a field or column for HTML and one for URLs, and the items of feeds."""

from __future__ import annotations

import json
import math
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from scrapy_web2text.common.display import shorten
from scrapy_web2text.sources.records import ArchiveItem, Broken, PageRecord, decompressed

if TYPE_CHECKING:
    from pyarrow import RecordBatch

# Long enough for an item with all blocks of a page of the largest size.
_LONGEST_LINE: Final = 200_000_000  # bytes
_BYTES_PER_BYTE: Final = 3  # an escape, such as \u00e9, of a character of two bytes
_OTHER_FIELDS: Final = 1_000_000  # bytes
# A line may have one comma or bracket per 30 bytes of the limit: even an empty list, 2 bytes, takes 64 bytes of memory.
_BYTES_PER_VALUE: Final = 30
# The number of first lines in which the field is searched.
_N_CHECKED: Final = 100
_LONGEST_CHECKED: Final = 10_000_000  # bytes
# The first bytes of UTF-16 and UTF-32, whose lines do not end with a single byte. Little-endian UTF-32 begins like
# UTF-16.
_WIDE: Final = (BOM_UTF16_LE, BOM_UTF16_BE, BOM_UTF32_BE)
# A column of Parquet may have so many bytes per byte of --max-bytes, plus so many per compressed byte.
_BYTES_PER_MAX_BYTE: Final = 8
_BYTES_PER_COMPRESSED_BYTE: Final = 100
_ROWS_ALLOWED: Final = 1_000  # that any column may have; each further row needs a compressed byte
_TEXT_TYPES: Final = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
_LONGEST_NAMES: Final = 300  # characters of a list of columns, on a terminal


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns or fields that hold the HTML and the URL of a page."""

    html: str = "html"
    url: str = "url"


def list_fields(stream: BinaryIO, html: str) -> list[str]:
    """Return the names of the fields in the first lines, up to a line that has the field *html* or is too long."""
    names: dict[str, None] = {}
    with decompressed(stream) as file:
        for line, is_whole in islice(read_bounded_lines(file, _LONGEST_CHECKED), _N_CHECKED):
            with suppress(ValueError):
                names |= dict.fromkeys(_read_object(line, _LONGEST_CHECKED))
            if not is_whole or html in names:
                return [html]
    return [*names]


def check_names(names: Sequence[str], columns: Columns, where: str = "") -> None:
    """Raise a ValueError if the column of HTML is not among *names*, the columns of an archive."""
    if columns.html not in names:
        shown = shorten(", ".join(map(repr, names)), _LONGEST_NAMES)
        raise ValueError(f"{where}expected a column {columns.html!r} of text (--html-column), got {shown or 'none'}")


def read_json_lines(stream: BinaryIO, columns: Columns, max_bytes: int | None) -> Iterator[ArchiveItem]:
    """Yield an item for each line. Empty lines do not count.

    :param max_bytes: length of the longest page, in bytes. Longer lines are not read into memory. None for no limit.
    """
    limit = -1 if max_bytes is None else _BYTES_PER_BYTE * max_bytes + _OTHER_FIELDS
    with decompressed(stream) as file:
        for number, (line, is_whole) in enumerate(read_bounded_lines(file, limit)):
            if number == 0 and line.startswith(_WIDE):
                raise ValueError("expected UTF-8, got UTF-16 or UTF-32; `iconv -t utf-8` converts it")
            if not is_whole:
                yield Broken(f"expected a line of at most {limit:,} bytes")
            elif not line.isspace():
                yield _line_to_item(line, columns, limit, max_bytes)


def read_bounded_lines(file: BinaryIO, limit: int) -> Iterator[tuple[bytes, bool]]:
    """Yield the lines, and whether each is whole. The rest of a line that is longer than *limit* bytes is skipped."""
    while line := file.readline(limit):
        is_whole = len(line) != limit or line.endswith(b"\n")
        rest = not is_whole
        while rest:
            more = file.readline(limit)
            rest = bool(more) and not more.endswith(b"\n")
        yield line, is_whole


def _line_to_item(line: bytes, columns: Columns, limit: int, max_bytes: int | None) -> ArchiveItem:
    try:
        values = _read_object(line, limit)
    except ValueError as error:
        return Broken(str(error))
    if columns.html not in values:
        return Broken(f"no field {columns.html}; fields: {', '.join(values) or 'none'} (--html-column)")
    return _to_item(values[columns.html], values.get(columns.url), columns.html, max_bytes)


def _read_object(line: bytes, limit: int) -> dict[str, Any]:
    """Return the JSON object in a line.

    :param limit: largest number of bytes in a line; negative for no limit.
    """
    most = limit // _BYTES_PER_VALUE
    if 0 <= most < sum(map(line.count, (b",", b"[", b"{"))):
        raise ValueError(f"expected at most {most:,} commas and brackets")
    try:
        values = json.loads(line, parse_constant=lambda _: None)  # NaN is not JSON
    except (ValueError, RecursionError) as error:
        raise ValueError(f"expected JSON, got {error}") from None
    if not isinstance(values, dict):
        raise ValueError(f"expected an object, got a {type(values).__name__}")
    return values


def _to_item(html: object, url: object, name: str, max_bytes: int | None) -> ArchiveItem:
    if not isinstance(html, str | bytes):
        return Broken(f"{name}: expected a string, got a {type(html).__name__}")
    return PageRecord(html if max_bytes is None else html[: max_bytes + 1], url if isinstance(url, str) else None)


def list_columns(stream: BinaryIO) -> list[str]:
    """Return the names of the columns of text or bytes."""
    from pyarrow.parquet import read_schema  # the extra `parquet`

    types = ((field.name, str(field.type).removeprefix("dictionary<values=")) for field in read_schema(stream))
    return [name for name, kind in types if kind.partition(",")[0] in _TEXT_TYPES]


def read_parquet(stream: BinaryIO, columns: Columns, max_bytes: int | None) -> Iterator[ArchiveItem]:
    """Yield an item for each row.

    :param max_bytes: length of the longest page, in bytes; None for no limit.
    """
    from pyarrow.parquet import ParquetFile

    found = list_columns(stream)
    check_names(found, columns)
    names = [name for name in (columns.html, columns.url) if name in found]
    most = math.inf if max_bytes is None else _BYTES_PER_MAX_BYTE * max_bytes
    with ParquetFile(stream) as file:
        for group in range(file.num_row_groups):
            for chunk in map(file.metadata.row_group(group).column, range(file.metadata.num_columns)):
                limit = most + _BYTES_PER_COMPRESSED_BYTE * chunk.total_compressed_size
                if chunk.path_in_schema in names and chunk.total_uncompressed_size > limit:
                    raise ValueError(f"{chunk.path_in_schema}: expected at most {limit:,} bytes in a group of rows")
                most_rows = _ROWS_ALLOWED + chunk.total_compressed_size
                if chunk.path_in_schema == columns.html and chunk.num_values > most_rows:
                    raise ValueError(f"{columns.html}: expected at most {most_rows:,} rows, got {chunk.num_values:,}")
            # Rows are read one by one: a value of a dictionary can be long, and is copied for each row that has it.
            for batch in file.iter_batches(1, row_groups=[group], columns=names):
                yield _row_to_item(batch, columns, max_bytes)


def _row_to_item(batch: RecordBatch, columns: Columns, max_bytes: int | None) -> ArchiveItem:
    """Return the page of a batch of one row."""
    try:
        (row,) = batch.to_pylist()
    except UnicodeDecodeError as error:
        return Broken(f"expected UTF-8: {error}")
    return _to_item(row[columns.html], row.get(columns.url), columns.html, max_bytes)


def read_items(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each item of a feed, after a name for it."""
    with path.open("rb") as stream, decompressed(stream) as file:
        for number, (line, is_whole) in enumerate(read_bounded_lines(file, _LONGEST_LINE), 1):
            if not line.strip():
                continue
            if not is_whole:
                raise ValueError(f"{path}:{number}: expected a line of at most {_LONGEST_LINE:,} bytes")
            try:
                item = _read_object(line, _LONGEST_LINE)
            except ValueError as error:
                raise ValueError(f"{path}:{number}: {error}") from None
            yield next((str(item[key]) for key in ("path", "url") if item.get(key)), f"line {number}"), item
