from __future__ import annotations

from dataclasses import fields

import pytest
from mockserver import article

from scrapy_web2text import Extraction, Extractor, Options
from scrapy_web2text.batch.schema import (
    RECORD_COLUMNS,
    answer_columns,
    arrow_schema,
    fill_row,
    write_ddl,
)
from scrapy_web2text.content.paragraphs import Paragraph
from scrapy_web2text.metadata.breadcrumbs import Breadcrumb
from scrapy_web2text.metadata.read import METADATA_FIELDS
from scrapy_web2text.options import BLOCK_FIELDS

ALL = Options(
    model="shallow:numwords",
    blocks="all",
    block_fields=BLOCK_FIELDS,
    html=True,
    markdown=True,
    paragraphs=True,
    metadata=True,
    min_confidence=1.0,
    on_low_confidence="flag",
)


def test_the_columns_are_the_values_of_an_answer():
    low = Extraction(method="model", low_confidence=True, error="KeyError").to_dict()
    whole = Extractor(ALL).extract(article()).to_dict()
    assert {*answer_columns(ALL)} == {*low, *whole}
    assert {*answer_columns(Options(blocks="none"))} == {*low} - {"blocks"}


def test_the_fields_of_structures_are_those_of_the_answer():
    kinds = answer_columns(ALL)
    assert list(kinds["blocks"][0]) == list(BLOCK_FIELDS)
    assert list(kinds["paragraphs"][0]) == [field.name for field in fields(Paragraph)]
    with_chunks = answer_columns(ALL.replace(chunks=9))
    (chunk,) = Extraction(paragraphs=(Paragraph("a", "code", (), None),)).chunks()
    assert list(with_chunks["chunks"][0]) == list(chunk)
    assert with_chunks.keys() ^ kinds.keys() == {"chunks", "paragraphs"}
    assert list(kinds["metadata"]) == list(METADATA_FIELDS)
    assert list(kinds["metadata"]["breadcrumbs"][0]) == [field.name for field in fields(Breadcrumb)]


def test_a_row_has_a_value_for_each_column():
    row = fill_row(answer_columns(Options(blocks="none")), {"text": "a", "blocks": [], "other": 1})
    assert (row["text"], row["url"], row["low_confidence"]) == ("a", None, False)
    assert list(row) == list(answer_columns(Options(blocks="none")))


def test_the_columns_are_written_as_ddl():
    columns = {"record": "bigint", "trail": [{"name": "string", "n": "int"}]}
    assert write_ddl(columns) == "record BIGINT, trail ARRAY<STRUCT<name: STRING, n: INT>>"


def test_an_answer_is_a_row_of_arrow():
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    columns = {**RECORD_COLUMNS, **answer_columns(ALL)}
    values = Extractor(ALL).extract(article(), "https://example.com/").to_dict()
    table = pyarrow.Table.from_pylist([fill_row(columns, values)], schema=arrow_schema(columns))
    assert fill_row(columns, table.to_pylist()[0]) == fill_row(columns, values)
    assert values["blocks"]
    assert values["paragraphs"]
