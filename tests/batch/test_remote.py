"""Archives in a storage that fsspec knows: the one in the memory of the process."""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
import sys
from pathlib import Path

import pytest
from mockserver import SENTENCE, article
from warcs import http, record

from scrapy_web2text.batch import manifest
from scrapy_web2text.batch import run as batch
from scrapy_web2text.sources.archives import Archive, read_archive
from scrapy_web2text.sources.remote import RemotePath, connect, hide_secrets
from scrapy_web2text.sources.tables import Columns

fsspec = pytest.importorskip("fsspec", reason="needs the extra cloud")
from fsspec.implementations.memory import MemoryFileSystem  # noqa: E402


def feed(n_pages: int) -> bytes:
    return b"".join(json.dumps({"html": article(f"Page {n}. {SENTENCE}")}).encode() + b"\n" for n in range(n_pages))


@pytest.fixture(autouse=True)
def storage():
    """A storage with two archives and a page."""
    storage = fsspec.filesystem("memory")
    for name, data in {"a.jsonl": feed(3), "sub/b.jsonl.gz": gzip.compress(feed(2)), "page.html": b"<p>x"}.items():
        storage.pipe_file(f"/crawl/{name}", data)
    yield storage
    storage.store.clear()
    storage.pseudo_dirs[:] = [""]


def places(lines):
    return [(line["path"], line["record"]) for line in lines]


A, B = "memory:///crawl/a.jsonl", "memory:///crawl/sub/b.jsonl.gz"
ALL = [*((A, n) for n in range(3)), *((B, n) for n in range(2))]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["memory://crawl/a.jsonl"], ALL[:3]),
        (["memory://crawl/*/*.jsonl*"], ALL[3:]),
        (["memory://crawl/**"], ALL),
        (["memory://crawl/"], ALL),
        (["memory://crawl", "memory://crawl"], ALL),
        (["memory://crawl/sub", "memory://crawl/a.jsonl"], [*ALL[3:], *ALL[:3]]),
    ],
    ids=["file", "pattern", "all", "prefix", "folder", "two"],
)
def test_archives_are_found_by_url_pattern_and_folder(run, names, expected):
    status, lines, _ = run(*names)
    assert (status, places(lines)) == (0, expected)
    Path("list.txt").write_text("\n".join(names), encoding="utf-8")
    assert places(run("--files-from", "list.txt", "--force")[1]) == expected


def test_warc_and_parquet_files_are_read(run, storage):
    pytest.importorskip("fastwarc", reason="needs the extra warc")
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    from pyarrow import parquet

    packed = gzip.compress(record(http(article().encode()))) * 2
    table = io.BytesIO()
    parquet.write_table(pyarrow.table({"html": [article()]}), table)
    for name, data in {"a.warc.gz": packed, "c.parquet": table.getvalue()}.items():
        storage.pipe_file(f"/more/{name}", data)
    status, lines, _ = run("memory://more/")
    assert (status, {line["method"] for line in lines}) == (0, {"rules"})
    assert [(path.removeprefix("memory:///more/"), number) for path, number in places(lines)] == [
        *(("a.warc.gz", 0), ("a.warc.gz", 1), ("c.parquet", 0)),
    ]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["memory://crawl/page.html"], "memory://crawl/page.html: expected archives there"),
        (["memory://crawl/none.jsonl"], "memory://crawl/none.jsonl: expected archives there"),
        (["memory://crawl/*.warc"], "memory://crawl/*.warc: expected archives there"),
        (["unknown://crawl/a.jsonl"], "unknown://crawl/a.jsonl: ValueError: Protocol not known: unknown"),
        (["file:///crawl/a.jsonl"], "file:///crawl/a.jsonl: expected a path without file://"),
        ([A, "--out", "memory://clean/a.jsonl"], "--out: expected a path on this machine, got memory://clean/a.jsonl"),
        ([A, "--out", "clean/"], "--out: expected a name that ends in .jsonl"),
    ],
)
def test_what_cannot_be_done_is_said_before_a_page_is_read(run, monkeypatch, arguments, problem):
    monkeypatch.delattr(batch.BatchRun, "write")
    status, _, err = run(*arguments)
    assert status == 1
    assert err.startswith(f"web2text batch: {problem}")


def test_a_package_that_is_missing_is_named(run, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "s3fs", None)
        assert run("s3://crawl/a.jsonl")[2] == (
            "web2text batch: s3://crawl/a.jsonl: ImportError: Install s3fs to access S3\n"
        )
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "scrapy_web2text.common.checks.find_spec", lambda name: None if name == "fsspec" else find(name)
    )
    assert run(A)[2] == f"web2text batch: {A}: needs pip install 'scrapy-web2text[cloud]'\n"


class BadStorage(MemoryFileSystem):
    """A storage that fails after the first bytes of an archive."""

    def open(self, path, mode="rb", **kwargs):
        class File(io.BytesIO):
            def readinto(self, buffer):
                if self.tell() >= 10_000:
                    raise RuntimeError("connection lost")
                return super().readinto(memoryview(buffer)[:10_000])

        return File(self.cat_file(path))


def test_an_archive_that_cannot_be_read_further_is_a_gap_and_the_others_are_read(run, storage, monkeypatch):
    storage.pipe_file("/crawl/a.jsonl", feed(30))
    monkeypatch.setattr(MemoryFileSystem, "open", BadStorage.open)
    status, lines, err = run("memory://crawl/")
    n_read = len(lines) - 3
    assert (status, 0 < n_read < 30) == (1, True)
    assert places(lines) == [*((A, n) for n in range(n_read + 1)), *ALL[3:]]
    assert lines[n_read]["error"] == "RuntimeError('connection lost')"
    assert err.endswith(f"; archives with parts that cannot be read: 1 ({A} 1)\n")


def test_an_archive_that_is_removed_before_it_is_read_is_a_gap(storage):
    (path,) = connect("memory://crawl/sub/").find()
    storage.rm("/crawl/sub/b.jsonl.gz")
    (item,) = read_archive(Archive("b", "jsonl", path), Columns(), None)
    assert item.is_gap
    assert "FileNotFoundError" in item.error


def test_a_url_of_http_is_shown_without_its_password_and_signature(run):
    pytest.importorskip("aiohttp")
    path = connect("https://user:secret@crawl.example/it's a.warc.gz?Signature=secret/x")
    assert str(path) == "https://crawl.example/it's a.warc.gz"
    assert path.path.count("secret") == 2
    error = run("http://127.0.0.1:1/a.warc.gz?Signature=secret")[2]
    assert error.startswith("web2text batch: http://127.0.0.1:1/a.warc.gz: ClientConnectorError: Cannot connect")
    assert "secret" not in error


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ftp://user:pa@ss@host/a: refused", "ftp://host/a: refused"),
        ("URL('https://:secret@host/a?b=secret'), 1?", "URL('https://host/a'), 1?"),
        ("http://host/a?b=https://c/?secret d", "http://host/a d"),
        ("abfs://container@account/a?.jsonl", "abfs://container@account/a?.jsonl"),
        ("s3://crawl/a:b@c?d#.jsonl", "s3://crawl/a:b@c?d#.jsonl"),
    ],
)
def test_only_passwords_and_queries_are_hidden(text, shown):
    assert hide_secrets(text) == shown


def test_an_error_in_a_line_has_no_signature(run, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("403 for http://crawl.example/a?Signature=secret")

    monkeypatch.setattr(MemoryFileSystem, "open", fail)
    _, (line,), _ = run(A)
    assert line["error"] == "RuntimeError('403 for http://crawl.example/a')"


def test_a_run_is_resumed_only_with_the_same_archives(run, storage):
    arguments = ("memory://crawl/", "--resume")
    assert run(*arguments)[0] == 0
    assert run(*arguments)[0] == 0
    storage.pipe_file("/crawl/a.jsonl", feed(4))
    assert "belongs to a run with other inputs" in run(*arguments)[2]


def test_the_version_of_an_archive_is_part_of_its_description(monkeypatch):
    descriptions = []
    for tag in ("1", "1", "2"):
        path = RemotePath(fsspec.filesystem("memory"), "/a", {"size": 1, "ETag": tag, "accessed": object()})
        descriptions.append(manifest.describe_run([Archive("a", "jsonl", path)], {}, b"").inputs)
    assert descriptions[0] == descriptions[1] != descriptions[2]
