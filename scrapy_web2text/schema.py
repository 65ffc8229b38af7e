"""The columns of a table of answers, as plain data, for Parquet files, Arrow and Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from scrapy_web2text.content.forms import OPTIONAL_PARTS

if TYPE_CHECKING:
    from pyarrow import DataType, Schema

    from scrapy_web2text.options import Options

__all__ = [
    "DUPLICATE_COLUMNS",
    "RECORD_COLUMNS",
    "Column",
    "ColumnType",
    "ListOf",
    "Scalar",
    "answer_columns",
    "arrow_schema",
    "fill_row",
    "write_ddl",
]

Scalar = Literal["string", "int", "bigint", "double", "boolean"]  # as SQL calls them


@dataclass(frozen=True, slots=True)
class ListOf:
    """The type of a column that holds a list."""

    item: ColumnType


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, or a field of a structure.

    :param type: a scalar, a list, or the fields of a structure. All values may be null.
    :param default: the value of an answer that does not have it.
    """

    name: str
    type: ColumnType
    default: Any = None


ColumnType: TypeAlias = "Scalar | ListOf | tuple[Column, ...]"

# Where a page is, before the columns of its answer.
RECORD_COLUMNS: Final = (
    Column("path", "string"),
    Column("record", "bigint"),
    Column("warc_record_id", "string"),
    Column("warc_date", "string"),
    Column("damage", "string"),
)
# What a text repeats.
DUPLICATE_COLUMNS: Final = (Column("duplicate", "string"), Column("duplicate_of", "string"))
_ANSWER: Final = (
    Column("url", "string"),
    Column("method", "string"),
    Column("page", "string"),
    Column("page_type", "string"),
    Column("page_type_probability", "double"),
    Column("model", "string"),
    Column("confidence", "double"),
    Column("fallback_reason", "string"),
    Column("n_blocks", "int"),
    Column("n_content", "int"),
    Column("title", "string"),
    Column("encoding", "string"),
    Column("encoding_source", "string"),
    Column("low_confidence", "boolean", default=False),
    Column("no_main_content", "boolean", default=False),
    Column("text", "string"),
    Column("elapsed", "double"),
)
_BLOCK: Final[dict[str, Scalar]] = {
    "index": "int",
    "text": "string",
    "label": "string",
    "probability": "double",
    "tag": "string",
    "path": "string",
}
_PARTS: Final[dict[str, ColumnType]] = {
    "html": "string",
    "markdown": "string",
    "paragraphs": ListOf(
        (
            Column("text", "string"),
            Column("kind", "string"),
            Column("block_indices", ListOf("int")),
            Column("probability", "double"),
        )
    ),
    "metadata": (
        Column("title", "string"),
        Column("author", "string"),
        Column("date", "string"),
        Column("language", "string"),
        Column("site_name", "string"),
        Column("description", "string"),
        Column("canonical_url", "string"),
        Column("image", "string"),
        Column("tags", ListOf("string")),
        Column("authors", ListOf("string")),
        Column("date_modified", "string"),
        Column("breadcrumbs", ListOf((Column("name", "string"), Column("url", "string")))),
        Column("images", ListOf("string")),
    ),
}


def answer_columns(options: Options) -> tuple[Column, ...]:
    """Return the columns for the values of ``Extraction.to_dict()``, with the parts that *options* ask for."""
    block = tuple(Column(name, _BLOCK[name]) for name in options.block_fields)
    blocks = () if options.blocks == "none" else (Column("blocks", ListOf(block)),)
    parts = (Column(name, _PARTS[name]) for name in OPTIONAL_PARTS if getattr(options, name))
    return (*_ANSWER, *blocks, Column("error", "string"), *parts)


def fill_row(columns: Iterable[Column], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each column: that of *values*, else its default."""
    return {column.name: values.get(column.name, column.default) for column in columns}


def write_ddl(columns: Iterable[Column]) -> str:
    """Return the columns as Spark's DDL, such as ``url STRING, blocks ARRAY<STRUCT<text: STRING>>``."""
    return ", ".join(f"{column.name} {_write_type(column.type)}" for column in columns)


def _write_type(kind: ColumnType) -> str:
    if isinstance(kind, ListOf):
        return f"ARRAY<{_write_type(kind.item)}>"
    if isinstance(kind, tuple):
        return f"STRUCT<{', '.join(f'{field.name}: {_write_type(field.type)}' for field in kind)}>"
    return kind.upper()


def arrow_schema(columns: Iterable[Column]) -> Schema:
    """Return the columns as a schema of Arrow (extra ``parquet``)."""
    import pyarrow  # noqa: PLC0415  the extra `parquet`

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
