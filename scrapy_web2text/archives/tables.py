"""Answers as tables in Parquet files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.content.escaping import escape_surrogates
from scrapy_web2text.schema import Column, arrow_schema, fill_row

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_table"]

_MOST_BYTES: Final = 16_000_000  # of JSON in a row group, all of which is in memory
_MOST_ROWS: Final = 10_000


def write_table(lines: Path, path: Path, columns: Sequence[Column]) -> None:
    """Write answers in JSON Lines to a Parquet file, with a row for each.

    :param columns: values of other names are left out.
    :raises OSError: if a file cannot be read or written.
    """
    from pyarrow import RecordBatch  # noqa: PLC0415  the extra `parquet`
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    schema = arrow_schema(columns)
    with ParquetWriter(path, schema, compression="zstd") as writer:
        for group in _group_lines(lines):
            rows = [fill_row(columns, _read_values(line)) for line in group]
            writer.write_batch(RecordBatch.from_pylist(rows, schema=schema))


def _group_lines(path: Path) -> Iterator[list[bytes]]:
    group: list[bytes] = []
    n_bytes = 0
    with path.open("rb") as file:
        for line in file:
            group.append(line)
            n_bytes += len(line)
            if n_bytes >= _MOST_BYTES or len(group) >= _MOST_ROWS:
                yield group
                group, n_bytes = [], 0
    if group:
        yield group


def _read_values(line: bytes) -> dict[str, Any]:
    """Return the values of an answer, with an escape for each lone surrogate, which tables cannot hold.

    They are in paths whose bytes are not text, and in URLs of JSON Lines.
    """
    values: dict[str, Any] = json.loads(line)
    if b"\\ud" in line:  # few lines have one
        values = {name: escape_surrogates(value) if isinstance(value, str) else value for name, value in values.items()}
    return values
