"""What a worker sends: every answer arrives as it was, and nothing else arrives."""

from __future__ import annotations

import os
import pickle
from typing import Any

import msgspec
import pytest
from mockserver import article
from msgspec.structs import replace

from scrapy_web2text import Block, Extraction, Label, MainContent, PageError, extract
from scrapy_web2text.content.escaping import drop_forbidden
from scrapy_web2text.exceptions import ModelError, WorkerRefused
from scrapy_web2text.extraction import Breadcrumb, Chunk, Metadata, Paragraph, Post, Product
from scrapy_web2text.features.quality import measure_quality
from scrapy_web2text.workers.answers import decode_answer, encode_answer

FULL = Extraction(
    text="Größe \x85 \u2028 🌉",
    confidence=0.1 + 0.2,
    reason="empty",
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
    chunks=(Chunk("a", 0, ("b",), (), ("/html", None), None),),
    posts=(Post("a", None, "b"),),
    quality=measure_quality("One or two words."),
    elapsed=0.1,
)


def write_out(answer: Extraction) -> str:
    """Return all of *answer*, whose own `repr` is short."""
    return repr(msgspec.structs.asdict(answer))


@pytest.mark.parametrize("answer", [Extraction(), FULL], ids=["empty", "full"])
def test_an_extraction_arrives_as_it_was(answer):
    arrived, error, trace = decode_answer(encode_answer(answer))
    assert (error, trace) == (None, "")
    assert arrived == answer
    assert write_out(arrived) == write_out(answer)  # with the classes of all its parts


@pytest.mark.parametrize("answer", [FULL, MainContent.from_extraction(FULL)], ids=["extraction", "content"])
def test_an_answer_can_be_pickled(answer):
    again = pickle.loads(pickle.dumps(answer))
    assert (type(again), write_out(again)) == (type(answer), write_out(answer))


def test_every_form_of_a_page_arrives_as_it_was():
    forms = dict.fromkeys(("html", "markdown", "paragraphs", "metadata", "quality"), True)
    answer = extract(article(), "https://example.org/", chunks=20, **forms)
    assert answer.chunks
    assert answer.blocks
    assert answer.paragraphs
    assert write_out(decode_answer(encode_answer(answer))[0]) == write_out(answer)


@pytest.mark.parametrize("value", [None, 3, "text", ["a", 1.5], {"a": {}}])
def test_plain_data_arrives_as_it_was(value):
    assert decode_answer(encode_answer(value)) == (value, None, "")


@pytest.mark.parametrize("value", [object(), 1j])
def test_other_objects_are_not_sent(value):
    with pytest.raises(TypeError, match="unsupported"):
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
        b"{}x",
        b'{"code": 1}',
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"problem": {"name": "SystemExit", "text": ""}}',
        b'{"extraction": {"text": "", "blocks": [["a"]]}}',
        b'{"extraction": {"__class__": 3}}',
        b'{"extraction": []}',
        b'{"extraction": {"metadata": [1]}}',
        pickle.dumps(Code()),
        pickle.dumps((Extraction(), None)),
    ],
)
def test_anything_else_is_refused(message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WorkerRefused, match="something other than an answer"):
        decode_answer(message)
    assert not (tmp_path / "forged").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"text": None},
        {"method": "magic"},
        {"page_kind": "content\nERROR: forged"},
        {"error": "Error\nforged"},
        {"error": "E" * 101},
        {"encoding_source": "heaven"},
        {"n_content": -1},
        {"quality": {"n_words": 3}},
        {"quality": {**FULL.quality, "n_words": "3"}},
        {"confidence": 2},
        {"reason": ["error"]},
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
    with pytest.raises(WorkerRefused, match="something other than an answer"):
        decode_answer(encode_answer(replace(FULL, **changes)))


@pytest.mark.parametrize(
    "change",
    [
        '"secret": 1',
        '"confidence": NaN',
        '"confidence": "0.5"',
        '"blocks": [{"index": 0, "text": "a", "label": 1, "probability": 0.5, "tag": "p"}]',
        '"blocks": [{"index": 0, "text": "a", "label": 1, "probability": 0.5, "tag": "p", "path": null, "x": 1}]',
        '"metadata": {"author": "a", "writer": "b"}',
        '"text": "\ud800"',
    ],
)
def test_a_forged_field_is_refused(change):
    with pytest.raises(WorkerRefused, match="something other than an answer"):
        decode_answer(f'{{"extraction": {{{change}}}}}'.encode(errors="surrogatepass"))


def test_lone_surrogates_are_dropped():
    sent = encode_answer(replace(FULL, url="http://a.example/\ud800"))
    assert decode_answer(sent)[0] == replace(drop_forbidden(FULL), url="http://a.example/")


@pytest.mark.parametrize("name", ["SystemExit", "os.system", "StopAsyncIteration", "object", "__import__"])
def test_a_forged_error_is_a_runtime_error(name):
    _, error, _ = decode_answer(f'{{"problem": {{"name": "{name}", "text": "touch forged", "trace": ""}}}}'.encode())
    assert repr(error) == f"RuntimeError('{name}: touch forged')"
