"""The page of ``web2text serve`` as static files: what is in its archive, and how it loads Python in a browser."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from zipfile import ZipFile

import pytest
from places import ROOT

from scrapy_web2text import Options, extract
from scrapy_web2text.view.trial import MODELS

sys.path.append(str(ROOT / "docs" / "try"))
from builder import COMPILED, write_site  # noqa: E402

FAQ = (ROOT / "tests" / "pages" / "faq.html").read_text(encoding="utf-8")
# Runs Python as Pyodide has it, with the archive and the compiled packages alone.
ALONE = """
import json, sys, time
from importlib.machinery import PathFinder
folder, elsewhere, compiled, missing, *messages = json.loads(sys.stdin.read())

class Finder:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return PathFinder.find_spec(name, elsewhere, target) if path is None and top in compiled else None

sys.meta_path.insert(0, Finder())
sys.path.insert(0, folder)
del time.thread_time
from answer import answer
print(json.dumps([json.loads(answer(json.dumps(message))) for message in messages]))
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names)))
"""
# What Python's own library lacks in Pyodide 314.
MISSING = "_hashlib _interpreters _multiprocessing _posixshmem _uuid curses dbm grp pwd readline resource syslog".split()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, "pyodide/")
    return folder


@pytest.fixture(scope="module")
def answer(site, tmp_path_factory):
    """Return the answers to messages, and the packages that were loaded for them."""
    folder = tmp_path_factory.mktemp("unpacked")
    ZipFile(site / "web2text.zip").extractall(folder)
    elsewhere = sorted({str(ROOT.joinpath(find_spec(name).origin).parents[1]) for name in COMPILED})

    def answer(*messages):
        given = json.dumps([str(folder), elsewhere, COMPILED, MISSING, *messages])
        command = [sys.executable, "-I", "-S", "-c", ALONE]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
        print(done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return answer


def test_the_archive_and_the_packages_of_pyodide_answer_as_extract(answer):
    messages = [{"input": FAQ, "options": {"model": model, "preset": None}} for model in MODELS]
    answers, packages = answer(*messages)
    for model, found in zip(MODELS, answers, strict=True):
        expected = extract(FAQ.encode(), encoding="utf-8", markdown=True, model=model).to_dict()
        assert {**found["answer"], "elapsed": 0} == json.loads(json.dumps({**expected, "elapsed": 0}))
        assert found["document"].startswith("<!doctype html>")
    assert {*COMPILED} < {*packages}
    assert not {"scrapy", "twisted", "itemadapter"} & {*packages}


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"input": "<p>a", "options": {"threshold": 2}}, "threshold: expected a number"),
        ({"input": "<p>\ud800", "options": {"model": "web2text-2018", "preset": "recall"}}, "preset: "),
    ],
)
def test_wrong_options_are_told(answer, message, error):
    assert answer(message)[0][0]["error"].startswith(error)


def test_two_builds_are_the_same(site, tmp_path):
    write_site(tmp_path / "try", "pyodide/")
    assert {path.name: path.read_bytes() for path in site.iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "try").iterdir()
    }


def test_the_page_loads_code_from_its_own_site_and_pyodide_only(site):
    policy = (site / "index.html").read_text("utf-8").partition('Policy" content="')[2].partition('"')[0]
    kinds = dict(part.split(" ", 1) for part in policy.split("; "))
    assert kinds["default-src"] == "'none'"
    assert kinds["worker-src"] == "'self'"
    assert "unsafe" not in policy
    assert "connect-src" not in kinds
    assert Options().model == next(iter(MODELS))
