"""Nothing that a command says lets the name of a file, a site, a media type or a tensor command the terminal."""

from __future__ import annotations

import dataclasses
import json

import pytest
from labeled_pages import write_labels
from mockserver import article
from places import ROOT
from random_models import make_tensors, write_model
from warcs import http, record, write_warc

from scrapy_web2text.cli.main import main
from scrapy_web2text.exceptions import ModelError, escape_line
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labels.files import PageLabels, hash_text
from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.view.server import EditorServer

EVIL = "\x1b]0;owned\x07\x9b31m\u202e"
# What writes to standard error itself: lines, progress, and the streams of a worker.
WRITERS = {"exceptions.py", "cli/output.py", "workers/worker.py"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Pages, labels, feeds, an archive and models, with hostile names."""
    folder = tmp_path / f"pages {EVIL}"
    folder.mkdir()
    (folder / f"good {EVIL}.html").write_text(article(), encoding="utf-8")
    (folder / f"bad {EVIL}\n.html").write_bytes(b"%PDF-1.7")
    (folder / f"empty {EVIL}.html").write_bytes(b"")
    (folder / f"zip {EVIL}.html.gz").write_bytes(b"zip")
    texts = tuple(map(hash_text, read_blocks(article().encode()).texts))
    fits = PageLabels("", f"id {EVIL}", ((1, 2),), texts, file=f"good {EVIL}.html", words=(3,) * len(texts))
    lost = dataclasses.replace(fits, id=f"lost {EVIL}", file=f"lost {EVIL}.html", url=f"http://a.example/{EVIL}")
    write_labels(folder / "a.jsonl", [fits, lost])
    write_labels(folder / "b.jsonl", [dataclasses.replace(fits, content=((0, 0),)), lost])
    for name, text in (("one", "A text of the bridge"), ("two", f"Another text {EVIL}")):
        item = {"url": f"http://a.example/{EVIL}", "text": text}
        (folder / f"feed {name}{EVIL}.jsonl").write_text(f"{json.dumps(item)}\n", encoding="utf-8")
    write_warc(folder / f"a{EVIL}.warc", [record(http(b"", f"image/{EVIL[:-1]}")), b"WARC/1.0\r\nbroken"])
    write_model(folder / "model", name=EVIL)
    write_model(folder / "tensors", tensors={EVIL: make_tensors()["unary.0.bias"].astype("float64")})
    write_model(folder / "presets", presets={EVIL: 0.5})
    write_model(folder / "digest", weights={"file": "weights.safetensors", "sha256": EVIL})
    monkeypatch.setattr(EditorServer, "serve_forever", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "extract {page}",
        "extract {bad}",
        "extract {empty}",
        "extract {folder}/missing",
        "extract {page} --include=#{evil}",
        "extract {page} --model={folder}/digest",
        "extract {page} --model={folder}/presets --threshold=recall",
        "batch {folder} --out {out} --jobs 1",
        "batch {warc} --out {out} --jobs 1",
        "batch {folder}/missing.warc --out {out}",
        "view {folder} --out {out}",
        "view {folder}/a.jsonl --out {out}",
        "diff {folder} {feed}",
        "diff {feed} {other}",
        "label {folder} --out {out} --no-browser",
        "rule {folder}/a.jsonl --model bte",
        "evaluate --corpus wcxb --data {folder}",
    ],
)
def test_no_command_prints_what_a_terminal_could_obey(folder, capsys, command):
    names = {name: folder / f"{name} {EVIL}.html" for name in ("good", "empty")}
    places = {
        "page": names["good"],
        "empty": names["empty"],
        "bad": folder / f"bad {EVIL}\n.html",
        "feed": folder / f"feed one{EVIL}.jsonl",
        "other": folder / f"feed two{EVIL}.jsonl",
        "warc": folder / f"a{EVIL}.warc",
        "out": folder.parent / f"out {EVIL}",
        "folder": folder,
        "evil": EVIL,
    }
    main([word.format(**places) for word in command.split(" ")])
    captured = capsys.readouterr()
    said = captured.out + captured.err
    assert said
    assert [line for line in said.split("\n") if not line.isprintable()] == []


def test_only_a_few_modules_write_to_standard_error():
    package = ROOT / "scrapy_web2text"
    writers = [path for path in package.rglob("*.py") if "sys.stderr" in path.read_text(encoding="utf-8")]
    assert {path.relative_to(package).as_posix() for path in writers} == WRITERS


def test_messages_of_errors_are_one_line_that_is_not_too_long(folder):
    for name in ("model", "tensors", "presets", "digest"):
        with pytest.raises(ModelError) as caught:
            get_labeler(str(folder / name))
        assert str(caught.value).isprintable()
    assert escape_line(f"a{EVIL}\n") == r"a\x1b]0;owned\x07\x9b31m\u202e\n"
    assert len(str(ModelError("a" * 5_000))) == len(escape_line("a" * 5_000)) == 2_000
