"""The file of ``--out`` is checked before the work."""

from __future__ import annotations

import pytest

from scrapy_web2text.cli.main import main


@pytest.mark.parametrize(
    "command",
    [
        ["rule", "labels.jsonl"],
        ["view", "labels.jsonl"],
        ["batch", "labels.jsonl"],
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize(
    ("out", "problem"),
    [
        ("folder", "expected a file, got a folder"),
        ("missing/out", "expected a file in a folder that exists"),
        ("old", "exists; --force overwrites it"),
    ],
)
def test_nothing_is_read_for_a_file_that_cannot_be_written(tmp_path, monkeypatch, capsys, command, out, problem):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "labels.jsonl").write_text("not labels", encoding="utf-8")
    (tmp_path / "old").write_text("mine", encoding="utf-8")
    assert main([*command, "--out", out]) == 1
    err = capsys.readouterr().err
    assert f"--out: {out}" in err
    assert err.endswith(f"{problem}\n")
    assert (tmp_path / "old").read_text(encoding="utf-8") == "mine"
