"""Pages in Parquet files: a column with HTML, and one with URLs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.archives.meter import Meter
from scrapy_web2text.archives.records import Broken, Item, Record, list_names

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_web2text.archives.sources import Columns

__all__ = ["check_columns", "read_parquet"]

_ROWS_PER_BATCH: Final = 16  # which are in memory together


def check_columns(path: Path, columns: Columns) -> None:
    """Read which columns a file has.

    :raises ValueError: if it is not Parquet, or has no column of HTML.
    :raises OSError: if it cannot be read.
    """
    from pyarrow import ArrowException  # noqa: PLC0415  the extra `parquet`
    from pyarrow.parquet import read_schema  # noqa: PLC0415

    try:
        names = read_schema(path).names
    except ArrowException as error:
        raise ValueError(f"{path}: {error}") from error
    if columns.html not in names:
        raise ValueError(f"{path}: expected a column {columns.html!r} (--html-column), got {list_names(names)}")


def read_parquet(path: Path, columns: Columns, n_done: int, meter: Meter | None = None) -> Iterator[Item]:
    """Yield what each row holds, after the first *n_done* rows.

    :param meter: counts the file with its last row, and a share of it with each group of rows before.
    :raises OSError: if the file cannot be read.
    :raises ValueError: if it is not Parquet, is damaged, or has no column of HTML.
    """
    from pyarrow import ArrowException  # noqa: PLC0415
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415

    meter = meter or Meter()
    check_columns(path, columns)
    try:
        with ParquetFile(path) as file:
            n_left = n_bytes = path.stat().st_size
            names = [name for name in (columns.html, columns.url) if name in file.schema_arrow.names]
            n_before = 0
            for group in range(file.num_row_groups):
                n_rows = file.metadata.row_group(group).num_rows
                if n_before + n_rows > n_done:
                    yield from _read_group(file, group, names, max(n_done - n_before, 0))
                n_before += n_rows
                n_share = n_bytes * n_rows // max(file.metadata.num_rows, 1)
                meter.add(n_share)
                n_left -= n_share
            meter.add(n_left)
    except ArrowException as error:
        raise ValueError(str(error)) from error


def _read_group(file: Any, group: int, names: list[str], n_done: int) -> Iterator[Item]:
    """Yield the rows of a row group, after the first *n_done*; the first of *names* is the column of HTML."""
    n_before = 0
    for batch in file.iter_batches(_ROWS_PER_BATCH, row_groups=[group], columns=names):
        given = [batch.column(name).to_pylist() for name in names]
        for number, (html, *urls) in enumerate(zip(*given, strict=True), n_before):
            if number >= n_done:
                yield _to_item(html, urls[0] if urls else None, names[0])
        n_before += batch.num_rows


def _to_item(html: object, url: object, name: str) -> Item:
    if not isinstance(html, str | bytes):
        return Broken(f"{name}: expected a string or bytes, got a {type(html).__name__}")
    return Record(html, url if isinstance(url, str) else None)
