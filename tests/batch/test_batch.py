from __future__ import annotations

import gzip
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import inline_workers
import pytest
from fates import Fate
from mockserver import SENTENCE, article
from warcs import http, record, write_warc

from scrapy_web2text import Extractor, Options, extract
from scrapy_web2text.batch import engine, inputs
from scrapy_web2text.batch import run as batch
from scrapy_web2text.batch.page_answers import PageAnswer, answer_file
from scrapy_web2text.cli.main import main
from scrapy_web2text.reasons import REASONS
from scrapy_web2text.workers import processes

RULES = "shallow:numwords"
OPTIONS = ("--model", RULES, "--jobs", "2")
ANSWER = PageAnswer("{}\n", "rules", None, None, 0.0)
posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture
def folder(tmp_path):
    """A folder of files with various names."""
    folder = tmp_path / "pages"
    (folder / "sub").mkdir(parents=True)
    (folder / "b.html").write_text(article(), encoding="utf-8")
    (folder / "a.htm").write_text(article("Another " + SENTENCE), encoding="utf-8")
    (folder / "c.html.gz").write_bytes(gzip.compress(article("Packed " + SENTENCE).encode()))
    (folder / "sub" / "d.xhtml").write_text(article(), encoding="utf-8")
    (folder / "notes.txt").write_text("not a page", encoding="utf-8")
    (folder / "sub.html").mkdir()
    return folder


@pytest.fixture
def run(tmp_path, capsys):
    """Run the command in this process; return its status, the lines of the feed, and messages."""

    def run(folder: Path, *arguments: str):
        out = tmp_path / "feed.jsonl"
        status = main(["batch", str(folder), "--out", str(out), *OPTIONS, *arguments])
        lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.exists() else []
        captured = capsys.readouterr()
        assert captured.out == ""
        return status, lines, captured.err

    return run


def test_each_file_is_a_line_in_the_order_of_their_paths(run, folder):
    status, lines, err = run(folder)
    assert status == 0
    assert [line["path"] for line in lines] == ["a.htm", "b.html", "c.html.gz", "sub/d.xhtml"]
    assert [line["text"].split("\n")[1].split()[0] for line in lines] == ["Another", "The", "Packed", "The"]
    assert err.startswith("web2text batch: 4 pages; content 4; median confidence 0.")
    assert " ms per page with the " in err


@pytest.fixture
def others(monkeypatch):
    """Let the answer for a.htm come after those of three others; return what counts these."""
    others = threading.Semaphore(0)

    def run(self, function, /, *args, seconds):
        if args[1] == Path("a.htm"):
            assert all(others.acquire(timeout=60) for _ in range(3))
        result = inline_workers.run(self, function, *args, seconds=seconds)
        others.release()
        return result

    monkeypatch.setattr(processes.WorkerProcesses, "run", run)
    return others


@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_answers_may_be_written_in_the_order_in_which_they_are_finished(run, folder, others, resume):
    status, lines, err = run(folder, "--unordered", *resume)
    assert (status, err.startswith("web2text batch: 4 pages; content 4; ")) == (0, True)
    paths = [line["path"] for line in lines]
    assert paths[0] != "a.htm"
    assert sorted(paths) == ["a.htm", "b.html", "c.html.gz", "sub/d.xhtml"]


@pytest.mark.usefixtures("others")
def test_answers_are_in_the_order_of_their_inputs_at_least(run, folder, monkeypatch):
    monkeypatch.setattr(inputs, "MOST_PAGES", 3)
    *first, last = (line["path"] for line in run(folder, "--unordered")[1])
    assert first[0] != "a.htm"
    assert (sorted(first), last) == (["a.htm", "b.html", "c.html.gz"], "sub/d.xhtml")


def test_records_that_are_not_pages_are_counted_out_of_order_too(tmp_path, capsys):
    pytest.importorskip("fastwarc", reason="needs the extra warc")
    records = [record(b"x", kind="request"), record(http(article().encode())), record(b"x", kind="request")]
    write_warc(tmp_path / "a.warc", records)
    out = str(tmp_path / "feed.jsonl")
    assert main(["batch", str(tmp_path / "a.warc"), "--out", out, "--unordered", *OPTIONS]) == 0
    assert "; not HTML pages: 2 (request 2)\n" in capsys.readouterr().err


def test_a_line_holds_the_whole_answer(run, folder):
    _, lines, _ = run(folder, "--blocks", "content", "--glob", "b.html")
    expected = extract(article().encode(), model=RULES, blocks="content").to_dict()
    del expected["url"]
    assert lines == [{"path": "b.html", **expected, "elapsed": lines[0]["elapsed"]}]
    assert lines[0]["blocks"]


def test_a_line_holds_the_forms_that_are_asked_for(run, folder):
    _, (line,), _ = run(folder, "--glob", "b.html", "--html", "--markdown", "--paragraphs", "--title", "include")
    assert line["html"].startswith("<h1>The bridge</h1>")
    assert line["markdown"].startswith("# The bridge\n")
    assert [paragraph["kind"] for paragraph in line["paragraphs"]] == ["heading", *["paragraph"] * 3]


def test_blocks_are_omitted_by_default(run, folder):
    assert [line["blocks"] for line in run(folder)[1]] == [[]] * 4


@pytest.mark.parametrize(
    ("globs", "paths"),
    [
        (["*.html"], ["b.html"]),
        (["**/*.txt"], ["notes.txt"]),
        (["*.htm", "sub/*"], ["a.htm", "sub/d.xhtml"]),
        (["*.html", "b.*"], ["b.html"]),
    ],
)
def test_patterns_select_files(run, folder, globs, paths):
    _, lines, _ = run(folder, *(part for glob in globs for part in ("--glob", glob)))
    assert [line["path"] for line in lines] == paths


@posix
@pytest.mark.parametrize("follows", [False, True])
def test_links_out_of_the_folder_are_skipped_unless_they_are_wanted(run, folder, tmp_path, follows):
    (tmp_path / "pages-too").mkdir()
    (tmp_path / "pages-too" / "secret.html").write_text(article("Secret " + SENTENCE), encoding="utf-8")
    (folder / "e.html").symlink_to(tmp_path / "pages-too" / "secret.html")
    (folder / "linked").symlink_to(tmp_path / "pages-too")
    (folder / "f.html").symlink_to("b.html")
    (folder / "g.html").symlink_to("g.html")
    globs = ("--glob", "*.html", "--glob", "linked/*")
    status, lines, err = run(folder, *globs, *(["--follow-links"] if follows else []))
    assert status == 0
    outside = ["e.html", "linked/secret.html"]
    assert [line["path"] for line in lines] == sorted(["b.html", "f.html", "g.html", *(outside if follows else [])])
    note = f"web2text: skipped links out of {folder}: 2 (--follow-links reads them)\n"
    assert err.startswith("web2text batch: 5 pages" if follows else note)


@posix
def test_a_folder_of_links_alone_is_told_why_no_file_matches(folder, tmp_path, capsys):
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "a.html").symlink_to(folder / "b.html")
    assert main(["batch", str(tmp_path / "links"), "--out", "-", *OPTIONS, "--glob", "*.html"]) == 1
    assert "no file matches *.html; skipped links out of " in capsys.readouterr().err


@posix
def test_a_folder_that_is_a_link_is_read(run, folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    status, lines, err = run(tmp_path / "link")
    assert (status, len(lines)) == (0, 4)
    assert "skipped" not in err


def test_a_bad_file_is_a_line_with_the_reason(run, folder):
    (folder / "0.html").write_bytes(b"%PDF-1.7")
    (folder / "1.html.gz").write_bytes(b"no gzip")
    (folder / "2.html").write_bytes(b"")
    status, lines, err = run(folder)
    assert status == 0
    assert len(lines) == 7
    by_path = {line["path"]: line for line in lines}
    assert (by_path["0.html"]["method"], by_path["0.html"]["fallback_reason"]) == ("none", "not_html")
    assert (by_path["1.html.gz"]["method"], by_path["1.html.gz"]["fallback_reason"]) == ("none", "unreadable")
    assert "gzip" in by_path["1.html.gz"]["error"]
    assert (by_path["2.html"]["method"], by_path["2.html"]["fallback_reason"]) == ("none", "empty_body")
    assert "7 pages; content 4; no answer 3 (not_html 1, unreadable 1, empty_body 1);" in err


def test_suffixes_may_be_in_capitals(run, tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    names = ["A.HTML", "B.Htm", "C.XHTML", "D.HTML.GZ", "E.PDF"]
    for name in names:
        body = article().encode()
        (folder / name).write_bytes(gzip.compress(body) if name.endswith(".GZ") else body)
    assert [line["path"] for line in run(folder)[1]] == names[:-1]


@posix
def test_links_that_lead_nowhere_are_lines_with_the_reason(run, folder):
    (folder / "0.html").symlink_to("gone.html")
    status, lines, err = run(folder)
    assert (status, len(lines)) == (0, 5)
    assert (lines[0]["path"], lines[0]["fallback_reason"], lines[0]["text"]) == ("0.html", "unreadable", "")
    assert "No such file" in lines[0]["error"]
    assert "no answer 1 (unreadable 1);" in err


@posix
def test_a_link_that_leads_nowhere_out_of_the_folder_is_skipped_like_others(run, folder, tmp_path):
    (folder / "0.html").symlink_to(tmp_path / "gone.html")
    _, lines, err = run(folder)
    assert [line["path"] for line in lines] == ["a.htm", "b.html", "c.html.gz", "sub/d.xhtml"]
    assert "skipped links out of " in err


def test_a_folder_that_cannot_be_read_is_reported(run, folder, monkeypatch):
    scan = os.scandir

    def scan_or_fail(path):
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scan_or_fail)
    status, lines, err = run(folder)
    assert (status, [line["path"] for line in lines]) == (0, ["a.htm", "b.html", "c.html.gz"])
    assert "web2text: skipped a folder: [Errno 13] Permission denied: " in err


@posix
def test_pipes_are_not_read(run, folder):
    os.mkfifo(folder / "pipe.html")
    assert len(run(folder)[1]) == 4


def test_empty_answers_are_counted(run, folder):
    for name in ("0.html", "1.html"):
        (folder / name).write_text("<body></body>", encoding="utf-8")
    (folder / "2.html").write_bytes(b"%PDF-1.7")
    _, lines, err = run(folder)
    assert [line["text"] == "" for line in lines] == [True] * 3 + [False] * 4
    assert "; content 4; no content 2 (empty 2); no answer 1 (not_html 1); " in err


def confidences(folder):
    found = {}
    for path in folder.glob("*.htm*"):
        if path.is_file() and path.suffix != ".gz":
            found[path.name] = extract(path.read_bytes(), model=RULES).confidence
    return found


@pytest.fixture
def mixed(folder):
    """The folder, with a page whose answer is less certain; the least confidence of the others; and its own."""
    (folder / "low.html").write_text(f"<body><p>{SENTENCE[:40]}</p><p>{SENTENCE}</p>", encoding="utf-8")
    low = confidences(folder)
    least = low.pop("low.html")
    assert least < min(low.values())
    return folder, str((least + min(low.values())) / 2)


def test_answers_with_a_low_confidence_are_left_out_and_counted(run, mixed):
    folder, least = mixed
    status, lines, err = run(folder, "--min-confidence", least)
    assert (status, [line["path"] for line in lines]) == (0, ["a.htm", "b.html", "c.html.gz", "sub/d.xhtml"])
    assert err.startswith("web2text batch: 5 pages; ")
    assert err.endswith("; left out for low confidence: 1\n")


def test_answers_with_a_low_confidence_can_be_marked(run, mixed):
    folder, least = mixed
    _, lines, err = run(folder, "--min-confidence", least, "--on-low-confidence", "flag")
    assert [line["path"] for line in lines if line.get("low_confidence")] == ["low.html"]
    assert "left out" not in err


def test_a_failed_file_is_not_left_out(run, folder):
    (folder / "0.html").write_bytes(b"%PDF-1.7")
    _, lines, err = run(folder, "--min-confidence", "1")
    assert [line["fallback_reason"] for line in lines] == ["not_html"]
    assert err.endswith("; left out for low confidence: 4\n")


def test_the_url_of_a_file_is_made_from_its_name(run, folder):
    (folder / "sub" / "d.xhtml").write_text(article(f"{SENTENCE} <a href=more>More</a>"), encoding="utf-8")
    _, lines, _ = run(folder, "--url-from", "https://example.com/{path}", "--markdown")
    assert [line["url"] for line in lines] == [
        f"https://example.com/{path}" for path in ("a.htm", "b.html", "c.html", "sub/d.xhtml")
    ]
    assert "[More](https://example.com/sub/more)" in lines[-1]["markdown"]


@posix
def test_a_file_name_need_not_be_valid_text(run, folder):
    (folder / os.fsdecode(b"\xff.html")).write_text(article(), encoding="utf-8")
    assert run(folder, "--glob", "*.html")[1][-1]["path"] == "\udcff.html"


def test_the_feed_can_go_to_standard_output(folder, capsys):
    assert main(["batch", str(folder), "--out", "-", *OPTIONS]) == 0
    captured = capsys.readouterr()
    assert [json.loads(line)["path"] for line in captured.out.splitlines()][:2] == ["a.htm", "b.html"]
    assert captured.err.startswith("web2text batch: 4 pages")


def test_many_more_files_than_workers_come_in_order(run, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    names = [f"{n:03}.html" for n in range(60)]
    for name in names:
        (folder / name).write_text(f"<p>{SENTENCE} This is page {name}.", encoding="utf-8")
    _, lines, _ = run(folder)
    assert [line["path"] for line in lines] == names
    assert all(f"This is page {line['path']}." in line["text"] for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "expected a folder"),
        (["."], "no file matches **/*.html"),
        (["pages", "--glob", "*.pdf"], "no file matches *.pdf"),
        (
            ["pages", "--glob", "/abs"],
            "--glob: expected a pattern of paths under pages, such as '**/*.php', got '/abs'",
        ),
        (["pages", "--glob", "../*"], "got '../*'"),
        (["pages", "--glob", ""], "--glob: expected a pattern of paths under pages, such as '**/*.php', got ''"),
        (["pages", "--model", "none"], "unknown model 'none'"),
        (["pages", "--threshold", "2"], "threshold: expected a number between 0 and 1"),
        (["pages", "--out", "."], "expected a file, got a folder"),
        (
            ["pages", "--out", "nowhere/feed.jsonl"],
            "--out: nowhere/feed.jsonl: expected a file in a folder that exists",
        ),
    ],
    ids=[
        "no-folder",
        "no-page",
        "no-match",
        "absolute",
        "outside",
        "empty",
        "no-model",
        "threshold",
        "out",
        "out-folder",
    ],
)
@pytest.mark.usefixtures("folder")
def test_failures_are_status_1_with_a_message(tmp_path, monkeypatch, capsys, arguments, message):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty" if arguments[0] == "." else tmp_path)
    assert main(["batch", "--out", "feed.jsonl", *OPTIONS, *arguments]) == 1
    err = capsys.readouterr().err
    assert err.startswith("web2text batch: ")
    assert message in err
    assert not Path("feed.jsonl").exists()


@pytest.mark.parametrize("out", ["pages/b.html", "pages/../pages/sub/d.xhtml", "other/b.html"])
@posix
def test_a_page_is_not_overwritten_by_the_feed(folder, tmp_path, monkeypatch, capsys, out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").symlink_to(folder)
    pages = {path: path.read_bytes() for path in folder.glob("**/*") if path.is_file()}
    assert main(["batch", "pages", "--out", out, *OPTIONS]) == 1
    assert capsys.readouterr().err == f"web2text batch: --out: expected another file than the pages, got {out!r}\n"
    assert {path: path.read_bytes() for path in pages} == pages


def test_the_feed_may_be_in_the_folder_of_the_pages(folder):
    assert main(["batch", str(folder), "--out", str(folder / "feed.jsonl"), *OPTIONS]) == 0
    assert len((folder / "feed.jsonl").read_text(encoding="utf-8").splitlines()) == 4


@posix
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_standard_streams_may_be_closed(folder, tmp_path, closed):
    out = tmp_path / "feed.jsonl"
    command = [sys.executable, "-X", "dev", "-m", "scrapy_web2text", "batch", str(folder), "--out", str(out), *OPTIONS]
    done = subprocess.run(f"{shlex.join(command)} {closed}", shell=True, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"web2text batch: 4 pages; ") is ("2>" not in closed)
    assert done.stderr.count(b"\n") == ("2>" not in closed)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["fallback_reason"] for line in lines] == [None] * 4


@pytest.mark.parametrize("arguments", [[], ["pages"]], ids=" ".join)
def test_wrong_arguments_are_status_2(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(["batch", *arguments])
    assert caught.value.code == 2
    assert "usage: web2text batch" in capsys.readouterr().err


@pytest.mark.parametrize("n_jobs", ["0", "-1", "1.5", "many"])
def test_a_wrong_number_of_workers_is_status_2_with_a_message(capsys, n_jobs):
    with pytest.raises(SystemExit) as caught:
        main(["batch", "pages", "--out", "x", f"--jobs={n_jobs}"])
    assert caught.value.code == 2
    assert f"argument --jobs: expected a whole number above 0, got '{n_jobs}'" in capsys.readouterr().err


@pytest.mark.parametrize("memory", ["0", "1e5", "-1", "much"])
def test_too_little_memory_for_workers_is_status_2_with_a_message(capsys, memory):
    with pytest.raises(SystemExit) as caught:
        main(["batch", "pages", "--out", "x", f"--worker-memory={memory}"])
    assert caught.value.code == 2
    assert "argument --worker-memory: expected at least 500,000,000 bytes, or none" in capsys.readouterr().err


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not limit memory")
@pytest.mark.parametrize(("memory", "limit"), [("600000000", 600_000_000), ("none", None)])
def test_workers_have_the_memory_of_the_option(run, folder, monkeypatch, memory, limit):
    import resource  # only on POSIX

    given = []

    class Threads(processes.WorkerThreads):
        def __init__(self, n_workers, memory) -> None:
            super().__init__(n_workers, memory)
            given.append(self.processes.run(resource.getrlimit, resource.RLIMIT_AS, seconds=None)[0])

    monkeypatch.setattr(engine, "WorkerThreads", Threads)
    status, lines, _ = run(folder, "--worker-memory", memory)
    assert (status, len(lines), given) == (0, 4, [limit or resource.getrlimit(resource.RLIMIT_AS)[0]])


def test_help_names_the_files_and_the_status(capsys):
    with pytest.raises(SystemExit):
        main(["batch", "--help"])
    out = capsys.readouterr().out
    assert "--glob PATTERN" in out
    assert "130 if interrupted" in " ".join(out.split())


@pytest.fixture
def fate(tmp_path, monkeypatch) -> Fate:
    return Fate.prepare(tmp_path, monkeypatch)


@pytest.mark.slow
@posix
@pytest.mark.parametrize("n_jobs", ["1", "2"])
@pytest.mark.parametrize(
    "deadly",
    [["0-deadly.html"], ["z-deadly.html"], ["0-deadly.html", "b-deadly.html", "z-deadly.html"]],
    ids=["first", "last", "three"],
)
def test_a_file_that_kills_its_workers_is_a_line_and_no_other_file_is_lost(run, fate, folder, n_jobs, deadly):
    for name in deadly:
        (folder / name).write_text("<p>a-page-that-kills-all")
    for n in range(20):
        (folder / f"f{n:02}.html").write_text(article(), encoding="utf-8")
    status, lines, err = run(folder, "--jobs", n_jobs)
    paths = [line["path"] for line in lines]
    assert status == 0
    assert paths == sorted(paths)
    assert len(set(paths)) == len(paths) == 24 + len(deadly)
    crashed = [line for line in lines if line["fallback_reason"] == "worker_died"]
    assert {line["path"]: line["error"] for line in crashed} == dict.fromkeys(deadly, REASONS["worker_died"])
    assert sum(SENTENCE in line["text"] for line in lines) == 24
    assert f"no answer {len(deadly)} (worker_died {len(deadly)})" in err
    assert f"; lost worker processes: died {2 * len(deadly)}\n" in err
    assert fate.left == []


@posix
def test_a_file_whose_answer_does_not_fit_into_memory_is_a_line_and_no_other_file_is_lost(run, fate, folder):
    (folder / "0.html").write_text(article("a-page-with-too-long-an-answer"), encoding="utf-8")
    status, lines, _ = run(folder)
    assert (status, len(lines)) == (0, 5)
    assert (lines[0]["fallback_reason"], lines[0]["error"]) == ("error", "MemoryError")
    assert sum(SENTENCE in line["text"] for line in lines) == 4
    assert fate.left == []


@posix
def test_a_file_whose_worker_dies_once_is_extracted_by_the_next(run, fate, folder):
    (folder / "0.html").write_text(article(f"{SENTENCE} This is a-page-that-kills-once."), encoding="utf-8")
    status, lines, _ = run(folder)
    assert (status, len(lines)) == (0, 5)
    assert "a-page-that-kills-once" in lines[0]["text"]
    assert len(fate.started) <= 3
    assert fate.left == []


@pytest.mark.slow
@posix
def test_a_file_that_hangs_is_stopped_and_no_other_file_is_lost(run, fate, folder, monkeypatch):
    monkeypatch.setattr(processes, "_GRACE", 1.0)
    (folder / "bb.html").write_text("<p>a-page-that-hangs")
    status, lines, err = run(folder, "--timeout", "0.5")
    assert status == 0
    assert [line["path"] for line in lines] == ["a.htm", "b.html", "bb.html", "c.html.gz", "sub/d.xhtml"]
    assert [line["fallback_reason"] for line in lines] == [None, None, "timeout", None, None]
    assert (lines[2]["method"], lines[2]["text"], lines[2]["elapsed"]) == ("none", "", 3.0)
    assert lines[2]["error"] == "A worker process was killed after 3 s"
    assert "no answer 1 (timeout 1);" in err
    assert fate.left == []


@posix
def test_workers_that_cannot_start_are_status_1_with_a_message(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert main(["batch", str(folder), "--out", str(tmp_path / "feed.jsonl"), *OPTIONS]) == 1
    assert "/nowhere/python" in capsys.readouterr().err


@pytest.fixture
def _interruptible():
    """Let Ctrl-C interrupt, also where the tests run in the background of a shell, which ignores it."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


@pytest.mark.slow
@posix
@pytest.mark.usefixtures("_interruptible")
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_ctrl_c_ends_the_run_with_whole_lines_and_a_summary(tmp_path, monkeypatch, unbuffered):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(1000):
        (folder / f"{n:04}.html").write_text(article(f"{SENTENCE * 100} {n}"), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapy_web2text", "batch", str(folder), "--out", "-", *OPTIONS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    )
    # The command waits, since the pipe is full long before the last page.
    first = process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    rest, err = process.communicate(timeout=60)
    assert process.returncode == 130
    lines = [json.loads(line) for line in (first + rest).splitlines()]
    assert 0 < len(lines) < 1000
    assert [line["path"] for line in lines] == [f"{n:04}.html" for n in range(len(lines))]
    assert err.decode().splitlines()[0].startswith(f"web2text batch: interrupted after {len(lines)} of 1,000: ")
    assert len(err.decode().splitlines()) == 1


SMALL = Options(model=RULES, max_bytes=10_000)


def test_a_worker_gives_the_line_of_a_file(folder):
    line = answer_file(folder, Path("b.html"), SMALL)
    assert (line.method, line.reason) == ("rules", None)
    assert json.loads(line.json)["path"] == "b.html"
    assert line.json.endswith("}\n")
    assert "url" not in json.loads(line.json)


def test_a_worker_gives_the_url_of_a_file(folder):
    line = answer_file(folder, Path("b.html"), SMALL, ["canonical", "https://example.com/{stem}"])
    assert json.loads(line.json)["url"] == "https://example.com/b"


@pytest.mark.parametrize(("name", "reason"), [("none.html", "unreadable"), ("long.html", "max_bytes")])
def test_a_worker_gives_the_reason_why_there_is_no_answer(folder, name, reason):
    (folder / "long.html").write_text(" " * 20_000, encoding="utf-8")
    line = answer_file(folder, Path(name), SMALL)
    assert (line.method, line.reason) == ("none", reason)
    assert json.loads(line.json)["fallback_reason"] == reason


def test_a_bug_is_a_line_too(folder, monkeypatch):
    def extract(self, *args, **kwargs):
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(Extractor, "extract", extract)
    line = json.loads(answer_file(folder, Path("b.html"), SMALL).json)
    assert (line["fallback_reason"], line["error"]) == ("error", "ZeroDivisionError('on purpose')")


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.parametrize("has_masks", [True, False])
def test_ctrl_c_waits_for_the_end_of_a_line(monkeypatch, has_masks):
    if not has_masks:
        monkeypatch.delattr(signal, "pthread_sigmask", raising=False)
    done = []

    def write() -> None:
        with batch.delayed_interrupts():
            signal.raise_signal(signal.SIGINT)
            done.append(1)

    with pytest.raises(KeyboardInterrupt):
        write()
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("_interruptible")
def test_a_block_without_ctrl_c_is_not_changed():
    with batch.delayed_interrupts():
        pass
    with pytest.raises(ZeroDivisionError), batch.delayed_interrupts():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("n_lines", [0, 1])
def test_an_error_leaves_the_older_feed_and_the_lines_so_far(folder, tmp_path, monkeypatch, capsys, n_lines):
    def fail(*args, **kwargs):
        yield from [ANSWER] * n_lines
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(batch, "answer_pages", fail)
    out = tmp_path / "feed.jsonl"
    out.write_bytes(b"old\n")
    assert main(["batch", str(folder), "--out", str(out), "--force", *OPTIONS]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert out.read_bytes() == b"old\n"
    part = tmp_path / f"feed.jsonl.{os.getpid()}.part"
    assert [path.read_bytes() for path in tmp_path.glob("*.part")] == [b"{}\n"] * n_lines
    assert part.exists() is bool(n_lines)


@pytest.mark.slow
@posix
def test_a_run_that_is_killed_leaves_the_older_feed(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(300):
        (folder / f"{n:04}.html").write_text(article(f"{SENTENCE * 1000} {n}"), encoding="utf-8")
    out = tmp_path / "feed.jsonl"
    out.write_bytes(b"old\n")
    command = [sys.executable, "-m", "scrapy_web2text", "batch", str(folder), "--out", str(out), "--force", *OPTIONS]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    part = tmp_path / f"feed.jsonl.{process.pid}.part"
    while process.poll() is None and not (part.exists() and part.stat().st_size > 2_000_000):  # some lines
        time.sleep(0.01)
    assert process.poll() is None
    process.kill()
    process.wait()
    assert out.read_bytes() == b"old\n"
    assert json.loads(part.read_bytes().partition(b"\n")[0])["path"] == "0000.html"


@posix
def test_the_feed_keeps_the_mode_of_the_older_one_and_the_link_to_it(run, folder, tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "feed.jsonl").symlink_to("real")
    assert len(run(folder, "--force")[1]) == 4
    assert (tmp_path / "feed.jsonl").is_symlink()
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["feed.jsonl", "pages", "real"]


@posix
def test_the_feed_may_be_a_device(folder):
    assert main(["batch", str(folder), "--out", os.devnull, *OPTIONS]) == 0
    assert not Path(os.devnull).is_file()


@pytest.mark.usefixtures("_interruptible")
def test_an_ignored_ctrl_c_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with batch.delayed_interrupts():
            signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:  # it would end pytest
        pytest.fail("interrupted")
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_lines_written_before_ctrl_c_are_kept(folder, tmp_path, monkeypatch, capsys):
    def interrupt(*args, **kwargs):
        yield ANSWER
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "answer_pages", interrupt)
    out = tmp_path / "feed.jsonl"
    assert main(["batch", str(folder), "--out", str(out), *OPTIONS]) == 130
    assert out.read_bytes() == b"{}\n"
    assert [*tmp_path.glob("*.part")] == []
    assert capsys.readouterr().err.startswith("web2text batch: interrupted after 1 of 4: 1 page; content 1;")


def test_an_older_feed_is_overwritten_only_by_force(run, folder, tmp_path):
    out = tmp_path / "feed.jsonl"
    out.write_text('{"old": 1}\n')
    status, lines, err = run(folder)
    assert (status, lines) == (1, [{"old": 1}])
    assert err == f"web2text batch: --out: {out} exists; --force overwrites it\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["feed.jsonl", "pages"]
    assert len(run(folder, "--force")[1]) == 4


def test_a_feed_is_compressed_if_its_name_says_so(folder, tmp_path, capsys):
    out = tmp_path / "feed.jsonl.gz"
    assert main(["batch", str(folder), "--out", str(out), *OPTIONS]) == 0
    lines = gzip.decompress(out.read_bytes()).decode().splitlines()
    assert [json.loads(line)["path"] for line in lines] == ["a.htm", "b.html", "c.html.gz", "sub/d.xhtml"]
    assert capsys.readouterr().err.startswith("web2text batch: 4 pages")


@posix
def test_a_compressed_feed_can_go_through_a_pipe(folder, tmp_path):
    pipe = tmp_path / "feed.gz"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        assert main(["batch", str(folder), "--out", str(pipe), *OPTIONS]) == 0
        assert len(gzip.decompress(reader.stdout.read()).splitlines()) == 4


@pytest.mark.parametrize("n_lines", [0, 1])
def test_a_compressed_feed_that_fails_keeps_whole_lines(tmp_path, n_lines):
    def write_and_fail():
        with batch.open_feed(str(tmp_path / "feed.gz")) as file:
            file.write(b"{}\n" * n_lines)
            raise OSError("on purpose")

    with pytest.raises(OSError, match="on purpose"):
        write_and_fail()
    assert [gzip.decompress(path.read_bytes()) for path in tmp_path.iterdir()] == [b"{}\n"] * n_lines


def write_and_interrupt(out):
    with batch.open_feed(str(out)) as file:
        file.write(b"{}\n")
        raise KeyboardInterrupt


def test_a_second_ctrl_c_keeps_the_lines_so_far_too(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        write_and_interrupt(tmp_path / "feed.jsonl")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"feed.jsonl": b"{}\n"}


def test_a_compressed_feed_is_complete_after_a_second_ctrl_c_too(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        write_and_interrupt(tmp_path / "feed.jsonl.gz")
    assert {path.name: gzip.decompress(path.read_bytes()) for path in tmp_path.iterdir()} == {"feed.jsonl.gz": b"{}\n"}


def test_a_model_that_a_worker_cannot_load_is_the_reason(tmp_path):
    (tmp_path / "a.html").write_text(article(), encoding="utf-8")
    line = json.loads(answer_file(tmp_path, Path("a.html"), Options(model=str(tmp_path / "lost"))).json)
    assert (line["method"], line["fallback_reason"], line["text"]) == ("none", "no_model", "")
    assert "lost: this folder does not exist" in line["error"]
