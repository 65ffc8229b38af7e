"""Compiled modules, and what takes their place."""

from __future__ import annotations

import logging
from importlib.machinery import EXTENSION_SUFFIXES
from types import SimpleNamespace

import pytest

from scrapy_web2text import compiled
from scrapy_web2text.page import python_reader

READER = "scrapy_web2text.page._reader"


def test_a_variable_asks_for_the_twin_in_python(monkeypatch):
    monkeypatch.setenv("WEB2TEXT_NO_NATIVE", "1")
    monkeypatch.setattr(compiled, "find_spec", lambda name: "found")
    assert compiled.load_compiled(READER, python_reader) is python_reader


@pytest.mark.parametrize("spec", [None, "found"], ids=["none", "broken"])
def test_the_twin_in_python_is_used_where_the_compiled_module_does_not_work(monkeypatch, caplog, spec):
    def fail(name: str) -> None:
        raise ImportError("built for another lxml")

    monkeypatch.delenv("WEB2TEXT_NO_NATIVE", raising=False)
    monkeypatch.setattr(compiled, "find_spec", lambda name: spec)
    monkeypatch.setattr(compiled, "import_module", fail)
    with caplog.at_level(logging.WARNING):
        assert compiled.load_compiled(READER, python_reader) is python_reader
    assert ("built for another lxml" in caplog.text) == (spec is not None)


def read_older(roots, stray_texts):
    """Do what a compiled module of an older version might have done."""


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"hash_paths": None}, "it lacks hash_paths"),
        ({"read_nodes": read_older}, "its read_nodes takes other arguments"),
        ({}, None),
    ],
    ids=["function", "arguments", "same"],
)
def test_the_reader_in_python_reads_where_the_compiled_one_is_of_another_version(monkeypatch, caplog, changes, problem):
    older = SimpleNamespace(**{name: getattr(python_reader, name) for name in python_reader.__all__})
    for name, function in changes.items():
        setattr(older, name, function) if function else delattr(older, name)
    monkeypatch.delenv("WEB2TEXT_NO_NATIVE", raising=False)
    monkeypatch.setattr(compiled, "find_spec", lambda name: "found")
    monkeypatch.setattr(compiled, "import_module", lambda name: older)
    with caplog.at_level(logging.WARNING):
        assert compiled.load_compiled(READER, python_reader) is (older if problem is None else python_reader)
    assert (problem in caplog.text) if problem else not caplog.text


@pytest.mark.parametrize("content", [b"", b"\x7fELF" + bytes(60), b"not a library"], ids=["empty", "cut", "text"])
def test_a_broken_library_is_one_warning(monkeypatch, caplog, tmp_path, content):
    monkeypatch.delenv("WEB2TEXT_NO_NATIVE", raising=False)
    (tmp_path / f"broken_reader{EXTENSION_SUFFIXES[0]}").write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)
    with caplog.at_level(logging.WARNING):
        assert compiled.load_compiled("broken_reader", python_reader) is python_reader
    (record,) = caplog.records
    assert record.message.startswith("broken_reader was not loaded, so extraction takes longer: ")
