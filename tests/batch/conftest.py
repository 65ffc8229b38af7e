from __future__ import annotations

import gzip
import json
from pathlib import Path

import inline_workers
import pytest
from mockserver import SENTENCE, article

from scrapy_web2text.cli.main import main
from scrapy_web2text.workers.processes import WorkerProcesses

OPTIONS = ("--model", "shallow:numwords", "--jobs", "2")


@pytest.fixture
def run_in_processes(tmp_path, monkeypatch, capsys):
    """Run the command in the folder of the test; return its status, the lines of feed.jsonl, and messages."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str):
        out = () if "--out" in arguments else ("--out", "feed.jsonl")
        status = main(["batch", *OPTIONS, *arguments, *out])
        feed = Path("feed.jsonl")
        lines = [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()] if feed.exists() else []
        return status, lines, capsys.readouterr().err

    return run


@pytest.fixture
def run(run_in_processes, monkeypatch):
    """Run the command without processes."""
    monkeypatch.setattr(WorkerProcesses, "run", inline_workers.run)
    return run_in_processes


@pytest.fixture
def folder(tmp_path):
    """A folder of files with various names, ``pages``."""
    folder = tmp_path / "pages"
    (folder / "sub").mkdir(parents=True)
    (folder / "b.html").write_text(article(), encoding="utf-8")
    (folder / "a.htm").write_text(article("Another " + SENTENCE), encoding="utf-8")
    (folder / "c.HTML.gz").write_bytes(gzip.compress(article("Packed " + SENTENCE).encode()))
    (folder / "sub" / "d.xhtml").write_text(article(), encoding="utf-8")
    (folder / "notes.txt").write_text("not a page", encoding="utf-8")
    (folder / "sub.html").mkdir()
    return folder
