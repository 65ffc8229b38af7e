"""Compiled modules, and what takes their place."""

from __future__ import annotations

import logging

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
