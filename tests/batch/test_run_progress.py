from __future__ import annotations

import gzip
import io
import itertools
import re
import zipfile
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from mockserver import article
from warcs import http, record, write_warc

from scrapy_web2text.batch import tally as tallies
from scrapy_web2text.batch.page_answers import PageAnswer
from scrapy_web2text.batch.tally import Tally, show_run, write_time
from scrapy_web2text.sources.archives import Archive, read_archive, split_wacz
from scrapy_web2text.sources.inputs import Pages
from scrapy_web2text.sources.records import Meter
from scrapy_web2text.sources.tables import Columns


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        return re.split(r"\r\x1b\[K", self.getvalue())[1:]


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Let each look at the clock take a second."""
    ticks = itertools.count()
    monkeypatch.setattr(tallies.time, "monotonic", lambda: float(next(ticks)))
    monkeypatch.setenv("COLUMNS", "200")


def take(sources, n_pages=3, n_bytes=100_000, meter=None):
    """Return what is shown for pages that are read together with some bytes."""
    tally, terminal, meter = Tally(None), Terminal(), meter or Meter()
    stream = meter.stream = io.BytesIO()
    with redirect_stderr(terminal):
        for _ in show_run(range(n_pages), sources, tally, meter):
            tally.add(PageAnswer("{}\n", "model", None, 0.9, 0.001, page_kind="content"))
            stream.write(bytes(n_bytes))
    return terminal.lines


def test_pages_of_folders_are_counted_and_the_time_that_is_left_is_estimated_by_them():
    lines = take([Pages(Path(), [Path("a")] * 30)])
    assert lines[0] == "1 of 30 pages; 0.2 pages/s; 1:56 left; content 1"
    assert lines[-1].startswith("3 of 30 pages; ")
    assert lines[-1].endswith(" left; content 3\n")


def test_the_time_for_archives_is_estimated_by_their_bytes(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"x" * 1_500_000)
    lines = take([Archive("a.jsonl", "jsonl", tmp_path / "a.jsonl")])
    assert lines[0] == "1 page, 6.7%; 0.2 pages/s; 0:56 left; content 1"


def test_folders_beside_archives_are_measured_too(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"x" * 900)
    (tmp_path / "b.html").write_bytes(b"x" * 90)
    sources = [Archive("a", "jsonl", tmp_path / "a.jsonl"), Pages(tmp_path, [Path("b.html"), Path("lost")])]
    assert take(sources, n_bytes=10)[0].startswith("1 page, 1.0%; ")
    assert take(sources[::-1], n_bytes=10, meter=Meter(1))[0].startswith("1 page, 10.1%; ")


def test_what_comes_from_standard_input_has_no_end():
    assert take([Archive("-", "jsonl", None)])[0] == "1 page; 0.2 pages/s; content 1"


def test_the_line_is_as_long_as_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "11")
    assert take([Archive("-", "jsonl", None)])[0] == "1 page; 0."


def test_nothing_is_shown_without_a_terminal(capsys):
    assert [*show_run("ab", [], Tally(None), Meter())] == ["a", "b"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00"), (59.6, "1:00"), (3599, "59:59"), (36_000, "10:00:00")])
def test_times_are_minutes_and_seconds(seconds, text):
    assert write_time(seconds) == text


def test_a_resumed_run_begins_with_the_bytes_of_finished_inputs(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"x" * 1_500_000)
    inputs = [Archive("a.jsonl", "jsonl", tmp_path / "a.jsonl")] * 2
    terminal = Terminal()
    with redirect_stderr(terminal):
        assert [*show_run(range(1), inputs, Tally(None), Meter(1))] == [0]
    assert "0 pages, 50.0%" in terminal.lines[0]


def follow(archive):
    """Return the places in the file of an archive at each of its pages."""
    meter = Meter()
    places = [meter.stream and meter.stream.tell() for _ in read_archive(archive, Columns(), None, meter)]
    assert meter.stream is None
    return places


@pytest.mark.parametrize(("pack", "places"), [(bytes, [17, 34, 51]), (gzip.compress, [40] * 3)])
def test_a_meter_follows_a_file(tmp_path, pack, places):
    (tmp_path / "a.jsonl").write_bytes(pack(b'{"html": "<p>x"}\n' * 3))
    archive = Archive("a", "jsonl", tmp_path / "a.jsonl")
    assert follow(archive) == places
    assert archive.n_bytes == places[-1]


def test_a_meter_follows_the_groups_of_rows_of_a_table(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    from pyarrow import table

    parquet.write_table(table({"html": ["x" * 1000] * 100_000}), tmp_path / "a.parquet", row_group_size=40_000)
    places = follow(Archive("a", "parquet", tmp_path / "a.parquet"))
    assert places[0] == places[39_999] < places[40_000] == places[79_999] < places[80_000]


def test_a_member_of_a_wacz_file_counts_as_a_whole(tmp_path):
    pytest.importorskip("fastwarc", reason="needs the extra warc")
    write_warc(tmp_path / "a.warc", [record(http(article().encode()))])
    with zipfile.ZipFile(tmp_path / "a.wacz", "w", zipfile.ZIP_DEFLATED) as file:
        file.write(tmp_path / "a.warc", "archive/a.warc")
    (archive,) = split_wacz("a", tmp_path / "a.wacz")
    assert follow(archive) == [None]
    assert 0 < archive.n_bytes < (tmp_path / "a.warc").stat().st_size


def test_what_is_counted_can_be_continued():
    tally = Tally(None)
    tally.add(PageAnswer("{}\n", "rules", "timeout", None, 1.0, page_kind="index"))
    tally.counts["duplicates"]["near"] += 1
    tally.seconds = 4.0
    other = Tally(None)
    other.restore(tally.to_dict())
    assert str(other) == str(tally)
    assert str(tally).endswith("in 0:04, 0.2 pages/s; methods: rules 1; kinds: index 1; duplicates: 1 (near 1)")
    assert other.to_dict() == tally.to_dict()
