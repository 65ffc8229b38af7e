"""Tables of answers: their columns as plain data, for Arrow and Spark, and Parquet files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import IntEnum
from types import NoneType, UnionType
from typing import IO, TYPE_CHECKING, Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from scrapy_web2text.content.escaping import escape_surrogates
from scrapy_web2text.extraction import FIELDS_OF_METADATA, Block, Extraction, Metadata
from scrapy_web2text.options import PART_OPTIONS

if TYPE_CHECKING:
    from pathlib import Path

    from pyarrow import DataType, RecordBatch, Schema

    from scrapy_web2text.options import Options

_MOST_BYTES: Final = 16_000_000  # of a row group, which is in memory as a whole
Scalar = Literal["string", "int", "bigint", "double", "boolean"]  # names of types in SQL
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


def item_columns(options: Options, written: Collection[str]) -> TableColumns:
    """Return the columns for items: the columns of an answer, and of the parts and metadata in *written*.

    :param written: the names of the values that items get.
    """
    columns = answer_columns(options)
    columns = {**columns, **_columns_of(Metadata), **columns}  # in this order, with the types of an answer
    optional = {"blocks", *PART_OPTIONS, *FIELDS_OF_METADATA}
    return {name: kind for name, kind in columns.items() if name not in optional or name in written}


def _is_asked(options: Options, name: str) -> bool:
    """Return whether answers with *options* have the field *name*. Answers always have most fields."""
    return options.blocks != "none" if name == "blocks" else name not in PART_OPTIONS or name in options.parts


def _columns_of(cls: type) -> dict[str, ColumnType]:
    """Return the type of the column for each field of a record or of a typed dict."""
    return {name: _column_of(kind) for name, kind in get_type_hints(cls).items()}


def _column_of(kind: Any) -> ColumnType:
    """Return the type of the column for values that are None or of the type *kind*."""
    inner = [part for part in get_args(kind) if part is not NoneType]
    if get_origin(kind) is UnionType or get_origin(kind) is Union:
        return _column_of(inner[0])
    if get_origin(kind) is tuple:
        return [_column_of(inner[0])]
    if hasattr(kind, "__annotations__") and not issubclass(kind, IntEnum):
        return _columns_of(kind)
    return _SCALARS.get(kind, "string")  # in plain data, a label is its name


def fill_row(columns: TableColumns, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of each column in *values*, or the default of the column.

    Tables cannot hold lone surrogates, which occur in paths whose bytes are not text, and in URLs: they are escaped.
    """
    row = {name: values.get(name, False if name in _FLAGS else None) for name in columns}
    return {name: escape_surrogates(value) if isinstance(value, str) else value for name, value in row.items()}


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


class TableWriter:
    """Writes a Parquet file row by row (extra ``parquet``).

    :param file: the file, or its path.
    :param columns: the columns of the file; other values of a row are left out.
    """

    def __init__(self, file: Path | IO[bytes], columns: TableColumns) -> None:
        from pyarrow.parquet import ParquetWriter

        self._columns = columns
        self._writer = ParquetWriter(file, arrow_schema(columns), compression="zstd")
        self._rows: list[RecordBatch] = []
        self._n_bytes = 0

    def add(self, values: Mapping[str, Any]) -> None:
        """Add a row.

        :raises pyarrow.ArrowException: if a value does not fit into its column. The row is then left out.
        """
        from pyarrow import RecordBatch

        row = RecordBatch.from_pylist([fill_row(self._columns, values)], schema=self._writer.schema)
        self._rows.append(row)
        self._n_bytes += row.nbytes
        if self._n_bytes > _MOST_BYTES:
            self._write()

    def close(self) -> None:
        """Write the rows that are left, and the end of the file."""
        self._write()
        self._writer.close()

    def _write(self) -> None:
        from pyarrow import Table

        if self._rows:
            self._writer.write_table(Table.from_batches(self._rows))
        self._rows, self._n_bytes = [], 0
