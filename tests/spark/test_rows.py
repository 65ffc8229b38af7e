"""The rows that Spark gets, from batches of Arrow: no Java is needed."""

from __future__ import annotations

import gzip
import io

import inline_workers
import pytest
from mockserver import article
from warcs import http, record, write_warc

from scrapy_web2text import ModelError, Options
from scrapy_web2text import extract as extract_page
from scrapy_web2text.batch.schema import RECORD_COLUMNS, answer_columns, fill_row, write_ddl
from scrapy_web2text.workers.processes import WorkerProcesses

pyarrow = pytest.importorskip("pyarrow", reason="needs the extra spark")
pytest.importorskip("fastwarc", reason="needs the extra spark")

from frames import Frame, Session  # noqa: E402

from scrapy_web2text import spark  # noqa: E402
from scrapy_web2text.spark import extract, extract_ranges, extract_warc  # noqa: E402

RULES = {"model": "shallow:numwords"}
COLUMNS = answer_columns(Options(blocks="none", **RULES))
PAGES = [{"html": article(title=f"Page {n}"), "url": f"https://example.com/{n}", "n": n} for n in range(5)]


@pytest.fixture(autouse=True)
def _inline(monkeypatch):
    monkeypatch.setattr(WorkerProcesses, "run", inline_workers.run)


def expected(page: str | bytes, url: str | None, **options):
    chosen = Options(**{"blocks": "none", **RULES, **options})
    answer = extract_page(page, url, **{"blocks": "none", **RULES, **options})
    return fill_row(answer_columns(chosen), answer.to_dict(chosen.block_fields))


def without_time(rows):
    return [{name: value for name, value in row.items() if name != "elapsed"} for row in rows]


def pages_of_warc():
    return [
        record(http(article(title=f"Page {n}").encode(), headers="X-Filler: a\r\n"), f"https://example.com/{n}")
        for n in range(3)
    ]


@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize("convert", [str, str.encode], ids=["text", "bytes"])
def test_a_page_is_a_row_with_its_answer(isolated, convert):
    pages = [{**page, "html": convert(page["html"])} for page in PAGES]
    answers = extract(Frame.of(pages[:3], pages[3:]), isolated=isolated, **RULES)
    assert without_time(answers.rows) == without_time([expected(page["html"], page["url"]) for page in pages])
    assert answers.ddl == write_ddl(COLUMNS)


def test_rows_have_the_parts_that_are_asked_for():
    parts = {"blocks": "content", "block_fields": ("text",), "markdown": True, "paragraphs": True}
    (row,) = extract(Frame.of(PAGES[:1]), **RULES, **parts).rows
    assert without_time([row]) == without_time([expected(PAGES[0]["html"], PAGES[0]["url"], **parts)])
    assert row["blocks"]
    assert row["markdown"]


def test_columns_may_have_other_names_and_pages_no_url():
    pages = Frame.of([{"body": page["html"], "link": page["url"]} for page in PAGES])
    assert [row["url"] for row in extract(pages, "body", "link", **RULES).rows] == [page["url"] for page in PAGES]
    assert {row["url"] for row in extract(pages, "body", None, **RULES).rows} == {None}


def test_a_null_is_a_row_with_its_reason_and_url():
    schema = pyarrow.schema({"html": pyarrow.string(), "url": pyarrow.string()})
    rows = extract(
        Frame.of([{"html": None, "url": "https://example.com/"}, {"html": None}], schema=schema), **RULES
    ).rows
    assert [row["url"] for row in rows] == ["https://example.com/", None]
    assert {row["reason"] for row in rows} == {"unreadable"}
    assert {row["error"] for row in rows} == {"html: expected a string or bytes, got null"}


def test_columns_that_are_kept_come_first():
    pages = [{**PAGES[n % 5], "n": n} for n in range(200)]
    answers = extract(Frame.of(pages), keep=["n", "html"], isolated=False, **RULES)
    assert answers.ddl == f"n int64, html string, {write_ddl(COLUMNS)}"
    assert list(answers.rows[0])[:3] == ["n", "html", "url"]
    assert [(row["n"], row["html"], row["url"]) for row in answers.rows] == [
        (page["n"], page["html"], page["url"]) for page in pages
    ]
    assert {len(batch) for batch in answers.partitions} == {64, 8}


def test_answers_with_a_low_confidence_may_be_left_out():
    pages = Frame.of([PAGES[0], {**PAGES[1], "html": "<html><body><p>x</p></body></html>"}, PAGES[2]])
    sure = extract(pages, keep=["n"], min_confidence=0.5, on_low_confidence="drop", **RULES).rows
    assert [row["n"] for row in sure] == [0, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"html": "body"}, "expected columns body, got html, url, n"),
        ({"keep": ["m", "l"]}, "expected columns l, m, got html, url, n"),
        ({"keep": ["url"]}, "keep: the answer has columns with the names url, too; rename yours"),
        ({"treshold": 0.5}, "unknown option treshold"),
        ({"threshold": 2}, "threshold: expected a number between 0 and 1"),
        ({"model": "no-model"}, "no-model"),
    ],
)
def test_impossible_arguments_are_errors_before_anything_runs(arguments, message):
    with pytest.raises((ValueError, ModelError), match=message):
        extract(Frame.of(PAGES), **arguments)


def test_each_file_is_a_partition_and_each_page_of_it_a_row(tmp_path):
    other = record(http(b"{}", "application/json"))
    broken = b"".join(map(gzip.compress, pages_of_warc()))[:-40]
    files = [write_warc(tmp_path / f"{n}.warc.gz", [other, *pages_of_warc()]) for n in range(2)]
    files.append(tmp_path / "cut.warc.gz")
    files[-1].write_bytes(broken)
    answers = extract_warc(Session(), files, **RULES)
    assert answers.ddl == write_ddl({**RECORD_COLUMNS, **COLUMNS})
    places = [(row["path"], row["record"]) for row in answers.rows]
    assert places[:6] == [(str(path), n) for path in files[:2] for n in (1, 2, 3)]
    row = answers.rows[0]
    assert (row["warc_date"], row["damage"]) == ("2026-11-22T10:00:00Z", None)
    assert without_time([{name: row[name] for name in expected("", "")}]) == without_time(
        [expected(article(title="Page 0").encode(), "https://example.com/0")]
    )
    cut = answers.rows[6:]
    assert {row["path"] for row in cut} == {str(files[-1])}
    assert (cut[-1]["reason"], cut[-1]["error"]) == ("unreadable", "the file ends within a record")


def test_one_file_may_be_named_alone_and_none_is_an_error(tmp_path):
    path = write_warc(tmp_path / "a.warc", pages_of_warc())
    assert len(extract_warc(Session(), str(path), **RULES).rows) == 3
    assert len(extract_warc(Session(), path, isolated=False, **RULES).rows) == 3
    with pytest.raises(ValueError, match="paths: expected one or more WARC files"):
        extract_warc(Session(), [], **RULES)


def test_files_elsewhere_are_opened_by_arrow(tmp_path, monkeypatch):
    path = write_warc(tmp_path / "a.warc.gz", pages_of_warc())
    assert [row["record"] for row in extract_warc(Session(), path.as_uri(), **RULES).rows] == [0, 1, 2]
    from pyarrow import fs

    opened = []

    class Storage:
        @staticmethod
        def from_uri(uri):
            opened.append(uri)
            return fs.LocalFileSystem(), str(path)

    monkeypatch.setattr(fs, "FileSystem", Storage)
    names = ["s3a://bucket/a.warc.gz", "gs://bucket/a.warc.gz"]
    assert [row["path"] for row in extract_warc(Session(), names, **RULES).rows[::3]] == names
    assert opened == ["s3://bucket/a.warc.gz", "gs://bucket/a.warc.gz"]


def test_a_file_that_is_missing_fails_its_task(tmp_path):
    with pytest.raises(FileNotFoundError):
        extract_warc(Session(), tmp_path / "no.warc", **RULES)


def test_a_file_whose_storage_fails_is_not_taken_for_a_damaged_one(tmp_path, monkeypatch):
    path = write_warc(tmp_path / "a.warc.gz", pages_of_warc())
    data = path.read_bytes()

    class Failing(io.BytesIO):
        def read(self, size):
            if self.tell():
                raise OSError("the connection was reset")
            return super().read(300)

    monkeypatch.setattr(spark.Path, "open", lambda *args, **options: Failing(data))
    with pytest.raises(RuntimeError, match=r"a\.warc\.gz: the connection was reset"):
        extract_warc(Session(), path, **RULES)


def test_records_are_found_by_their_places(tmp_path):
    records = [
        *pages_of_warc(),
        record(http(b"{}", "application/json")),
        record(http(b"")),
    ]
    packed = [*map(gzip.compress, records), b"no record"]
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl/a.warc.gz").write_bytes(b"".join(packed))
    index = [
        {
            "warc_filename": "crawl/a.warc.gz",
            "warc_record_offset": sum(map(len, packed[:n])),
            "warc_record_length": len(packed[n]),
            "n": n,
        }
        for n in (2, 0, 1, 3, 4, 5)
    ]
    rows = extract_ranges(Frame.of(index), root=f"{tmp_path}/", keep=["n"], **RULES).rows
    assert [(row["n"], row["title"]) for row in rows[:3]] == [(2, "Page 2"), (0, "Page 0"), (1, "Page 1")]
    assert [row["url"] for row in rows[:3]] == [f"https://example.com/{n}" for n in (2, 0, 1)]
    assert {row["path"] for row in rows} == {"crawl/a.warc.gz"}
    reasons = [(row["reason"], row["error"]) for row in rows[3:]]
    assert reasons[:2] == [("not_html", "application/json"), ("empty_body", None)]
    assert reasons[2][0] == "unreadable"


def test_warc_files_need_fastwarc(monkeypatch):
    monkeypatch.setattr("scrapy_web2text.common.checks.find_spec", lambda name: None)
    for function, first in ((extract_warc, Session()), (extract_ranges, Frame.of([{"a": 1}]))):
        with pytest.raises(ValueError, match=r"scrapy-web2text\[spark\]"):
            function(first, ["a.warc"])
