from __future__ import annotations

import sys

import pytest
from places import ROOT

from fuzz import __main__ as driver
from fuzz.targets import TARGETS

CONTENT = ["sizes", "extract", "markdown", "feeds"]
HISTORY = {"merge-base origin/main HEAD": "1", "rev-parse HEAD": "3"}


def test_without_atheris_fuzzing_is_skipped_with_a_reason(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "atheris", None)
    assert driver.main() == 0
    assert capsys.readouterr().out.startswith("make fuzz: skipped: ")


def test_the_shortest_input_of_each_failure_is_kept(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(driver, "FOUND", tmp_path)

    def run(data: bytes) -> None:
        if b"<b>" in data:
            raise ValueError
        assert b"<i>" not in data

    collector = driver._Collector("extract", run)
    for data in (b"<p>One <b>two</b>", b"<b>", b"<p>Three", b"<u><b>", b"<u><i>four</i></u>"):
        collector.run(data)
    assert sorted(path.read_bytes() for path in tmp_path.iterdir()) == [b"<b>", b"<u><i>four</i></u>"]
    assert "ValueError" in capsys.readouterr().err


def test_a_target_is_for_rooms_of_the_package():
    names = {path.stem for path in (ROOT / "scrapy_web2text").iterdir()}
    assert all({*target.rooms} <= names for target in TARGETS.values())


@pytest.mark.parametrize(
    ("changed", "names", "seconds"),
    [
        ("", [], 20),
        ("docs/index.md\ntests/metadata/test_read.py", [], 20),
        ("README.md\nscrapy_web2text/metadata/read.py", ["metadata"], 20),
        ("scrapy_web2text/options.py", ["limits", "settings"], 20),
        ("scrapy_web2text/content/html.py", CONTENT, 20),
        ("scrapy_web2text/metadata/read.py\nscrapy_web2text/content/html.py", ["metadata", *CONTENT], 16),
        ("tests/fuzz/oracles.py", [*TARGETS], 5),
    ],
)
def test_the_targets_for_changed_rooms_are_run(monkeypatch, changed, names, seconds):
    answers = {**HISTORY, "diff --name-only 1": changed}
    monkeypatch.setattr(driver, "_git", lambda *arguments: answers.get(" ".join(arguments)))
    assert driver.choose_targets("changed", 20) == (names, seconds)


def test_on_the_main_branch_its_last_commit_is_run(monkeypatch):
    answers = {**HISTORY, "merge-base origin/main HEAD": "3", "merge-base HEAD~1 HEAD": "2"}
    answers["diff --name-only 2"] = "scrapy_web2text/crawl/pool.py"
    monkeypatch.setattr(driver, "_git", lambda *arguments: answers.get(" ".join(arguments)))
    assert driver.choose_targets("changed", 20) == (["settings", "urls"], 20)


def test_without_history_all_targets_are_run_for_a_shorter_time(monkeypatch):
    monkeypatch.setattr(driver, "_git", lambda *arguments: None)
    assert driver.choose_targets("changed", 33) == ([*TARGETS], 8)
    assert driver.choose_targets("", 33) == ([*TARGETS], 33)
    assert driver.choose_targets("extract", 33) == (["extract"], 33)


def test_git_answers_or_fails():
    assert driver._git("--version").startswith("git version")
    assert driver._git("no-such-command") is None
