from __future__ import annotations

from importlib.util import find_spec

import pytest
from mockserver import article
from subprocesses import run_python

from scrapy_web2text import Extraction, Extractor, Options
from scrapy_web2text.batch.schema import (
    RECORD_COLUMNS,
    answer_columns,
    arrow_schema,
    fill_row,
    write_ddl,
)
from scrapy_web2text.extraction import Breadcrumb, Chunk, Metadata, Paragraph
from scrapy_web2text.options import BLOCK_FIELDS

ALL = Options(
    model="shallow:numwords",
    blocks="all",
    block_fields=BLOCK_FIELDS,
    html=True,
    markdown=True,
    paragraphs=True,
    chunks=9,
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
    assert tuple(kinds["paragraphs"][0]) == Paragraph.__struct_fields__
    assert tuple(kinds["chunks"][0]) == Chunk.__struct_fields__
    assert tuple(kinds["metadata"]) == Metadata.__struct_fields__
    assert tuple(kinds["metadata"]["breadcrumbs"][0]) == Breadcrumb.__struct_fields__


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
    values = Extractor(ALL).extract(article(), "https://example.com/").to_dict(BLOCK_FIELDS)
    table = pyarrow.Table.from_pylist([fill_row(columns, values)], schema=arrow_schema(columns))
    assert fill_row(columns, table.to_pylist()[0]) == fill_row(columns, values)
    assert values["blocks"]
    assert values["paragraphs"]


# Adds a field to the record in its source, and to nothing else.
WITH_ANOTHER_FIELD = """
import json, sys
from pathlib import Path
from types import ModuleType

import scrapy_web2text

path = Path(scrapy_web2text.__file__).parent / "extraction.py"
source = path.read_text(encoding="utf-8")
line = "    product: Product | None = None\\n"
assert source.count(line) == 1
module = sys.modules["scrapy_web2text.extraction"] = ModuleType("scrapy_web2text.extraction")
exec(source.replace(line, line + "    mood: tuple[str, ...] = ()\\n"), vars(module))

from scrapy_web2text import Options
from scrapy_web2text.batch.schema import answer_columns, arrow_schema, write_ddl
from scrapy_web2text.crawl.settings import Web2TextSettings
from scrapy_web2text.workers.answers import decode_answer, encode_answer

answer = module.Extraction(text="a", metadata=module.Metadata(mood=("calm",)))
columns = answer_columns(Options(blocks="none", metadata=True))
assert columns["metadata"]["mood"] == ["string"]
assert "mood: ARRAY<STRING>" in write_ddl(columns)
assert answer.to_dict()["metadata"]["mood"] == answer.field("mood") == ["calm"]
assert decode_answer(encode_answer(answer))[0].metadata.mood == ("calm",)
settings = Web2TextSettings.from_settings({"WEB2TEXT_FIELDS": {"mood": "mood"}})
assert settings.options.metadata
if ARROW:
    assert str(arrow_schema(columns).field("metadata").type.field("mood").type) == "list<item: string>"
"""


def test_a_field_of_a_record_is_added_in_one_place():
    has_arrow = find_spec("pyarrow") is not None
    run_python(f"ARROW = {has_arrow}\n{WITH_ANOTHER_FIELD}")
