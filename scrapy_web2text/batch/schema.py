"""Tables of answers: their columns as plain data, for Arrow and Spark, and Parquet files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from scrapy_web2text.content.escaping import escape_surrogates
from scrapy_web2text.content.forms import OPTIONAL_PARTS

if TYPE_CHECKING:
    from pathlib import Path

    from pyarrow import DataType, Schema

    from scrapy_web2text.options import Options

_MOST_BYTES: Final = 16_000_000  # of JSON in a row group, all of which is in memory
Scalar = Literal["string", "int", "bigint", "double", "boolean"]  # as SQL calls them


@dataclass(frozen=True, slots=True)
class ListOf:
    """The type of a column that holds a list."""

    item: ColumnType


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table, or a field of a structure.

    :param type: a scalar, a list, or the fields of a structure. All values may be null.
    :param default: the value of an answer that does not have it.
    """

    name: str
    type: ColumnType
    default: Any = None


ColumnType: TypeAlias = "Scalar | ListOf | tuple[TableColumn, ...]"


def _columns(kind: ColumnType, *names: str) -> tuple[TableColumn, ...]:
    return tuple(TableColumn(name, kind) for name in names)


# Where a page is, before the columns of its answer.
RECORD_COLUMNS: Final = (
    TableColumn("path", "string"),
    TableColumn("record", "bigint"),
    *_columns("string", "warc_record_id", "warc_date", "damage"),
)
# What a text repeats.
DUPLICATE_COLUMNS: Final = _columns("string", "duplicate", "duplicate_of")
_ANSWER: Final = (
    *_columns("string", "url", "method", "page", "page_type"),
    TableColumn("page_type_probability", "double"),
    TableColumn("model", "string"),
    TableColumn("confidence", "double"),
    TableColumn("fallback_reason", "string"),
    *_columns("int", "n_blocks", "n_content"),
    *_columns("string", "title", "encoding", "encoding_source"),
    TableColumn("low_confidence", "boolean", default=False),
    TableColumn("no_main_content", "boolean", default=False),
    TableColumn("text", "string"),
    TableColumn("elapsed", "double"),
)
# The fields of blocks that are not strings.
_BLOCK: Final[dict[str, Scalar]] = {"index": "int", "probability": "double", "hidden": "boolean"}
_PARTS: Final[dict[str, ColumnType]] = {
    "html": "string",
    "markdown": "string",
    "paragraphs": ListOf(
        (
            *_columns("string", "text", "kind"),
            TableColumn("block_indices", ListOf("int")),
            TableColumn("probability", "double"),
        )
    ),
    **dict.fromkeys(("posts", "comments"), ListOf(_columns("string", "text", "author", "date"))),
    "metadata": (
        *_columns(
            "string", "title", "author", "date", "language", "site_name", "description", "canonical_url", "image"
        ),
        *_columns(ListOf("string"), "tags", "authors"),
        TableColumn("date_modified", "string"),
        TableColumn("breadcrumbs", ListOf(_columns("string", "name", "url"))),
        TableColumn("images", ListOf("string")),
        TableColumn("product", _columns("string", "name", "price", "currency", "brand", "sku", "availability")),
    ),
}


def answer_columns(options: Options) -> tuple[TableColumn, ...]:
    """Return the columns for the values of ``Extraction.to_dict()``, with the parts that *options* ask for."""
    block = tuple(TableColumn(name, _BLOCK.get(name, "string")) for name in options.block_fields)
    blocks = () if options.blocks == "none" else (TableColumn("blocks", ListOf(block)),)
    names = [name for name in OPTIONAL_PARTS if getattr(options, name)]
    names += ["comments"] * (options.comments == "separate")
    return (*_ANSWER, *blocks, TableColumn("error", "string"), *(TableColumn(name, _PARTS[name]) for name in names))


def fill_row(columns: Iterable[TableColumn], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each column: that of *values*, else its default."""
    return {column.name: values.get(column.name, column.default) for column in columns}


def write_ddl(columns: Iterable[TableColumn]) -> str:
    """Return the columns as Spark's DDL, such as ``url STRING, blocks ARRAY<STRUCT<text: STRING>>``."""
    return ", ".join(f"{column.name} {_write_type(column.type)}" for column in columns)


def _write_type(kind: ColumnType) -> str:
    if isinstance(kind, ListOf):
        return f"ARRAY<{_write_type(kind.item)}>"
    if isinstance(kind, tuple):
        return f"STRUCT<{', '.join(f'{field.name}: {_write_type(field.type)}' for field in kind)}>"
    return kind.upper()


def arrow_schema(columns: Iterable[TableColumn]) -> Schema:
    """Return the columns as a schema of Arrow (extra ``parquet``)."""
    import pyarrow  # the extra `parquet`

    scalars = {
        "string": pyarrow.string(),
        "int": pyarrow.int32(),
        "bigint": pyarrow.int64(),
        "double": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
    }

    def to_arrow(kind: ColumnType) -> DataType:
        if isinstance(kind, ListOf):
            return pyarrow.list_(to_arrow(kind.item))
        if isinstance(kind, tuple):
            return pyarrow.struct([(field.name, to_arrow(field.type)) for field in kind])
        return scalars[kind]

    return pyarrow.schema([(column.name, to_arrow(column.type)) for column in columns])


def write_table(lines: Path, path: Path, columns: Sequence[TableColumn]) -> None:
    """Write answers in JSON Lines to a Parquet file, with a row for each.

    :param columns: values of other names are left out.
    :raises OSError: if a file cannot be read or written.
    """
    from pyarrow import RecordBatch  # the extra `parquet`
    from pyarrow.parquet import ParquetWriter

    schema = arrow_schema(columns)
    with lines.open("rb") as file, ParquetWriter(path, schema, compression="zstd") as writer:
        while group := file.readlines(_MOST_BYTES):
            rows = [fill_row(columns, _read_values(line)) for line in group]
            writer.write_batch(RecordBatch.from_pylist(rows, schema=schema))


def _read_values(line: bytes) -> dict[str, Any]:
    """Return the values of an answer, with an escape for each lone surrogate, which tables cannot hold.

    They are in paths whose bytes are not text, and in URLs of JSON Lines.
    """
    values: dict[str, Any] = json.loads(line)
    if b"\\ud" in line:  # few lines have one
        values = {name: escape_surrogates(value) if isinstance(value, str) else value for name, value in values.items()}
    return values
