"""Jobs of a local Spark, with two Python workers; skipped without Java or the extra ``spark``."""

from __future__ import annotations

import json
import os
import shutil
import sys
from functools import partial
from pathlib import Path

import inline_workers
import pytest
from mockserver import article
from places import ROOT
from warcs import http, record, write_warc

from scrapy_web2text import Options
from scrapy_web2text.batch.schema import RECORD_COLUMNS, answer_columns, fill_row
from scrapy_web2text.cli.main import main
from scrapy_web2text.workers.processes import WorkerProcesses

for name in ("pyspark", "pandas", "pyarrow", "fastwarc"):
    pytest.importorskip(name, reason="needs the extra spark")
if shutil.which("java") is None:
    pytest.skip("needs Java 17 or later", allow_module_level=True)
if sys.platform != "linux":
    pytest.skip("needs /proc", allow_module_level=True)

from killed_workers import kill_workers  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from scrapy_web2text.spark import extract, extract_ranges, extract_warc  # noqa: E402

pytestmark = pytest.mark.slow
N_FILES, N_PAGES = 4, 500
RULES = {"model": "shallow:numwords"}


@pytest.fixture(scope="module")
def session():
    with pytest.MonkeyPatch.context() as patch:
        # The workers find the package and the tests like this process.
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests"), *filter(None, sys.path)]))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
        for setting in ("spark.driver.host", "spark.driver.bindAddress"):
            builder = builder.config(setting, "127.0.0.1")
        session = builder.config("spark.log.level", "OFF").getOrCreate()
        yield session
        session.stop()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """WARC files of pages, with other records between them; the last file is damaged."""
    folder = tmp_path_factory.mktemp("crawl")
    for number in range(N_FILES):
        pages = [
            record(http(article(title=f"Page {n} of {number}").encode()), f"https://example.com/{number}/{n}")
            for n in range(N_PAGES)
        ]
        pages[7] = record(http(b"{}", "application/json"))
        pages[9] = record(http(b"\x1f\x8bnothing", headers="Content-Encoding: gzip\r\n"))
        write_warc(folder / f"{number}.warc.gz", pages)
    cut = folder / f"{N_FILES - 1}.warc.gz"
    cut.write_bytes(cut.read_bytes()[:-50])
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def lines(files, tmp_path_factory):
    """The lines that ``web2text batch`` writes for *files*."""
    out = tmp_path_factory.mktemp("batch") / "feed.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkerProcesses, "run", inline_workers.run)
        main(["batch", *map(str, files), "--out", str(out), "--model", RULES["model"]])
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def to_rows(lines):
    columns = {**RECORD_COLUMNS, **answer_columns(Options(blocks="none"))}
    return without_time([fill_row(columns, line) for line in lines])


def without_time(rows):
    return sorted(({**row, "elapsed": None} for row in rows), key=lambda row: (row["path"], row["record"]))


def collect(frame):
    return [row.asDict(recursive=True) for row in frame.collect()]


def test_the_rows_of_2000_pages_are_the_lines_of_the_command(session, files, lines):
    frame = extract_warc(session, files, **RULES)
    assert frame.rdd.getNumPartitions() == len(files)
    rows = without_time(collect(frame))
    assert rows == to_rows(lines)
    assert len(rows) >= N_FILES * (N_PAGES - 1)
    reasons = {row["reason"] for row in rows}
    assert reasons == {None, "unreadable"}


def test_workers_that_are_killed_lose_and_double_nothing(session, files, lines, tmp_path):
    tracker = session.sparkContext.statusTracker()
    n_failed = attempt = 0
    while not n_failed and attempt < 5:  # all that are killed may have ended their tasks before
        attempt += 1
        session.sparkContext.setJobGroup(f"killed {attempt}", "")
        answers = extract_warc(session, files, **RULES)
        kill = partial(kill_workers, str(tmp_path / str(attempt)))
        assert without_time(collect(answers.mapInArrow(kill, answers.schema))) == to_rows(lines)
        jobs = map(tracker.getJobInfo, tracker.getJobIdsForGroup(f"killed {attempt}"))
        n_failed = sum(tracker.getStageInfo(stage).numFailedTasks for job in jobs for stage in job.stageIds)
    assert n_failed


def test_pages_in_a_column_are_answered_by_the_model_with_nested_parts(session):
    paths = sorted(Path(ROOT, "tests/pages").glob("*.html"))[:8]
    pages = session.createDataFrame(
        [(n, bytearray(path.read_bytes()), f"https://example.com/{n}") for n, path in enumerate(paths)],
        "id int, html binary, url string",
    )
    parts = {"blocks": "content", "paragraphs": True, "markdown": True}
    from scrapy_web2text import extract as extract_page

    rows = collect(extract(pages, keep=["id"], **parts))
    assert sorted(row["id"] for row in rows) == list(range(8))
    for row in rows:
        number = row.pop("id")
        answer = extract_page(paths[number].read_bytes(), f"https://example.com/{number}", **parts).to_dict()
        assert {**row, "elapsed": None} == {**fill_row(answer_columns(Options(**parts)), answer), "elapsed": None}


def test_records_are_read_by_their_places(session, files):
    data = files[0].read_bytes()
    starts = [place for place in range(len(data)) if data.startswith(b"\x1f\x8b\x08\x00", place)]
    places = [(files[0].name, starts[n], starts[n + 1] - starts[n]) for n in (3, 1, 7)]
    index = session.createDataFrame(places, "warc_filename string, warc_record_offset int, warc_record_length int")
    rows = collect(extract_ranges(index, root=f"{files[0].parent}/", **RULES))
    assert {row["title"] for row in rows} == {"Page 3 of 0", "Page 1 of 0", ""}
    assert {row["reason"] for row in rows} == {None, "not_html"}
