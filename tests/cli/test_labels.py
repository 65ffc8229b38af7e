from __future__ import annotations

import dataclasses
import os

import pytest
from mockserver import article

from scrapy_web2text.cli.main import main
from scrapy_web2text.labels.files import PageLabels, hash_text, write_labels
from scrapy_web2text.labels.pages import read_blocks


@pytest.fixture
def run(capsys):
    """Run the command in this process; return its status, its output and its messages."""

    def run(*arguments: object):
        status = main(["labels", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def labels(tmp_path):
    """Labels of a page, and their file."""
    (tmp_path / "page.html").write_text(article(), encoding="utf-8")
    blocks = read_blocks((tmp_path / "page.html").read_bytes())
    texts, paths = blocks.texts, blocks.paths
    words = tuple(len(text.split()) for text in texts)
    reading = PageLabels(
        "", "page", ((1, 2),), tuple(map(hash_text, texts)), file="page.html", words=words, paths=paths, reader="A"
    )
    return write(tmp_path / "labels.jsonl", reading), reading


def write(path, *readings):
    write_labels(path, readings)
    return path


def test_labels_that_fit_are_counted_and_so_are_changed_blocks(run, labels):
    path, _ = labels
    assert run("check", path) == (0, "1 of 1 pages fit their labels\n", "")
    page = path.with_name("page.html")
    html = page.read_text(encoding="utf-8").replace("<body>", "<body><p>A new banner</p>")
    page.write_text(html, encoding="utf-8")
    assert "blocks have no label; 0 labeled blocks are no longer there" in run("check", path)[1]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"file": None}, "no file is named"),
        ({"file": "missing.html"}, "No such file"),
        ({"file": "page\0.html"}, "embedded null"),
        ({"file": "pipe"}, "expected a file"),
        ({"file": "../"}, "expected a file"),
        ({"file": "long.html"}, "expected at most 10,000,000 bytes"),
        ({"hashes": ("0", "1"), "content": (), "words": (), "paths": ()}, "another page: none of its blocks"),
    ],
)
def test_labels_that_do_not_fit_are_reported(run, labels, change, problem):
    path, reading = labels
    if hasattr(os, "mkfifo"):
        os.mkfifo(path.with_name("pipe"))
    else:
        path.with_name("pipe").mkdir()
    (path.with_name("long.html")).write_bytes(b" " * 10_000_001)
    write(path, dataclasses.replace(reading, **change))
    status, output, _ = run("check", path)
    assert status == 1
    assert f"{path}: page: " in output
    assert problem in output
    assert "0 of 1 pages" in output


def test_names_of_other_people_give_no_commands_to_the_terminal(run, labels):
    path, reading = labels
    write(path, dataclasses.replace(reading, id="\x1b[2J\ud800\n1 of 1 pages fit", file=None))
    status, output, _ = run("check", path)
    assert (status, "\\x1b[2J\\ud800\\n1 of 1 pages fit: no file" in output) == (1, True)
