"""The targets for what is not a page: archives of many pages, and files beside pages. Each costs itself alone."""

from __future__ import annotations

import gzip
import io
import json
import os
import resource
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import parquet
from warcs import http, record

from fuzz.mutators import mutate_bytes
from scrapy_web2text.answer.summary import Summary
from scrapy_web2text.batch.page_answers import PageAnswer, PageWork, answer_page
from scrapy_web2text.batch.run import Tally
from scrapy_web2text.options import Options
from scrapy_web2text.sources.archives import read_archive
from scrapy_web2text.sources.inputs import list_inputs
from scrapy_web2text.sources.pages import PageSources
from scrapy_web2text.sources.records import Broken, Skipped, count_name
from scrapy_web2text.sources.tables import Columns

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from scrapy_web2text.sources.inputs import BatchInput

MOST_BYTES = 20_000  # of a page
MOST_MEMORY = 200_000_000  # bytes that an archive of some kilobytes may take
MOST_SUMMARY = 5_000  # characters
SECONDS_TO_READ = 60  # a file that blocks is never read, and any other soon, however busy the machine is
SECRET = "https://example.com/secret"  # in a file that no input names
_WORK = PageWork(PageSources(Options(model="shallow:numwords", blocks="none", max_bytes=MOST_BYTES)))


def run_archives(data: bytes) -> None:
    """Check lines and summary of an archive, beside another that is whole. Input: the end of its name, its bytes."""
    end, _, body = data.partition(b"\n")
    if end.decode("latin-1") not in archive_files():
        return
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with TemporaryDirectory() as folder:
        paths = Path(folder, f"a.{end.decode()}"), Path(folder, "b.jsonl")
        paths[0].write_bytes(body)
        paths[1].write_bytes(archive_files()["jsonl"])
        inputs = _list_inputs(paths)
        tally = Tally(Summary())
        for archive in inputs:
            for number, item in enumerate(read_archive(archive, Columns(), MOST_BYTES)):
                if isinstance(item, Skipped):
                    count_name(tally.counts["other"], item.kind)
                else:
                    _check_line(answer := answer_page({"path": archive.name, "record": number}, item, _WORK))
                    tally.add(answer)
                    assert not isinstance(item, Broken) or answer.method == "none"
    assert tally.summary.n_pages >= 2 or not inputs, "expected the pages of the other archive"
    summary = str(tally)
    assert len(summary) < MOST_SUMMARY, f"got a summary of {len(summary):,} characters"
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    assert grown < MOST_MEMORY, f"got {grown:,} bytes of memory"


def _list_inputs(paths: Iterable[Path]) -> list[BatchInput]:
    """Return the inputs; none if there is no column of HTML, which is a mistake in the command."""
    try:
        return list_inputs([*map(str, paths)])
    except ValueError as error:
        if "--html-column" not in str(error):
            raise
        return []


def run_sidecars(data: bytes) -> None:
    """Check the URL of a page by the file beside it, or by what is in its place. Input: what this file holds."""
    with TemporaryDirectory() as folder:
        outside, page = Path(folder, "outside.json"), Path(folder, "pages", "page.html")
        page.parent.mkdir()
        page.write_bytes(b"<p>One of the pages.")
        outside.write_text(json.dumps({"url": SECRET}), encoding="utf-8")
        sidecar = page.with_name("page.html.json")
        _put_sidecar(sidecar, outside, data)
        with ThreadPoolExecutor(1) as thread:
            future = thread.submit(answer_page, {"path": "page.html"}, page, _WORK)
            try:
                answer = future.result(SECONDS_TO_READ)
            finally:
                if sidecar.is_fifo():  # which would block the thread for ever
                    os.close(os.open(sidecar, os.O_RDWR | os.O_NONBLOCK))
    line = _check_line(answer)
    assert SECRET not in answer.json, "expected nothing of a file outside of the folder"
    url = line.get("url", "https://")
    assert url.startswith(("http://", "https://")), f"expected a URL, got {url!r}"


def _put_sidecar(path: Path, outside: Path, data: bytes) -> None:
    kind = zlib.crc32(data) % 8
    if kind == 0:
        path.symlink_to(outside)
    elif kind == 1:
        os.mkfifo(path)
    elif kind == 2:
        path.mkdir()
    elif kind == 3:
        path.symlink_to(path)
    else:
        path.write_bytes(data)


def _check_line(answer: PageAnswer) -> dict[str, Any]:
    """Return the values of an answer, whose line is JSON."""
    assert answer.json.index("\n") == len(answer.json) - 1
    values: dict[str, Any] = json.loads(answer.json.encode())
    assert len(values["text"]) <= 3 * MOST_BYTES
    return values


@cache
def archive_files() -> Mapping[str, bytes]:
    """Return an archive of two or more pages of each kind, by the end of its name."""
    page = b"<title>A page</title><p>One of the pages of this archive, with a few words of text."
    records = [
        record(http(page), "https://example.com/1"),
        record(http(gzip.compress(page), headers="Content-Encoding: gzip\r\n")),
        record(http(b"5\r\n<p>On\r\n0\r\n\r\n", headers="Transfer-Encoding: chunked\r\n")),
        record(http(b"x", "image/\x1b[31mpng")),
        record(b"a: b\r\n", kind="warcinfo"),
    ]
    warc, packed = b"".join(records), b"".join(map(gzip.compress, records))
    lines = b"".join(
        json.dumps({"html": html, "url": "https://example.com/"}).encode() + b"\n" for html in (page.decode(), "<p>é")
    )
    return {
        "warc": warc,
        "warc.gz": packed,
        "jsonl": lines,
        "jsonl.gz": gzip.compress(lines),
        "parquet": _table(pa.array([page.decode()] * 3), pa.array(["https://example.com/"] * 3), "snappy"),
    }


def _table(html: pa.Array, url: pa.Array, compression: str) -> bytes:
    data = io.BytesIO()
    parquet.write_table(pa.table({"html": html, "url": url}), data, compression=compression)
    return data.getvalue()


def archive_seeds() -> Iterator[bytes]:
    """Yield archives, and the ones that once ended a run."""
    for end, content in archive_files().items():
        yield f"{end}\n".encode() + content
    invalid = pa.array([b"<p>a", b"<p>\xff", b"<p>c"], pa.binary()).view(pa.string())
    bomb = pa.array(["<p>" + "a" * 5_000_000] * 64)
    times = pa.array([0, 1, 2], pa.timestamp("ms"))
    members = gzip.compress(b"") * 500
    kinds = b"".join(record(http(b"x", f"image/{number}")) for number in range(60))
    found = {
        "parquet": _table(invalid, pa.array(["a"] * 3), "none"),
        "parquet ": _table(pa.array(["<p>a"] * 3), times, "none"),
        "parquet  ": _table(bomb, pa.array(["a"] * 64), "zstd"),
        "jsonl.gz": gzip.compress(b'{"html": "' + b"a" * 8_000_000 + b'"}\n'),
        "warc.gz": members + archive_files()["warc.gz"] + members,
        "warc": kinds,
    }
    for end, content in found.items():
        yield f"{end.strip()}\n".encode() + content


def mutate_archive(data: bytes, choice: random.Random) -> bytes:
    """Return *data* with changes of its bytes, half of the time of those that are compressed by gzip."""
    end, _, body = data.partition(b"\n")
    if end.endswith(b".gz") and choice.random() < 0.5:
        try:
            content = zlib.decompressobj(31).decompress(body, 1 << 16)
        except zlib.error:
            content = b""
        return end + b"\n" + gzip.compress(mutate_bytes(content, choice))
    return end + b"\n" + mutate_bytes(body, choice)


def sidecar_seeds() -> list[bytes]:
    """Return what the file beside a page may hold."""
    urls = ("https://example.com/", SECRET, "javascript:a", "http://\x1b[31m/", "http://[", "", None, 7)
    return [json.dumps({"url": url}).encode() for url in urls] + [b"[" * 5_000, b"{", b"\xff\xfe", b"[]"]
