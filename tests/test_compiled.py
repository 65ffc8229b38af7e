"""Compiled modules, and what works where they do not."""

from __future__ import annotations

import logging
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType, SimpleNamespace

import pytest

from scrapy_web2text.common import compiled


def count(items, start):
    return start + len(items)


def read(text):
    return [text]


FAST = {"count": lambda items, start: 7, "read": lambda text: 7}


@pytest.fixture
def use(monkeypatch, caplog):
    """Return a function that says whether the functions of a module are replaced, if this is found beside it."""
    module = ModuleType("room.kernel")
    monkeypatch.setitem(sys.modules, "room.kernel", module)
    monkeypatch.delenv("WEB2TEXT_NO_NATIVE", raising=False)
    caplog.set_level(logging.WARNING)

    def use(find, spec="found"):
        vars(module).update(count=count, read=read)
        monkeypatch.setattr(compiled, "find_spec", lambda name: spec if name == "room._kernel" else None)
        monkeypatch.setattr(compiled, "import_module", lambda name: find())
        in_python = compiled.use_compiled("room.kernel", count, read)
        assert vars(in_python) == {"count": count, "read": read}
        assert (module.count is count) == (module.read is read)
        return module.count is not count

    return use


def fail() -> None:
    raise ImportError("built for another lxml")


def test_compiled_functions_replace_those_in_python(use, caplog):
    assert use(lambda: SimpleNamespace(**FAST))
    assert not caplog.text


def test_a_variable_asks_for_the_functions_in_python(use, monkeypatch, caplog):
    monkeypatch.setenv("WEB2TEXT_NO_NATIVE", "1")
    assert not use(lambda: SimpleNamespace(**FAST))
    assert not caplog.text


def test_the_functions_in_python_work_where_nothing_is_compiled(use, caplog):
    assert not use(fail, spec=None)
    assert not caplog.text


@pytest.mark.parametrize(
    ("find", "problem"),
    [
        (fail, "built for another lxml"),
        (lambda: SimpleNamespace(count=FAST["count"]), "no attribute 'read'"),
    ],
    ids=["lxml", "function"],
)
def test_none_is_replaced_by_a_module_that_does_not_work_or_is_of_another_version(use, caplog, find, problem):
    assert not use(find)
    assert problem in caplog.text


@pytest.mark.parametrize("content", [b"", b"\x7fELF" + bytes(60), b"not a library"], ids=["empty", "cut", "text"])
def test_a_broken_library_is_one_warning(monkeypatch, caplog, tmp_path, content):
    monkeypatch.delenv("WEB2TEXT_NO_NATIVE", raising=False)
    (tmp_path / "broken").mkdir()
    (tmp_path / f"broken/_kernel{EXTENSION_SUFFIXES[0]}").write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)
    with caplog.at_level(logging.WARNING):
        assert compiled.use_compiled("broken.kernel", count).count is count
    (record,) = caplog.records
    assert record.message.startswith("broken._kernel was not loaded, so extraction takes longer: ")
