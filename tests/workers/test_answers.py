"""What a worker sends: every answer arrives as it was, and nothing else arrives."""

from __future__ import annotations

import json
import math
import os
import pickle
from dataclasses import fields, replace
from typing import Any

import pytest
from mockserver import article

from scrapy_web2text import Block, Extraction, Label, PageError, extract
from scrapy_web2text.content.paragraphs import Paragraph
from scrapy_web2text.exceptions import AnswerError, ModelError
from scrapy_web2text.metadata.product import Product
from scrapy_web2text.metadata.read import Breadcrumb, Metadata
from scrapy_web2text.workers.answers import decode_answer, encode_answer

FULL = Extraction(
    text="Größe \ud800 \x85 \u2028 🌉",
    confidence=0.1 + 0.2,
    fallback_reason="empty",
    blocks=(Block(0, "a", Label.CONTENT, 1 / 3, "p", "/html/p"), Block(1, "", Label.BOILERPLATE, None, "b", None)),
    paragraphs=(
        Paragraph("a", "heading", (0, 1), 1e-300, 2, ("b", "c"), ("http://d/",), (0, 1), "/html", "body"),
        Paragraph("b", "code", (), None),
    ),
    metadata=Metadata(
        title="a",
        tags=("b", "c"),
        authors=("d",),
        breadcrumbs=(Breadcrumb("e", "f"), Breadcrumb("g")),
        images=("h", "i"),
        product=Product("j", "1.00"),
    ),
    elapsed=0.1,
)


def write_out(answer: Extraction) -> str:
    """Return all of *answer*, whose own `repr` is short."""
    return repr([getattr(answer, field.name) for field in fields(answer)])


@pytest.mark.parametrize("answer", [Extraction(), FULL], ids=["empty", "full"])
def test_an_extraction_arrives_as_it_was(answer):
    arrived, error, trace = decode_answer(encode_answer(answer))
    assert (error, trace) == (None, "")
    assert arrived == answer
    assert write_out(arrived) == write_out(answer)  # with the classes of all its parts


def test_every_form_of_a_page_arrives_as_it_was():
    forms = {field.name: True for field in fields(Extraction) if field.name in ("html", "markdown", "paragraphs")}
    answer = extract(article(), "https://example.org/", metadata=True, **forms)
    assert answer.blocks
    assert answer.paragraphs
    assert write_out(decode_answer(encode_answer(answer))[0]) == write_out(answer)


@pytest.mark.parametrize("value", [None, 3, "text", ["a", 1.5], {"a": {}}])
def test_plain_data_arrives_as_it_was(value):
    assert decode_answer(encode_answer(value)) == (value, None, "")


@pytest.mark.parametrize("value", [b"bytes", object(), Block(0, "", Label.CONTENT, None, "p", None), {1, 2}])
def test_other_objects_are_not_sent(value):
    with pytest.raises(TypeError, match="expected an extraction or plain data, got"):
        encode_answer(value)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (LookupError("a"), LookupError("a")),
        (ModelError("a"), ModelError("a")),
        (PageError("error", "a"), RuntimeError("PageError: a")),
        (UnicodeDecodeError("utf-8", b"a", 0, 1, "b"), RuntimeError),
        (StopIteration("a"), RuntimeError("StopIteration: a")),
        (pytest.UsageError("a"), RuntimeError("UsageError: a")),
    ],
    ids=lambda error: repr(error)[:12],
)
def test_an_error_arrives_with_its_traceback(error, expected):
    result, arrived, trace = decode_answer(encode_answer(None, error, "trace"))
    assert (result, trace) == (None, "trace")
    assert repr(arrived) == repr(expected) or type(arrived) is expected


class Code:
    """Runs when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch forged",)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"null",
        b"[null, {}]",
        b"[" * 100_000,
        b"\xff\xfe",
        b"[" + b"1" * 5000 + b", null]",
        b'[null, ["SystemExit", ""]]',
        b'[{"extraction": {"text": "", "blocks": [["a"]]}}, null]',
        b'[{"extraction": {"metadata": null, "blocks": [], "paragraphs": [], "__class__": 3}}, null]',
        b'[{"extraction": []}, null]',
        b'[{"extraction": {"metadata": [1], "blocks": [], "paragraphs": []}}, null]',
        pickle.dumps(Code()),
        pickle.dumps((Extraction(), None)),
    ],
)
def test_anything_else_is_refused(message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AnswerError, match="expected an answer, got"):
        decode_answer(message)
    assert not (tmp_path / "forged").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"text": None},
        {"method": "magic"},
        {"page": "content\nERROR: forged"},
        {"error": "Error\nforged"},
        {"error": "E" * 101},
        {"block_fields": ("index", "secret")},
        {"block_fields": None},
        {"confidence": math.nan},
        {"confidence": 2},
        {"fallback_reason": ["error"]},
        {"n_blocks": True},
        {"elapsed": None},
        {"html": {"a": 1}},
        {"blocks": (Block(0, 7, Label.CONTENT, None, "p", None),)},
        {"blocks": (Block(0, "a", Label.CONTENT, "high", "p", None),)},
        {"blocks": (Block(0, "a", Label.CONTENT, 0.5, "p", ["/p"]),)},
        {"blocks": (Block(0, "a", 7, 0.5, "p", None),)},
        {"paragraphs": (Paragraph(None, "code", (), None),)},
        {"metadata": Metadata(author=5)},
    ],
    ids=str,
)
def test_a_field_of_another_type_is_refused(changes):
    with pytest.raises(AnswerError, match="expected an answer, got"):
        decode_answer(encode_answer(replace(FULL, **changes)))


@pytest.mark.parametrize(
    ("column", "values"),
    [(0, [0]), (0, [0, 1, 2]), (3, "AAAA"), (3, "AAAAAAAA8D8="), (3, "not base64"), (1, "AAAAAAAA8D8AAAAAAADwPw==")],
    ids=["shorter", "longer", "no-float", "one-float", "no-bytes", "floats-for-texts"],
)
def test_columns_that_do_not_fit_are_refused(column, values):
    blocks = tuple(Block(i, "text", Label.CONTENT, 0.5, "p", None) for i in range(2))
    message = json.loads(encode_answer(Extraction(blocks=blocks)))
    message[0]["extraction"]["blocks"][column] = values
    with pytest.raises(AnswerError, match="expected an answer, got"):
        decode_answer(json.dumps(message).encode())


@pytest.mark.parametrize("name", ["SystemExit", "os.system", "StopAsyncIteration", "object", "__import__"])
def test_a_forged_error_is_a_runtime_error(name):
    _, error, _ = decode_answer(f'[null, ["{name}", "touch forged", ""]]'.encode())
    assert repr(error) == f"RuntimeError('{name}: touch forged')"
