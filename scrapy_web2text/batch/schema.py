"""Tables of answers: their columns as plain data, for Arrow and Spark, and Parquet files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from scrapy_web2text.content.escaping import escape_surrogates
from scrapy_web2text.content.forms import OPTIONAL_PARTS
from scrapy_web2text.features.quality import SIGNALS

if TYPE_CHECKING:
    from pathlib import Path

    from pyarrow import DataType, Schema

    from scrapy_web2text.options import Options

_MOST_BYTES: Final = 16_000_000  # of JSON in a row group, all of which is in memory
Scalar = Literal["string", "int", "bigint", "double", "boolean"]  # as SQL calls them
# The type of a column: a scalar, a list of one type, or the fields of a structure. All values may be null.
ColumnType: TypeAlias = "Scalar | list[ColumnType] | TableColumns"
# The columns of a table, or the fields of a structure, in order.
TableColumns: TypeAlias = "Mapping[str, ColumnType]"


def _strings(names: str) -> TableColumns:
    return dict.fromkeys(names.split(), "string")


# Where a page is, before the columns of its answer.
RECORD_COLUMNS: Final[TableColumns] = {
    "path": "string",
    "record": "bigint",
    **_strings("warc_record_id warc_date damage"),
}
# What a text repeats.
DUPLICATE_COLUMNS: Final = _strings("duplicate duplicate_of")
_ANSWER: Final[TableColumns] = {
    **_strings("url method page page_type"),
    "page_type_probability": "double",
    "model": "string",
    "confidence": "double",
    "fallback_reason": "string",
    "n_blocks": "int",
    "n_content": "int",
    **_strings("title encoding encoding_source"),
    "low_confidence": "boolean",
    "no_main_content": "boolean",
    "text": "string",
    "elapsed": "double",
}
# The values of columns that an answer without them has; all others are null.
_DEFAULTS: Final = {"low_confidence": False, "no_main_content": False}
# The fields of blocks that are not strings.
_BLOCK: Final[dict[str, Scalar]] = {"index": "int", "probability": "double", "hidden": "boolean"}
_POSTS: Final[ColumnType] = [_strings("text author date")]
_PLACE: Final[TableColumns] = {"heading_path": ["string"], "links": ["string"]}
_PARTS: Final[TableColumns] = {
    "html": "string",
    "markdown": "string",
    "paragraphs": [
        {
            **_strings("text kind"),
            "block_indices": ["int"],
            "probability": "double",
            "level": "int",
            **_PLACE,
            "cell": ["int"],
            **_strings("path role"),
        }
    ],
    "chunks": [{"text": "string", "position": "int", **_PLACE, "paths": ["string"], "role": "string"}],
    "posts": _POSTS,
    "comments": _POSTS,
    "metadata": {
        **_strings("title author date language"),
        "language_score": "double",
        **_strings("site_name description canonical_url image"),
        "tags": ["string"],
        "authors": ["string"],
        "date_modified": "string",
        "breadcrumbs": [_strings("name url")],
        "images": ["string"],
        "product": _strings("name price currency brand sku availability"),
    },
    "quality": {name: "int" if name.startswith("n_") else "double" for name in SIGNALS},
}


def answer_columns(options: Options) -> TableColumns:
    """Return the columns for the values of ``Extraction.to_dict()``, with the parts that *options* ask for."""
    block: TableColumns = {name: _BLOCK.get(name, "string") for name in options.block_fields}
    blocks: TableColumns = {} if options.blocks == "none" else {"blocks": [block]}
    left_out = "paragraphs" if options.chunks else ""
    names = [name for name in OPTIONAL_PARTS if getattr(options, name) and name != left_out]
    names += ["comments"] * (options.comments == "separate")
    return {**_ANSWER, **blocks, "error": "string", **{name: _PARTS[name] for name in names}}


def fill_row(columns: TableColumns, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each column: that of *values*, else its default."""
    return {name: values.get(name, _DEFAULTS.get(name)) for name in columns}


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

    :param columns: values of other names are left out.
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
