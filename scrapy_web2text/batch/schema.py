"""Tables of answers: their columns as plain data, for Arrow and Spark, and Parquet files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import IntEnum
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from scrapy_web2text.content.escaping import escape_surrogates
from scrapy_web2text.extraction import PARTS, Block, Extraction

if TYPE_CHECKING:
    from pathlib import Path

    from pyarrow import DataType, Schema

    from scrapy_web2text.options import Options

_MOST_BYTES: Final = 16_000_000  # of JSON in a row group, which is in memory as a whole
Scalar = Literal["string", "int", "bigint", "double", "boolean"]  # as SQL calls them
# The type of a column: a scalar, a list of one type, or the fields of a structure. All values may be null.
ColumnType: TypeAlias = "Scalar | list[ColumnType] | TableColumns"
# The columns of a table, or the fields of a structure, in order.
TableColumns: TypeAlias = "Mapping[str, ColumnType]"


# Where a page is, before the columns of its answer.
RECORD_COLUMNS: Final[TableColumns] = {
    "path": "string",
    "record": "bigint",
    "warc_record_id": "string",
    "warc_date": "string",
    "damage": "string",
}
# The kind of duplicate that a text is, and the place of the text that it repeats.
DUPLICATE_COLUMNS: Final[TableColumns] = {"duplicate": "string", "duplicate_of": "string"}
_FLAGS: Final = ("low_confidence", "no_main_content")  # fields that plain data have only if they are True
_SCALARS: Final[Mapping[type, Scalar]] = {int: "int", float: "double", bool: "boolean"}


def answer_columns(options: Options) -> TableColumns:
    """Return the columns for the values of ``Extraction.to_dict()``, with the parts that *options* ask for."""
    columns = {name: kind for name, kind in _columns_of(Extraction).items() if _is_asked(options, name)}
    columns["no_main_content"] = "boolean"
    if "blocks" in columns:
        block = _columns_of(Block)
        columns["blocks"] = [{name: block[name] for name in options.block_fields}]
    return columns


def _is_asked(options: Options, name: str) -> bool:
    """Return whether answers with *options* have the field *name*. Most fields are always there."""
    special = {"blocks": options.blocks != "none", "comments": options.comments == "separate"}
    return special[name] if name in special else name not in PARTS or bool(getattr(options, name, True))


def _columns_of(cls: type) -> dict[str, ColumnType]:
    """Return a column for each field of a record or of a typed dict."""
    return {name: _column_of(kind) for name, kind in get_type_hints(cls).items()}


def _column_of(kind: Any) -> ColumnType:
    """Return the column for values of the type *kind*, or None."""
    inner = [part for part in get_args(kind) if part is not NoneType]
    if get_origin(kind) is UnionType or get_origin(kind) is Union:
        return _column_of(inner[0])
    if get_origin(kind) is tuple:
        return [_column_of(inner[0])]
    if hasattr(kind, "__annotations__") and not issubclass(kind, IntEnum):
        return _columns_of(kind)
    return _SCALARS.get(kind, "string")  # in plain data, a label is its name


def fill_row(columns: TableColumns, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of each column in *values*, or the default of the column."""
    return {name: values.get(name, False if name in _FLAGS else None) for name in columns}


def write_ddl(columns: TableColumns) -> str:
    """Return the columns as Spark's DDL, such as ``url STRING, blocks ARRAY<STRUCT<text: STRING>>``."""
    return ", ".join(f"{name} {_write_type(kind)}" for name, kind in columns.items())


def _write_type(kind: ColumnType) -> str:
    if isinstance(kind, list):
        return f"ARRAY<{_write_type(kind[0])}>"
    if isinstance(kind, str):
        return kind.upper()
    return f"STRUCT<{', '.join(f'{name}: {_write_type(part)}' for name, part in kind.items())}>"


def arrow_schema(columns: TableColumns) -> Schema:
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
        if isinstance(kind, list):
            return pyarrow.list_(to_arrow(kind[0]))
        if isinstance(kind, str):
            return scalars[kind]
        return pyarrow.struct([(name, to_arrow(part)) for name, part in kind.items()])

    return pyarrow.schema([(name, to_arrow(kind)) for name, kind in columns.items()])


def write_table(lines: Path, path: Path, columns: TableColumns) -> None:
    """Write answers in JSON Lines to a Parquet file, with a row for each.

    :param columns: the columns of the file; other values of an answer are left out.
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

    Lone surrogates occur in paths whose bytes are not text, and in URLs of JSON Lines.
    """
    values: dict[str, Any] = json.loads(line)
    if b"\\ud" in line:  # few lines have one
        values = {name: escape_surrogates(value) if isinstance(value, str) else value for name, value in values.items()}
    return values
