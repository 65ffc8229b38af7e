from __future__ import annotations

import argparse
import gzip
import io
import json
import sys
from types import NoneType, SimpleNamespace

import pytest
from mockserver import SENTENCE, article
from warcs import http, record, write_warc

from scrapy_web2text import extract
from scrapy_web2text.batch import page_answers
from scrapy_web2text.cli import batch
from scrapy_web2text.sources import archives, pages


def warc(path, *bodies):
    pytest.importorskip("fastwarc", reason="needs the extra warc")
    pages = (record(http(body.encode()), f"https://example.com/{n}") for n, body in enumerate(bodies))
    return write_warc(path, pages)


def json_lines(path, *pages):
    path.write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")


def test_the_lines_of_a_warc_file_say_where_their_pages_are(run, tmp_path):
    pytest.importorskip("fastwarc", reason="needs the extra warc")
    records = [
        record(b"x", kind="warcinfo"),
        record(http(article(f"{SENTENCE} <a href=more>Übrig</a>").encode("latin-1"), "text/html; charset=latin-1")),
        record(http(b"GIF8", "image/gif")),
        record(http(b"gone", status="404 Not Found")),
        record(http(gzip.compress(article().encode())[:-20], headers="Content-Encoding: gzip\r\n")),
        record(http(gzip.compress(b"")[:5], headers="Content-Encoding: gzip\r\n")),
    ]
    write_warc(tmp_path / "a.warc.gz", records)
    status, lines, err = run("a.warc.gz", "--markdown")
    assert status == 0
    assert [(line["path"], line["record"], line.get("damage")) for line in lines] == [
        ("a.warc.gz", 1, None),
        ("a.warc.gz", 4, "compressed"),
        ("a.warc.gz", 5, "compressed"),
    ]
    assert {(line["warc_record_id"], line["warc_date"]) for line in lines} == {("<urn:uuid:1>", "2026-11-22T10:00:00Z")}
    assert "[Übrig](https://example.com/more)" in lines[0]["markdown"]
    assert (lines[0]["encoding"], lines[0]["encoding_source"]) == ("windows-1252", "argument")
    assert (lines[2]["reason"], lines[2]["error"]) == ("unreadable", "compressed body")
    assert "; not HTML pages: 3 (warcinfo 1, image/gif 1, status 404 1); damaged pages: 2 (compressed 2)\n" in err


def test_the_answer_for_a_record_is_that_for_the_page(run, tmp_path):
    warc(tmp_path / "a.warc", article())
    (line,) = run("a.warc")[1]
    expected = extract(article().encode(), "https://example.com/0", model="shallow:numwords", blocks="none").to_dict()
    assert {name: line[name] for name in expected} == {**expected, "elapsed": line["elapsed"]}


def test_an_archive_that_ends_early_is_status_1_and_its_pages_are_kept(run, tmp_path):
    path = warc(tmp_path / "a.warc", article(), article())
    path.write_bytes(path.read_bytes()[:-300])
    status, lines, err = run("a.warc")
    assert status == 1
    assert [line["reason"] for line in lines] == [None, None, "unreadable"]
    assert lines[2]["error"] == "the file ends within a record"
    assert err.endswith("; archives with parts that cannot be read: 1 (a.warc 1)\n")


@pytest.mark.parametrize("name", ["a.wacz", "a.zip", "A.ZIP", "a.tar", "a.tar.gz", "a.tgz"])
def test_a_file_of_files_has_to_be_unpacked(run, tmp_path, name):
    (tmp_path / name).touch()
    status, lines, err = run(name)
    expected = f"{name}: expected pages, or WARC files and other archives of pages; unpack it first\n"
    assert (status, lines, err.endswith(expected)) == (1, [], True)


def test_an_archive_cannot_have_lines_or_names_without_end(run, tmp_path):
    pytest.importorskip("fastwarc", reason="needs the extra warc")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"1\n") * 1_500)
    assert len(run("a.jsonl.gz")[1]) == 1_000
    write_warc(tmp_path / "b.warc", (record(http(b"x", f"text/{n}{'x' * 1_000}")) for n in range(500)))
    status, _, err = run("a.jsonl.gz", "b.warc", "--force")
    assert (status, "unreadable 500" in err, "other 451" in err, len(err) < 8_000) == (0, True, True, True)
    for number, part in enumerate((gzip.compress(b"WARC/1.0\r\n\r\n"), b"WARC/1.0\r\nx: y\r\n")):
        name = f"c{number}.warc{'.gz' * (number == 0)}"
        (tmp_path / name).write_bytes(part * 6_000)
        status, lines, _ = run(name, "--force")
        assert (status, len(lines)) == (1, 1_000)


def test_lines_of_json_are_pages_and_may_name_their_columns(run, tmp_path):
    page = {"body": article(f"{SENTENCE} <a href=more>More</a>"), "link": "https://example.com/x"}
    json_lines(tmp_path / "a.jsonl", page, {"html": ""}, {"body": article()})
    status, lines, _ = run("a.jsonl", "--html-column", "body", "--url-column", "link", "--markdown")
    assert status == 0
    assert [(line["record"], line.get("url"), line["reason"]) for line in lines] == [
        (0, "https://example.com/x", None),
        (1, None, "unreadable"),
        (2, None, None),
    ]
    assert "(https://example.com/more)" in lines[0]["markdown"]


def test_lines_that_all_lack_the_field_are_a_mistake_in_the_command(run, tmp_path):
    json_lines(tmp_path / "a.jsonl", {"body": article(), "link": "https://example.com/x"}, {"body": article()})
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress((tmp_path / "a.jsonl").read_bytes()))
    for name in ("a.jsonl", "a.jsonl.gz"):
        status, lines, err = run(name)
        expected = f"web2text batch: {name}: expected a column 'html' of text (--html-column), got 'body', 'link'\n"
        assert (status, lines, err) == (1, [], expected)


def test_names_of_fields_cannot_write_on_the_terminal_or_fill_it(run, tmp_path):
    names = ["\x1b[31mred\nline", *(f"field{n}" for n in range(5000))]
    json_lines(tmp_path / "a.jsonl", dict.fromkeys(names, "<p>A page"))
    status, _, err = run("a.jsonl")
    assert (status, err.count("\n"), "\x1b" in err, len(err) < 400) == (1, 1, False, True)
    assert "got '\\x1b[31mred\\nline', 'field0', " in err


@pytest.mark.parametrize(
    "content",
    [b"", b"[]\n3\n", b"{\n", b"\x1f\x8b\x08damaged", b'{"body":"' + b"x" * 10_000_001 + b'"}'],
    ids=["empty", "no objects", "no JSON", "damaged", "long"],
)
def test_a_file_without_a_field_to_name_is_read(run, tmp_path, content):
    (tmp_path / "a.jsonl").write_bytes(content)
    _, lines, err = run("a.jsonl")
    assert ({line["reason"] for line in lines} <= {"unreadable"}, "--html-column" in err) == (True, False)


def test_a_record_without_a_url_has_that_of_its_page_if_asked(run, tmp_path):
    page = article().replace("<head>", "<head><link rel=canonical href=https://example.com/c>", 1)
    json_lines(tmp_path / "a.jsonl", {"html": page}, {"html": page, "url": "https://example.com/own"})
    assert [line.get("url") for line in run("a.jsonl", "--url-from", "canonical")[1]] == [
        "https://example.com/c",
        "https://example.com/own",
    ]


def test_rows_of_parquet_are_pages(run, tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"html": [article()], "url": ["https://example.com/"]}), "a.parquet")
    assert [(line["path"], line["record"], line["url"]) for line in run("a.parquet")[1]] == [
        ("a.parquet", 0, "https://example.com/")
    ]
    status, _, err = run("a.parquet", "--html-column", "body")
    assert (status, err) == (
        1,
        "web2text batch: a.parquet: expected a column 'body' of text (--html-column), got 'html', 'url'\n",
    )
    parquet.write_table(pyarrow.table({"n": [1]}), "n.parquet")
    status, _, err = run("n.parquet")
    assert (status, err) == (
        1,
        "web2text batch: n.parquet: expected a column 'html' of text (--html-column), got none\n",
    )


def test_inputs_come_in_the_order_of_their_names_and_a_list_may_name_more(run, tmp_path):
    (tmp_path / "pages" / "sub").mkdir(parents=True)
    for name in ("pages/b.html", "pages/sub/a.html", "page.php", "p2.html", "p1.html", "x.php"):
        (tmp_path / name).write_text(article(), encoding="utf-8")
    json_lines(tmp_path / "a.jsonl", {"html": article()})
    (tmp_path / "list").write_text("x.php\n\na.jsonl\nx.php\n")
    status, lines, _ = run("page.php", "pages", "p1.html", "p2.html", "--files-from", "list")
    assert status == 0
    assert [line["path"] for line in lines] == [
        *("page.php", "pages/b.html", "pages/sub/a.html", "p1.html", "p2.html", "x.php", "a.jsonl"),
    ]


def test_archives_in_a_folder_are_read_if_a_pattern_asks_for_them(run, tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "b.html").write_text(article(), encoding="utf-8")
    json_lines(tmp_path / "pages" / "a.jsonl", {"html": article()})
    assert [line["path"] for line in run("pages")[1]] == ["b.html"]
    assert [line["path"] for line in run("pages", "--glob", "*", "--force")[1]] == ["a.jsonl", "b.html"]


def give_input(monkeypatch, data: bytes):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(data))))


def test_standard_input_is_an_archive_or_a_list(run, tmp_path, monkeypatch):
    give_input(monkeypatch, gzip.compress(json.dumps({"html": article()}).encode()))
    assert [(line["path"], line["record"]) for line in run("-", "--input-format", "jsonl")[1]] == [("-", 0)]
    (tmp_path / "a.html").write_text(article(), encoding="utf-8")
    give_input(monkeypatch, b"a.html\n")
    assert [line["path"] for line in run("--files-from", "-", "--force")[1]] == ["a.html"]


@pytest.mark.parametrize("columns", [(), ("--html-column", "body")], ids=["default", "named"])
def test_standard_input_without_html_is_refused_as_a_file_is(run, tmp_path, monkeypatch, columns):
    lines = b'{"url": "https://a.example/", "text": "a"}\n' * 3
    name = columns[-1] if columns else "html"
    expected = f"expected a column '{name}' of text (--html-column), got 'url', 'text'\n"
    give_input(monkeypatch, lines)
    status, _, err = run("-", "--input-format", "jsonl", *columns)
    assert (status, err) == (1, f"web2text batch: -: {expected}")
    (tmp_path / "a.jsonl").write_bytes(lines)
    assert run("a.jsonl", *columns)[2] == f"web2text batch: a.jsonl: {expected}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected an INPUT or --files-from"),
        (["-"], "-: expected --input-format warc or jsonl"),
        (["a.html", "--input-format", "jsonl"], "--input-format: expected - as an INPUT"),
        (["-", "--files-from", "-"], "expected one use of standard input, got - as an INPUT and for --files-from"),
        (["x*.html"], "x*.html: expected a folder or a file; a shell expands patterns"),
        (["none.warc"], "none.warc: expected a folder or a file"),
        (["--files-from", "none"], "No such file or directory"),
        (["-", "--input-format", "jsonl", "--resume"], "--resume: expected inputs that can be read again"),
    ],
)
def test_inputs_that_cannot_be_read_are_status_1(run, monkeypatch, arguments, message):
    give_input(monkeypatch, b"")
    status, lines, err = run(*arguments)
    assert (status, lines) == (1, [])
    assert message in err


@pytest.mark.parametrize(("name", "extra"), [("a.warc.gz", "warc"), ("a.parquet", "parquet")])
def test_an_extra_that_is_not_installed_is_named(run, tmp_path, monkeypatch, name, extra):
    (tmp_path / name).write_bytes(b"")
    monkeypatch.setattr("scrapy_web2text.common.checks.find_spec", lambda package: None)
    status, _, err = run(name)
    assert (status, err) == (1, f"web2text batch: {name}: needs pip install 'scrapy-web2text[{extra}]'\n")


def test_an_archive_that_is_gone_when_it_is_read_is_status_1(run, tmp_path, monkeypatch):
    for name in "ab":
        json_lines(tmp_path / f"{name}.jsonl", {"html": article()})
    (tmp_path / "list").write_text("a.jsonl\nb.jsonl\n")
    reading = archives.read_json_lines

    def read_and_remove(*args):
        (tmp_path / "b.jsonl").unlink()
        return reading(*args)

    monkeypatch.setattr(archives, "read_json_lines", read_and_remove)
    status, lines, _ = run("--files-from", "list")
    assert status == 1
    assert [(line["path"], line["reason"]) for line in lines] == [("a.jsonl", None), ("b.jsonl", "unreadable")]


@pytest.mark.parametrize("what", ["decode_payload", "find_url"])
def test_a_bug_costs_one_line(run, tmp_path, monkeypatch, what):
    (tmp_path / "a.html").write_text(article(), encoding="utf-8")
    monkeypatch.setattr(page_answers if what == "decode_payload" else pages, what, lambda *args, **options: 1 / 0)
    (line,) = run("a.html", "--url-from", "canonical")[1]
    assert (line["reason"], line["error"]) == ("error", "ZeroDivisionError('division by zero')")


def test_an_argument_is_written_the_same_in_every_process():
    parser = argparse.ArgumentParser()
    batch.add_arguments(parser)
    given = parser.parse_args(["a", "--out", "b", "--languages", "en,de"])
    plain = (NoneType, bool, int, float, str, list, tuple)
    assert {name: value for name, value in vars(given).items() if not isinstance(value, plain)} == {}
