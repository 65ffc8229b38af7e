from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fates import Fate
from mockserver import SENTENCE, article

from scrapy_web2text import Extractor, Options, extract
from scrapy_web2text.batch import engine
from scrapy_web2text.batch import run as batch
from scrapy_web2text.batch.page_answers import PageAnswer, PageWork, answer_page
from scrapy_web2text.cli.main import main
from scrapy_web2text.reasons import REASONS
from scrapy_web2text.sources.pages import PageSources
from scrapy_web2text.workers import processes

RULES = "shallow:numwords"
OPTIONS = ("--model", RULES, "--jobs", "2")
PATHS = ["a.htm", "b.html", "c.HTML.gz", "sub/d.xhtml"]
posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def paths_of(lines):
    return [line["path"] for line in lines]


@pytest.mark.usefixtures("folder")
def test_each_file_is_a_line_in_the_order_of_their_paths(run_in_processes):
    status, lines, err = run_in_processes("pages")
    assert (status, paths_of(lines)) == (0, PATHS)
    assert [line["text"].split("\n")[1].split()[0] for line in lines] == ["Another", "The", "Packed", "The"]
    assert [line["blocks"] for line in lines] == [[]] * 4
    assert err.startswith("web2text batch: 4 pages; content 4; median confidence .")
    assert re.search(r"\.\d+; [\d.]+ ms per page[^;]*; in \d:\d\d:\d\d; methods: rules 4\n$", err)


@pytest.mark.usefixtures("folder")
def test_a_line_holds_the_whole_answer(run):
    _, lines, _ = run("pages", "--blocks", "content", "--glob", "b.html", "--markdown")
    expected = extract(article().encode(), model=RULES, blocks="content", markdown=True).to_dict()
    del expected["url"]
    assert lines == [{"path": "b.html", **expected, "elapsed": lines[0]["elapsed"]}]
    assert lines[0]["blocks"]


@pytest.mark.parametrize(
    ("globs", "paths"),
    [
        (["*.html"], ["b.html"]),
        (["**/*.txt"], ["notes.txt"]),
        (["*.htm", "sub/*"], ["a.htm", "sub/d.xhtml"]),
        (["*.html", "b.*"], ["b.html"]),
    ],
)
@pytest.mark.usefixtures("folder")
def test_patterns_select_files(run, globs, paths):
    _, lines, _ = run("pages", *(part for glob in globs for part in ("--glob", glob)))
    assert paths_of(lines) == paths


@posix
def test_links_out_of_the_folder_are_skipped(run, folder, tmp_path):
    (tmp_path / "pages-too").mkdir()
    (tmp_path / "pages-too" / "secret.html").write_text(article("Secret " + SENTENCE), encoding="utf-8")
    (folder / "0.html").symlink_to(tmp_path / "gone.html")
    (folder / "e.html").symlink_to(tmp_path / "pages-too" / "secret.html")
    (folder / "linked").symlink_to(tmp_path / "pages-too")
    (folder / "f.html").symlink_to("b.html")
    (folder / "g.html").symlink_to("g.html")
    (tmp_path / "link").symlink_to(folder)
    globs = ("--glob", "*.html", "--glob", "linked/*")
    status, lines, err = run("link", *globs)
    assert (status, paths_of(lines)) == (0, ["b.html", "f.html", "g.html"])
    assert {line["path"] for line in lines if line["reason"] == "unreadable"} <= {"g.html"}
    assert err.startswith("web2text: skipped links out of link: 3\n")


def test_a_folder_that_cannot_be_read_is_reported(run, folder, monkeypatch):
    scan = os.scandir

    def scan_or_fail(path):
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scan_or_fail)
    status, lines, err = run("pages")
    assert (status, paths_of(lines)) == (0, PATHS[:3])
    assert "sub: Permission denied\n" in err


def test_a_bad_file_is_a_line_with_the_reason(run, folder):
    (folder / "0.html").write_bytes(b"%PDF-1.7")
    (folder / "1.html.gz").write_bytes(gzip.compress(b"<p>cut")[:-9])
    (folder / "2.html").write_bytes(b"")
    (folder / "3.html").write_text("<body></body>")
    if os.name == "posix":
        os.mkfifo(folder / "pipe.html")  # which is not read
    status, lines, err = run("pages")
    assert status == 0
    assert [line["reason"] for line in lines] == ["not_html", "unreadable", "empty_body", *[None] * 5]
    assert {line["method"] for line in lines[:3]} == {"none"}
    assert "invalid compressed data" in lines[1]["error"]
    assert [line["text"] == "" for line in lines] == [True] * 4 + [False] * 4
    counts = "8 pages; content 4; no content 1 (empty 1); no answer 3 (not_html 1, unreadable 1, empty_body 1);"
    assert counts in err


@pytest.fixture
def mixed(folder):
    """The folder, with a page whose answer is less certain; a confidence between its own and those of the others."""
    (folder / "low.html").write_text(f"<body><p>{SENTENCE[:40]}</p><p>{SENTENCE}</p>", encoding="utf-8")
    found = {path.name: extract(path.read_bytes(), model=RULES).confidence for path in folder.glob("[abl]*.htm*")}
    low = found.pop("low.html")
    assert low < min(found.values())
    return str((low + min(found.values())) / 2)


def test_answers_with_a_low_confidence_are_left_out_and_counted(run, folder, mixed):
    (folder / "0.html").write_bytes(b"%PDF-1.7")  # a failed file is not left out
    status, lines, err = run("pages", "--min-confidence", mixed, "--on-low-confidence", "drop")
    assert (status, paths_of(lines)) == (0, ["0.html", *PATHS])
    assert err.startswith("web2text batch: 6 pages; ")
    assert err.endswith("; left out by filters: 1 (--min-confidence 1)\n")


def test_answers_with_a_low_confidence_can_be_marked(run, mixed):
    _, lines, err = run("pages", "--min-confidence", mixed, "--on-low-confidence", "flag")
    assert [line["path"] for line in lines if line.get("low_confidence")] == ["low.html"]
    assert "left out" not in err


def test_the_url_of_a_file_is_made_from_its_name(run, folder):
    (folder / "sub" / "d.xhtml").write_text(article(f"{SENTENCE} <a href=more>More</a>"), encoding="utf-8")
    _, lines, _ = run("pages", "--url-from", "https://example.com/{path}", "--markdown")
    assert [line["url"] for line in lines] == [
        f"https://example.com/{path}" for path in ("a.htm", "b.html", "c.HTML", "sub/d.xhtml")
    ]
    assert "[More](https://example.com/sub/more)" in lines[-1]["markdown"]


@posix
def test_a_file_name_need_not_be_valid_text(run, folder):
    (folder / os.fsdecode(b"\xff.html")).write_text(article(), encoding="utf-8")
    assert run("pages", "--glob", "*.html")[1][-1]["path"] == "\udcff.html"


@pytest.mark.usefixtures("folder", "run")
def test_the_feed_can_go_to_standard_output(capsys):
    assert main(["batch", "pages", "--out", "-", *OPTIONS]) == 0
    captured = capsys.readouterr()
    assert paths_of(map(json.loads, captured.out.splitlines())) == PATHS
    assert captured.err.startswith("web2text batch: 4 pages")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "expected a folder"),
        (["empty"], "no file matches **/*.html"),
        pytest.param(["empty", "--glob", "*"], "no file matches *; skipped links out of ", marks=posix),
        (["pages", "--glob", "*.pdf"], "no file matches *.pdf\n"),
        (["pages", "--glob", "d.*"], "no file matches d.*; **/d.* would match\n"),
        (["pages", "--out", "md"], "--out: expected a name that ends in .jsonl or .parquet, or --format, got 'md'"),
        (["pages", "--out", "./parquet"], "or --format, got './parquet'"),
        (["pages", "--glob", "/a"], "--glob: expected a pattern of paths under pages, such as '**/*.php', got '/a'"),
        (["pages", "--glob", "../*"], "got '../*'"),
        (["pages", "--glob", ""], "--glob: expected a pattern of paths under pages, such as '**/*.php', got ''"),
        (["pages", "--model", "nix"], "unknown model 'nix'"),
        (["pages", "--out", "."], "expected a file, got a folder"),
        (["pages", "--out", "no/feed.jsonl"], "--out: no/feed.jsonl: expected a file in a folder that exists"),
    ],
)
def test_failures_are_status_1_with_a_message(run, folder, tmp_path, arguments, message):
    (tmp_path / "empty").mkdir()
    if os.name == "posix":
        (tmp_path / "empty" / "link").symlink_to(folder / "b.html")
    status, lines, err = run(*arguments)
    assert (status, lines, err.startswith("web2text batch: "), message in err) == (1, [], True, True)


@pytest.mark.parametrize("out", ["pages/b.html", "pages/../pages/sub/d.xhtml", "other/b.html"])
@posix
def test_a_page_is_not_overwritten_by_the_feed(run, folder, tmp_path, out):
    (tmp_path / "other").symlink_to(folder)
    pages = {path: path.read_bytes() for path in folder.glob("**/*") if path.is_file()}
    expected = f"web2text batch: --out: expected a place other than the pages, got {out!r}\n"
    assert run("pages", "--out", out) == (1, [], expected)
    assert {path: path.read_bytes() for path in pages} == pages
    assert run("pages", "--out", "pages/feed.jsonl")[0] == 0


@posix
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("closed", ["<&-", "<&- >&- 2>&-"])
def test_standard_streams_may_be_closed(tmp_path, closed):
    command = [sys.executable, "-X", "dev", "-m", "scrapy_web2text", "batch", "pages", "--out", "feed.jsonl", *OPTIONS]
    done = subprocess.run(
        f"{shlex.join(command)} {closed}", shell=True, capture_output=True, timeout=60, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"web2text batch: 4 pages; ") is ("2>" not in closed)
    assert done.stderr.count(b"\n") == ("2>" not in closed)
    lines = [json.loads(line) for line in (tmp_path / "feed.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["reason"] for line in lines] == [None] * 4


MEMORY = "web2text batch: --worker-memory: expected at least 500,000,000 bytes or none"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: --out"),
        *((["--out", "x", f"--jobs={n}"], f"expected a whole number above 0, got '{n}'") for n in ("0", "1.5", "many")),
        *((["--out", "x", f"--worker-memory={n}"], MEMORY) for n in ("0", "1e5", "-1", "much")),
    ],
)
def test_wrong_arguments_are_status_2_with_a_message(capsys, arguments, message):
    with pytest.raises(SystemExit) as caught:
        main(["batch", "pages", *arguments])
    assert (caught.value.code, message in capsys.readouterr().err) == (2, True)


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not limit memory")
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("memory", "limit"), [("600000000", 600_000_000), ("none", None)])
def test_workers_have_the_memory_of_the_option(run_in_processes, monkeypatch, memory, limit):
    import resource  # only on POSIX

    given = []

    class Threads(processes.WorkerThreads):
        def __init__(self, n_workers, memory) -> None:
            super().__init__(n_workers, memory)
            given.append(self.processes.run(resource.getrlimit, resource.RLIMIT_AS, seconds=None)[0])

    monkeypatch.setattr(engine, "WorkerThreads", Threads)
    status, lines, _ = run_in_processes("pages", "--worker-memory", memory)
    assert (status, len(lines), given) == (0, 4, [limit or resource.getrlimit(resource.RLIMIT_AS)[0]])


@pytest.fixture
def fate(tmp_path, monkeypatch) -> Fate:
    return Fate.prepare(tmp_path, monkeypatch)


@posix
@pytest.mark.parametrize(
    ("n_jobs", "deadly"), [("1", ["0-deadly.html"]), ("2", ["b-deadly.html", "z-deadly.html"])], ids=["one", "two"]
)
def test_a_file_that_kills_its_workers_is_a_line_and_no_other_file_is_lost(
    run_in_processes, fate, folder, n_jobs, deadly
):
    for name in deadly:
        (folder / name).write_text("<p>a-page-that-kills-all")
    for n in range(20):
        (folder / f"f{n:02}.html").write_text(article(), encoding="utf-8")
    status, lines, err = run_in_processes("pages", "--jobs", n_jobs)
    paths = paths_of(lines)
    assert status == 0
    assert paths == sorted(paths)
    assert len(set(paths)) == len(paths) == 24 + len(deadly)
    crashed = [line for line in lines if line["reason"] == "worker_died"]
    assert {line["path"]: line["error"] for line in crashed} == dict.fromkeys(deadly, REASONS["worker_died"])
    assert sum(SENTENCE in line["text"] for line in lines) == 24
    assert f"no answer {len(deadly)} (worker_died {len(deadly)})" in err
    assert f"; lost worker processes: died {2 * len(deadly)}\n" in err
    assert fate.left == []


@posix
def test_a_file_whose_worker_dies_once_is_extracted_by_the_next(run_in_processes, fate, folder):
    (folder / "0.html").write_text(article("a-page-with-too-long-an-answer"), encoding="utf-8")
    (folder / "1.html").write_text(article(f"{SENTENCE} This is a-page-that-kills-once."), encoding="utf-8")
    status, lines, _ = run_in_processes("pages")
    assert (status, len(lines)) == (0, 6)
    assert (lines[0]["reason"], lines[0]["error"]) == ("error", "MemoryError")
    assert "a-page-that-kills-once" in lines[1]["text"]
    assert sum(SENTENCE in line["text"] for line in lines) == 5
    assert len(fate.started) <= 3
    assert fate.left == []


@posix
def test_a_file_that_hangs_is_stopped_and_no_other_file_is_lost(run_in_processes, fate, folder, monkeypatch):
    monkeypatch.setattr(processes, "_GRACE", 1.0)
    (folder / "bb.html").write_text("<p>a-page-that-hangs")
    status, lines, err = run_in_processes("pages", "--timeout", "0.5")
    assert (status, paths_of(lines)) == (0, sorted([*PATHS, "bb.html"]))
    assert [line["reason"] for line in lines] == [None, None, "timeout", None, None]
    assert (lines[2]["method"], lines[2]["text"], lines[2]["elapsed"]) == ("none", "", 3.0)
    assert lines[2]["error"] == "A worker process was killed after 3 s"
    assert "no answer 1 (timeout 1);" in err
    assert fate.left == []


@posix
@pytest.mark.usefixtures("folder")
def test_workers_that_cannot_start_are_status_1_with_a_message(run_in_processes, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    status, lines, err = run_in_processes("pages")
    assert (status, lines, "/nowhere/python" in err) == (1, [], True)
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


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
    assert paths_of(lines) == [f"{n:04}.html" for n in range(len(lines))]
    assert err.decode().splitlines()[0].startswith(f"web2text batch: interrupted after {len(lines)} of 1,000: ")
    assert len(err.decode().splitlines()) == 1


SMALL = Options(model=RULES, max_bytes=10_000)


def answer(path: Path, options: Options = SMALL, **work):
    return answer_page({"path": path.name}, path, PageWork(PageSources(options, **work)))


def test_a_worker_gives_the_line_of_a_file(folder):
    line = answer(folder / "b.html", url_sources=["canonical", "https://example.com/{path}"])
    assert (line.method, line.reason, line.place) == ("rules", None, "b.html")
    assert json.loads(line.json)["url"] == "https://example.com/b.html"
    assert line.json.endswith("}\n")


@pytest.mark.parametrize(("name", "reason"), [("none.html", "unreadable"), ("long.html", "max_bytes")])
def test_a_worker_gives_the_reason_why_there_is_no_answer(folder, name, reason):
    (folder / "long.html").write_text(" " * 20_000, encoding="utf-8")
    line = answer(folder / name)
    assert (line.method, line.reason) == ("none", reason)
    assert json.loads(line.json)["reason"] == reason


def test_a_bug_is_a_line_too(folder, monkeypatch):
    def extract(self, *args, **kwargs):
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(Extractor, "extract", extract)
    line = json.loads(answer(folder / "b.html").json)
    assert (line["reason"], line["error"]) == ("error", "ZeroDivisionError('on purpose')")


def test_a_model_that_a_worker_cannot_load_is_the_reason(folder, tmp_path):
    line = json.loads(answer(folder / "b.html", Options(model=str(tmp_path / "lost"))).json)
    assert (line["method"], line["reason"], line["text"]) == ("none", "no_model", "")
    assert "lost: expected a model folder" in line["error"]


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
    with pytest.raises(ZeroDivisionError), batch.delayed_interrupts():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("_interruptible")
def test_an_ignored_ctrl_c_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with batch.delayed_interrupts():
            signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:  # it would end pytest
        pytest.fail("interrupted")
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.parametrize("n_lines", [0, 1])
@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.usefixtures("folder")
def test_an_error_leaves_the_older_feed_and_the_lines_so_far(run, tmp_path, monkeypatch, n_lines, packed):
    def fail(*args, **kwargs):
        yield from [PageAnswer("{}\n", "rules", None, None, 0.0)] * n_lines
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(batch, "answer_inputs", fail)
    out = tmp_path / f"feed{packed}"
    out.write_bytes(b"old\n")
    status, _, err = run("pages", "--out", out.name, "--force")
    assert (status, "No space left on device" in err) == (1, True)
    assert out.read_bytes() == b"old\n"
    unpack = gzip.decompress if packed else bytes
    left = {path.name: unpack(path.read_bytes()) for path in tmp_path.iterdir() if path.is_file() and path != out}
    assert left == ({f"feed{packed}.part": b"{}\n"} if n_lines else {})


@posix
@pytest.mark.usefixtures("folder")
def test_the_feed_keeps_the_mode_of_the_older_one_and_the_link_to_it(run, tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "feed.jsonl").symlink_to("real")
    (tmp_path / "mine").write_text("kept")
    for name in ("feed.jsonl.part", "feed.jsonl.seen", "feed.jsonl.settings.json"):  # links of another user
        (tmp_path / name).symlink_to("mine")
    assert len(run("pages", "--force")[1]) == 4
    assert (tmp_path / "feed.jsonl").is_symlink()
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["feed.jsonl", "feed.jsonl.settings.json", "mine", "pages", "real"]
    assert (tmp_path / "mine").read_text() == "kept"


@pytest.mark.usefixtures("folder")
def test_the_file_beside_the_feed_is_overwritten_only_by_force(run, tmp_path):
    settings = tmp_path / "feed.jsonl.settings.json"
    settings.write_text("mine")
    message = "web2text batch: --out: feed.jsonl.settings.json exists; --force overwrites it\n"
    assert run("pages") == (1, [], message)
    assert settings.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == [settings.name, "pages"]
    assert len(run("pages", "--force")[1]) == 4
    assert settings.read_text() != "mine"


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.usefixtures("folder")
def test_lines_written_before_ctrl_c_are_kept(run, tmp_path, monkeypatch, packed):
    def interrupt(*args, **kwargs):
        yield PageAnswer("{}\n", "rules", None, None, 0.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "answer_inputs", interrupt)
    status, _, err = run("pages", "--out", f"feed{packed}")
    assert status == 130
    data = (tmp_path / f"feed{packed}").read_bytes()
    assert (gzip.decompress(data) if packed else data) == b"{}\n"
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"feed{packed}", f"feed{packed}.settings.json", "pages"]
    assert err.startswith("web2text batch: interrupted after 1 of 4: 1 page; content 1;")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_an_older_feed_is_overwritten_only_by_force(run, tmp_path, resume):
    (tmp_path / "feed.jsonl").write_text('{"old": 1}\n')
    message = "web2text batch: --out: feed.jsonl exists; --force overwrites it\n"
    assert run("pages", *resume) == (1, [{"old": 1}], message)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["feed.jsonl", "pages"]
    assert len(run("pages", *resume, "--force")[1]) == 4


@posix
@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.usefixtures("folder")
def test_a_feed_can_go_through_a_pipe(run, tmp_path, packed):
    pipe = tmp_path / f"pipe{packed}"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        assert run("pages", "--out", pipe.name)[0] == 0
        data = reader.stdout.read()
    assert len((gzip.decompress(data) if packed else data).splitlines()) == 4


@pytest.mark.parametrize("name", ["none.jsonl", "none.warc"])
def test_an_archive_without_pages_says_so(run, tmp_path, name):
    (tmp_path / name).touch()
    assert run(name) == (0, [], "web2text batch: 0 pages: no input has a page\n")
