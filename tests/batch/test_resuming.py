from __future__ import annotations

import errno
import gzip
import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from mockserver import SENTENCE, article
from places import ROOT
from warcs import http, record, write_warc

from scrapy_web2text.batch import file_formats, output
from scrapy_web2text.batch import run as batch
from scrapy_web2text.batch.file_formats import Output
from scrapy_web2text.sources.records import load_zstd

OPTIONS = ("--model", "shallow:numwords", "--jobs", "2")
posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def write_inputs(folder: Path, n_pages: int) -> list[str]:
    """Write a folder, JSON Lines and two WARC files, with *n_pages* of each kind, and return their names."""
    (folder / "pages").mkdir()
    texts = [f"<p>{SENTENCE} Page {n}." for n in range(n_pages)]
    for n, text in enumerate(texts):
        (folder / "pages" / f"{n:03}.html").write_text(text, encoding="utf-8")
    lines = [json.dumps({"html": text, "url": f"https://example.com/{n}"}) for n, text in enumerate(texts)]
    (folder / "b.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    if find_spec("fastwarc") is None:
        return ["pages", "b.jsonl.gz"]
    for name, some in (("c.warc.gz", texts[: n_pages // 2]), ("d.warc", texts[n_pages // 2 :])):
        records = [part for text in some for part in (record(b"x", kind="request"), record(http(text.encode())))]
        write_warc(folder / name, records)
    return ["pages", "b.jsonl.gz", "c.warc.gz", "d.warc"]


def read_feed(path: Path):
    """Return the lines of a feed, without their times."""
    data = path.read_bytes()
    lines = [json.loads(line) for line in (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()]
    return [{**line, "elapsed": 0} for line in lines]


def read_output(path: Path):
    """Return the answers of an output of any kind, sorted, without what differs between two runs."""
    if path.is_dir():
        return sorted((str(text.relative_to(path)), text.read_text()) for text in path.rglob("*.txt"))
    if path.suffix == ".parquet":
        from pyarrow.parquet import read_table

        found = read_table(path).to_pylist()
    elif path.suffix == ".zst":
        with load_zstd().ZstdFile(path) as file:
            found = [json.loads(line) for line in file.read().splitlines()]
    else:
        found = read_feed(path)
    lines = [{**line, "elapsed": 0} for line in found]
    return sorted(lines, key=lambda line: (line["path"], line.get("record") or 0))


NOTHING = output.RunDescription("", "")


def read_manifest(path: Path):
    return json.loads(path.with_name(f"{path.name}.manifest").read_bytes())


# The ending of the output, and options.
KINDS = {
    "jsonl": (".jsonl.gz",),
    "parquet": (".parquet",),
    "texts": ("-texts", "--format", "text"),
    "duplicates": (".jsonl.zst", "--duplicates", "mark", "--similarity", "0.9"),
}
PACKAGES = {"parquet": ["pyarrow"], "duplicates": ["rensa", "backports.zstd"]}


@posix
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_runs_that_are_killed_at_30_moments_lose_and_double_nothing(tmp_path, kind, is_large):
    for package in PACKAGES.get(kind, ()):
        pytest.importorskip(package, reason="needs an extra")
    n_pages = 30 if is_large else 8
    inputs = write_inputs(tmp_path, n_pages)
    ending = KINDS[kind][0]
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "killed_runs.py", ending, *inputs, *OPTIONS, *KINDS[kind][1:]],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), *sys.path]),
            "OPENBLAS_NUM_THREADS": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "30"), done.stderr
    whole = read_output(tmp_path / f"whole{ending}")
    assert len(whole) == n_pages * min(len(inputs), 3)
    counted = read_manifest(tmp_path / f"whole{ending}")["counts"]
    killed = sorted(path.name.removesuffix(".manifest") for path in tmp_path.glob("killed*.manifest"))
    assert killed
    for name in killed:
        assert read_output(tmp_path / name) == whole
        found = read_manifest(tmp_path / name)["counts"]
        assert found["counts"]["other"] == counted["counts"]["other"]
        assert found["counts"]["duplicates"] == counted["counts"]["duplicates"]
        assert found["summary"]["n_pages"] == len(whole)
    assert [*tmp_path.glob("*.part")] == [*tmp_path.glob("*.seen")] == [*tmp_path.glob("*.new")] == []


@pytest.fixture
def resume(run, monkeypatch):
    """Run the command with `--resume` without processes; return its status and messages."""
    monkeypatch.setattr(output, "_SECONDS_BETWEEN", 0)

    def resume(*arguments: str, out: str = "feed.jsonl"):
        status, _, err = run(*arguments, "--out", out, "--resume")
        return status, err

    return resume


def interrupt_after(monkeypatch, n_outcomes: int, error: type[BaseException] = KeyboardInterrupt):
    """Let the next run be interrupted. Each answer and the end of each input count."""
    answer = batch.answer_inputs

    def outcomes(*args, **options):
        monkeypatch.setattr(batch, "answer_inputs", answer)
        for number, outcome in enumerate(answer(*args, **options)):
            if number == n_outcomes:
                raise error
            yield outcome

    monkeypatch.setattr(batch, "answer_inputs", outcomes)


def paths_of(path: Path) -> list[str]:
    return [line["path"] for line in read_feed(path)]


@pytest.mark.parametrize("n_outcomes", [0, 1, 2, 5, 6, 19, 20, 21, 30, 31])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interrupted_run_goes_on(resume, tmp_path, monkeypatch, n_outcomes, error):
    inputs = write_inputs(tmp_path, 10)[:2]
    assert resume(*inputs, out="whole.jsonl")[0] == 0
    interrupt_after(monkeypatch, n_outcomes, error)
    status, err = resume(*inputs)
    if n_outcomes < 31:
        is_interrupted = error is KeyboardInterrupt
        assert status == (130 if is_interrupted else 1)
        ends = [*range(1, 20, 2), 30]  # of the pages of the folder, and of the archive
        n_inputs = sum(end < n_outcomes for end in ends)
        assert read_manifest(tmp_path / "feed.jsonl")["n_inputs"] == n_inputs
        n_pages = n_outcomes - n_inputs
        assert not is_interrupted or err.startswith(f"web2text batch: interrupted after {n_pages}: {n_pages} page")
        assert not (tmp_path / "feed.jsonl").exists()
        status, err = resume(*inputs)
    assert (status, err.split(";")[0]) == (0, "web2text batch: 20 pages")
    assert read_output(tmp_path / "feed.jsonl") == read_output(tmp_path / "whole.jsonl")
    assert read_feed(tmp_path / "feed.jsonl") == read_feed(tmp_path / "whole.jsonl")


def test_a_run_ends_after_the_first_pages_also_if_it_is_resumed(resume, tmp_path, monkeypatch):
    inputs = [*write_inputs(tmp_path, 10)[:2], "--limit", "13"]
    assert resume(*inputs, out="whole.jsonl")[1].startswith("web2text batch: 13 pages; ")
    interrupt_after(monkeypatch, 6)
    assert resume(*inputs)[0] == 130
    assert resume(*inputs)[1].startswith("web2text batch: 13 pages; ")
    assert read_feed(tmp_path / "feed.jsonl") == read_feed(tmp_path / "whole.jsonl")
    assert [Path(path).name for path in paths_of(tmp_path / "feed.jsonl")] == [
        *(f"{number:03}.html" for number in range(10)), *["b.jsonl.gz"] * 3
    ]  # fmt: skip
    assert resume(*inputs[:2], "--limit", "14")[1].endswith("with other options; --force starts anew\n")


@posix
@pytest.mark.slow
def test_a_run_with_worker_processes_goes_on_after_kill_9(run, tmp_path):
    line = json.dumps({"html": article(SENTENCE * 300)}) + "\n"
    names = [f"{n:03}.jsonl" for n in range(100)]
    for name in names:
        (tmp_path / name).write_text(line * 3, encoding="utf-8")
    command = [*names, "--out", "feed.jsonl", "--resume"]
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapy_web2text", "batch", *command, *OPTIONS], stderr=subprocess.DEVNULL
    )
    out = tmp_path / "feed.jsonl"
    while process.poll() is None and not (Path("feed.jsonl.manifest").exists() and read_manifest(out)["n_inputs"]):
        time.sleep(0.01)
    assert process.poll() is None
    process.kill()
    process.wait()
    assert 0 < read_manifest(out)["n_inputs"] < 100
    status, lines, err = run(*command)
    assert status == 0, err
    assert (status, [line["path"] for line in lines]) == (0, [name for name in names for _ in range(3)])
    assert err.startswith("web2text batch: 300 pages; ")


def test_a_finished_run_is_not_repeated(resume, tmp_path, monkeypatch):
    inputs = write_inputs(tmp_path, 2)
    first = resume(*inputs)
    data = (tmp_path / "feed.jsonl").read_bytes()
    monkeypatch.setattr(batch, "answer_inputs", None)
    assert resume(*inputs) == first
    assert (tmp_path / "feed.jsonl").read_bytes() == data
    (tmp_path / "feed.jsonl").rename(tmp_path / "feed.jsonl.part")  # as if the run was killed before
    assert resume(*inputs) == first
    assert (tmp_path / "feed.jsonl").read_bytes() == data


def test_archives_with_gaps_are_status_1_in_every_run(resume, tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(json.dumps({"html": article()}).encode())[:-4])
    assert [resume("a.jsonl.gz")[0] for _ in range(2)] == [1, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "b.jsonl.gz").write_bytes(b"other"), "belongs to a run with other inputs; "),
        (lambda folder: (folder / "pages" / "new.html").touch(), "belongs to a run with other inputs; "),
        (
            lambda folder: (folder / "feed.jsonl.part").unlink(),
            "feed.jsonl.part is missing or shorter than its manifest says; --force starts anew",
        ),
        (lambda folder: (folder / "feed.jsonl.part").write_bytes(b""), "feed.jsonl.part is missing or shorter than "),
        (lambda folder: (folder / "feed.jsonl.manifest").write_bytes(b"{"), "expected a manifest: "),
        (lambda folder: (folder / "feed.jsonl.manifest").write_bytes(b"{}"), "expected a manifest: "),
        (lambda folder: (folder / "feed.jsonl.manifest").unlink(), None),
    ],
    ids=["archive", "folder", "part", "short", "json", "keys", "manifest"],
)
def test_what_cannot_be_continued_is_status_1_until_forced(resume, tmp_path, monkeypatch, change, message):
    inputs = write_inputs(tmp_path, 5)[:2]
    interrupt_after(monkeypatch, 6)
    resume(*inputs)
    change(tmp_path)
    if message is not None:
        status, err = resume(*inputs)
        assert (status, message in err) == (1, True)
    assert resume(*inputs, "--force")[0] in (0, 1)
    assert paths_of(tmp_path / "feed.jsonl")[0] == "pages/000.html"


def test_other_options_are_another_run(resume, tmp_path, monkeypatch):
    inputs = write_inputs(tmp_path, 4)[:1]
    (tmp_path / "sites.toml").write_text('["example.com"]\ntitle = "drop"\n')
    interrupt_after(monkeypatch, 2)
    resume(*inputs, "--sites", "sites.toml", "--markdown")
    for other in (("--sites", "sites.toml"), ("--markdown",)):
        status, err = resume(*inputs, *other)
        assert (status, "belongs to a run with other options" in err) == (1, True)
    (tmp_path / "sites.toml").write_text("")
    assert resume(*inputs, "--sites", "sites.toml", "--markdown")[0] == 1


@posix
def test_two_processes_do_not_write_the_same_feed(resume, tmp_path):
    import fcntl

    inputs = write_inputs(tmp_path, 1)[:1]
    with (tmp_path / "feed.jsonl.seen").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        status, err = resume(*inputs)
        assert (status, "another process is writing this output" in err) == (1, True)
        assert (tmp_path / "feed.jsonl.seen").exists()
    assert resume(*inputs)[0] == 0


@pytest.mark.parametrize("n_synced", [2, 3, 4, 5])
def test_a_full_disk_leaves_the_inputs_before(resume, tmp_path, monkeypatch, n_synced):
    inputs = write_inputs(tmp_path, 9)[:1]
    sync, left = os.fsync, [n_synced]

    def fail_later(file):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(file)

    monkeypatch.setattr(os, "fsync", fail_later)
    status, err = resume(*inputs)
    assert (status, "No space left on device" in err) == (1, True)
    monkeypatch.setattr(os, "fsync", sync)
    assert resume(*inputs)[0] == 0
    assert paths_of(tmp_path / "feed.jsonl") == [f"{n:03}.html" for n in range(9)]


def test_answers_are_kept_in_memory_up_to_a_number_of_bytes(tmp_path):
    part = tmp_path / "feed.part"
    with output.open_output(Output(str(tmp_path / "feed")), NOTHING, overwrite=False) as opened:
        opened.write("x" * 3_999_999)
        assert part.stat().st_size == 0
        opened.write("x")
        assert part.stat().st_size >= 3_990_000


def test_many_small_inputs_share_a_manifest(resume, tmp_path, monkeypatch):
    monkeypatch.setattr(output, "_SECONDS_BETWEEN", 1e9)
    inputs = write_inputs(tmp_path, 12)[:1]
    interrupt_after(monkeypatch, 9)
    assert resume(*inputs)[0] == 130
    assert read_manifest(tmp_path / "feed.jsonl")["n_inputs"] == 0
    assert resume(*inputs)[0] == 0
    assert paths_of(tmp_path / "feed.jsonl") == [f"{n:03}.html" for n in range(12)]


def test_a_feed_that_cannot_be_compressed_is_status_1(run, tmp_path, monkeypatch):
    monkeypatch.setattr(file_formats, "load_zstd", lambda: None)
    status, _, err = run(*write_inputs(tmp_path, 1)[:1], "--out", "feed.jsonl.zst")
    assert (status, err.endswith("feed.jsonl.zst: needs pip install backports.zstd\n")) == (1, True)
    assert [*tmp_path.glob("feed*")] == []
