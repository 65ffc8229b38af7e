"""The outputs of ``web2text batch`` besides one file of JSON Lines."""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
from pathlib import Path
from typing import get_args

import pytest
from documents import section
from mockserver import SENTENCE, article

from scrapy_web2text.batch import file_formats, schema
from scrapy_web2text.batch import run as batch
from scrapy_web2text.batch.file_formats import name_of_text


@pytest.fixture
def pages(tmp_path):
    (tmp_path / "pages" / "sub").mkdir(parents=True)
    for name in ("a.html", "b.html", "sub/a.html"):
        (tmp_path / "pages" / name).write_text(article(f"{SENTENCE} {name}"), encoding="utf-8")
    (tmp_path / "pages" / "c.html").write_bytes(b"%PDF-1.7")
    return "pages"


def read_table(path):
    return pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet").read_table(path)


def read_lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


PARTS = ("--blocks", "content", "--html", "--markdown", "--paragraphs")


@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_the_rows_of_a_table_are_the_lines_of_a_feed(run, pages, tmp_path, resume):
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    assert run(pages, "--out", "a.parquet", *PARTS, *resume)[0] == 0
    assert run(pages, "--out", "a.jsonl", *PARTS)[0] == 0
    rows, lines = read_table(tmp_path / "a.parquet").to_pylist(), read_lines(tmp_path / "a.jsonl")
    assert len(rows) == 4
    for row, line in zip(rows, lines, strict=True):
        assert {name: row[name] for name in line} == {**line, "elapsed": row["elapsed"]}
    assert (rows[0]["low_confidence"], rows[2]["reason"], rows[2]["record"]) == (False, "not_html", None)
    assert [*tmp_path.glob("*.part")] == [*tmp_path.glob("*.new")] == []


@pytest.mark.parametrize("out", ["a.parquet", "a.jsonl"])
def test_an_interrupted_run_that_cannot_be_resumed_keeps_its_answers(run, pages, tmp_path, monkeypatch, out):
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    extract = batch.answer_inputs

    def interrupt(*args, **named):
        yield from itertools.islice(extract(*args, **named), 5)  # three pages, and the ends of two files
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "answer_inputs", interrupt)
    status, _, err = run(pages, "--out", out)
    assert (status, err.startswith("web2text batch: interrupted after 3 of 4: 3 pages; ")) == (130, True)
    path = tmp_path / out
    assert (read_table(path).num_rows if path.suffix == ".parquet" else len(read_lines(path))) == 3
    assert [*tmp_path.glob("*.part")] == []


def test_a_table_without_rows_has_its_columns(run, pages, tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    run(pages, "--out", "a.parquet", "--min-confidence", "1", "--on-low-confidence", "drop", "--glob", "a.html")
    table = read_table(tmp_path / "a.parquet")
    assert (table.num_rows, table.column_names[0]) == (0, "path")


def test_a_table_is_written_in_groups_of_rows(run, pages, tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    monkeypatch.setattr(schema, "_MOST_BYTES", 100)
    run(pages, "--out", "a.parquet")
    file = parquet.ParquetFile(tmp_path / "a.parquet")
    assert (file.num_row_groups, file.metadata.num_rows) == (4, 4)


def test_what_is_not_text_is_escapes_in_a_table(run, tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    line = json.dumps({"html": article(), "url": "https://x.example/\ud800"})
    (tmp_path / os.fsdecode(b"a\xe9.jsonl")).write_text(f"{line}\n", encoding="utf-8")
    assert run(".", "--glob", "*.jsonl", "--out", "a.parquet")[0] == 0
    (row,) = read_table(tmp_path / "a.parquet").to_pylist()
    assert (row["path"], row["url"]) == ("a\\udce9.jsonl", "https://x.example/\\ud800")
    assert SENTENCE in row["text"]


@pytest.mark.parametrize(("form", "suffix"), [("text", ".txt"), ("markdown", ".md")])
@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_a_folder_has_a_file_for_each_text(run, pages, tmp_path, form, suffix, resume):
    assert run(pages, "--out", "out", "--format", form, *resume)[0] == 0
    files = {
        path.relative_to(tmp_path / "out").as_posix(): path.read_text() for path in (tmp_path / "out").rglob("*.*")
    }
    assert sorted(files) == [f"{name}{suffix}" for name in ("a.html", "b.html", "sub/a.html")]
    assert files[f"b.html{suffix}"].startswith("# The bridge\n\n" if form == "markdown" else "The bridge\n")
    assert files[f"b.html{suffix}"].endswith("b.html\n")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"pages", "out", "out.settings.json", *(["out.manifest"] if resume else [])}


def test_a_folder_that_is_not_empty_is_written_to_only_by_force(run, pages, tmp_path):
    (tmp_path / "out").mkdir()
    command = (pages, "--out", "out", "--format", "text")
    assert run(*command)[0] == 0
    (tmp_path / "out" / "mine").write_text("kept")
    assert run(*command) == (1, [], "web2text batch: --out: out exists; --force overwrites it\n")
    assert run(*command, "--force")[0] == 0
    assert (tmp_path / "out" / "mine").read_text() == "kept"
    status, _, err = run(pages, "--out", pages, "--format", "text", "--force")
    message = "web2text batch: --out: expected a place other than the pages, got 'pages'\n"
    assert (status, err) == (1, message)


def test_markdown_may_begin_with_front_matter(run, pages, tmp_path):
    run(pages, "--out", "out", "--format", "markdown", "--front-matter", "--url-from", "https://example.com/{path}")
    text = (tmp_path / "out" / "a.html.md").read_text()
    assert text.startswith('---\nurl: "https://example.com/a.html"\ntitle: "The bridge"\n')
    assert "\n---\n\n# The bridge\n" in text


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"path": "a.html"}, "a.html.txt"),
        ({"path": "sub/a.html"}, "sub/a.html.txt"),
        ({"path": "in/a.warc.gz", "record": 12}, "in/a.warc.gz/00000012.txt"),
        ({"path": "/etc/a"}, "%2F/etc/a.txt"),
        ({"path": "../../a"}, "%2E%2E/%2E%2E/a.txt"),
        ({"path": "50%/a?b=\u0001"}, "50%25/a%3Fb=%01.txt"),
        ({"path": "a\udce9.html"}, "a%E9.html.txt"),
        ({"path": "end./con/aux.b"}, "end%2E/%63on/%61ux.b.txt"),
        ({"path": "-", "record": 0}, "-/00000000.txt"),
    ],
)
def test_the_name_of_a_text_is_safe_and_its_own(values, name):
    assert name_of_text(values, ".txt") == name


def test_long_names_are_shortened_to_different_ones():
    names = {name_of_text({"path": "ä" * 200 + end}, ".txt") for end in ("a", "b")}
    assert len(names) == 2
    assert all(len(name.encode()) < 150 and name.endswith(".txt") for name in names)


def test_a_run_that_can_be_resumed_is_not_overwritten_by_one_that_cannot(run, pages, tmp_path):
    run(pages, "--out", "a.jsonl", "--resume")
    (tmp_path / "a.jsonl").unlink()
    message = "web2text batch: --out: a.jsonl.manifest belongs to a run with --resume; --force starts anew\n"
    assert run(pages, "--out", "a.jsonl") == (1, [], message)


@pytest.mark.parametrize("is_there", [True, False])
def test_a_file_that_was_whole_when_the_run_was_killed_gets_its_name(run, pages, tmp_path, monkeypatch, is_there):
    command = (pages, "--out", "a.jsonl", "--resume")
    replace = Path.replace

    def die(part, path):
        if is_there or path.suffix == ".manifest":
            replace(part, path)
        if path.suffix != ".manifest":
            raise OSError("killed")

    monkeypatch.setattr(Path, "replace", die)
    assert run(*command)[0] == 1
    monkeypatch.setattr(Path, "replace", replace)
    assert run(*command)[0] == 0
    assert [line["path"] for line in read_lines(tmp_path / "a.jsonl")] == ["a.html", "b.html", "c.html", "sub/a.html"]


def test_a_lost_file_of_a_run_is_an_error(run, pages, tmp_path):
    command = (pages, "--out", "a.jsonl", "--resume")
    run(*command)
    (tmp_path / "a.jsonl").unlink()
    assert run(*command) == (1, [], "web2text batch: --resume: a.jsonl is missing; --force starts anew\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "-", "--format", "parquet"), "--out: expected a file, got '-'"),
        (("--out", "-", "--format", "text"), "--out: expected a folder, got '-'"),
        (("--out", "-", "--resume"), "--out: expected a file, got '-'"),
        (("--out", "pages", "--format", "parquet"), "--out: pages: expected a file, got a folder"),
        (("--out", "x.wet.gz"), "--out: expected a name that ends in .jsonl or .parquet, or --format"),
        (("--out", "s3://x/a.jsonl"), "--out: expected a path on this machine, got s3://x/a.jsonl"),
        (("--out", "x", "--front-matter"), "--front-matter: expected --format markdown, got jsonl"),
    ],
)
def test_what_contradicts_itself_is_status_1(run, pages, arguments, message):
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    status, _, err = run(pages, *arguments)
    assert (status, message in err) == (1, True)


def test_parquet_needs_an_extra(run, pages, monkeypatch):
    monkeypatch.setattr("scrapy_web2text.common.checks.find_spec", lambda name: None)
    status, _, err = run(pages, "--out", "a.parquet")
    assert (status, "a.parquet: needs pip install 'scrapy-web2text[parquet]'" in err) == (1, True)


def test_the_formats_of_the_documentation_are_those_of_the_command():
    rows = re.findall(r"^\|[^|]*\|([^|]*)\|", section("batch.md", "Outputs"), re.MULTILINE)
    assert re.findall("`([a-z]+)`", " ".join(rows)) == list(get_args(file_formats.FormatName))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_device_is_named(run, pages):
    status, _, err = run(pages, "--out", "/dev/full")
    assert (status, err) == (1, "web2text batch: /dev/full: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of the length of files")
def test_a_full_disk_is_an_error_that_names_the_output(run, pages, tmp_path):
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        status, _, err = run(pages, "--out", "feed.jsonl")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (status, err) == (1, "web2text batch: feed.jsonl: File too large\n")
