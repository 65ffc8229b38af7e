"""Measure what a page costs in a batch, by input, output and number of processes; and in other extractors.

    python benchmarks/capacity.py --data DIR --pages 400 --peers /path/to/python

Costs are CPU milliseconds for each page, those of all processes together, and those of the process alone that reads,
distributes and writes: there is only one. What a command takes for ten pages is subtracted, since start and model count
only once. The other extractors run in the Python of --peers, with the same pages in memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from gzip import compress, decompress
from itertools import pairwise
from pathlib import Path

from pyarrow import table
from pyarrow.parquet import write_table

from benchmarks.formats import format_table
from scrapy_web2text.sources.archives import Archive, archive_kind, read_archive
from scrapy_web2text.sources.payload import decode_payload
from scrapy_web2text.sources.records import PageRecord
from scrapy_web2text.sources.tables import Columns

N_FIRST = 10
SIZES = (0, 30_000, 100_000, 300_000, 10**9)  # bytes
PEERS = {
    "trafilatura": "from trafilatura import extract as run",
    "trafilatura, fast": "from trafilatura import extract; run = lambda page: extract(page, fast=True)",
    "resiliparse": (
        "from resiliparse.extract.html2text import extract_plain_text\n"
        "from resiliparse.parse.encoding import detect_encoding\n"
        "run = lambda page: extract_plain_text(page.decode(detect_encoding(page), 'replace'), main_content=True)"
    ),
    "resiliparse, parse alone": (
        "from resiliparse.parse.html import HTMLTree; from resiliparse.parse.encoding import detect_encoding\n"
        "run = lambda page: HTMLTree.parse_from_bytes(page, detect_encoding(page))"
    ),
}
BATCH = """
import resource, sys, time
from scrapy_web2text.cli.main import main
assert main(sys.argv[1:]) == 0
workers = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.process_time(), workers.ru_utime + workers.ru_stime)
"""
PEER_LOOP = """
import json, sys, time
pages = [json.loads(line).encode() for line in open(sys.argv[1])]
[run(page) for page in pages[:10]]
start = time.process_time()
[run(page) for page in pages]
print(time.process_time() - start)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("WEB2TEXT_DATA"), required=True)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--peers", help="a Python that has the other extractors")
    args = parser.parse_args()
    paths = sorted(args.data.glob("wcxb/dev/html/*.html.gz"))
    bodies = [decompress(path.read_bytes()) for path in random.Random(0).sample(paths, min(args.pages, len(paths)))]
    print(f"{len(bodies)} pages of WCXB, {sum(map(len, bodies)) / len(bodies) / 1000:.0f} kB on average\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part, pages in (("all", bodies), ("first", bodies[:N_FIRST])):
            write_inputs(folder / part, pages)
        print(format_table(["", "ms per page"], [*measure_reads(folder, len(bodies))]), end="\n\n")
        print(
            format_table(["batch", "ms per page", "reads and writes"], [*measure_batches(folder, len(bodies))]),
            end="\n\n",
        )
        print(format_table(["size of page", "pages", "ms per page"], [*measure_sizes(folder, bodies)]), end="\n\n")
        if args.peers:
            rows = [*measure_peers(args.peers, folder, bodies)]
            print(format_table(["extractor", "ms per page"], rows))


def write_inputs(folder: Path, pages: Sequence[bytes]) -> None:
    """Write *pages* as files, as compressed responses in a WARC file, as JSON Lines and as a table."""
    (folder / "pages").mkdir(parents=True)
    with (folder / "pages.warc.gz").open("wb") as warc, (folder / "pages.jsonl.gz").open("wb") as lines:
        for number, body in enumerate(pages):
            (folder / "pages" / f"{number:05}.html").write_bytes(body)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
            block = head + compress(body)
            fields = (
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{0}>\r\nWARC-Date: 2026-01-01T00:00:00Z"
                "\r\nWARC-Target-URI: https://example.com/{0}\r\nContent-Type: application/http; msgtype=response"
                "\r\nContent-Length: {1}\r\n\r\n"
            )
            warc.write(compress(fields.format(number, len(block)).encode() + block + b"\r\n\r\n"))
            lines.write(compress(json.dumps({"html": body.decode(errors="replace")}).encode() + b"\n"))
    write_table(table({"html": [body.decode(errors="replace") for body in pages]}), folder / "pages.parquet")


def measure_reads(folder: Path, n_pages: int) -> Iterator[list[str]]:
    """Yield what it costs to read the pages, without anything else."""
    for name in ("pages.warc.gz", "pages.jsonl.gz", "pages.parquet"):
        kind = archive_kind(name)
        assert kind is not None
        archive = Archive(name, kind, folder / "all" / name)
        start = time.process_time()
        for item in read_archive(archive, Columns(), None):
            if isinstance(item, PageRecord) and isinstance(item.html, bytes):
                decode_payload(item.html, item.transfer_encoding, item.content_encoding, None)
        yield [f"read {name}", _format(time.process_time() - start, n_pages)]
    start = time.process_time()
    for path in (folder / "all" / "pages").iterdir():
        path.read_bytes()
    yield ["read files", _format(time.process_time() - start, n_pages)]


def measure_batches(folder: Path, n_pages: int) -> Iterator[list[str]]:
    """Yield what `web2text batch` costs."""
    jsonl = ("--out", "out.jsonl")
    runs = {
        "files → JSON Lines, 1 process": ("pages", *jsonl, "--jobs", "1"),
        "files → JSON Lines, 2 processes": ("pages", *jsonl, "--jobs", "2"),
        "WARC → JSON Lines, 1 process": ("pages.warc.gz", *jsonl, "--jobs", "1"),
        "WARC → JSON Lines, 2 processes": ("pages.warc.gz", *jsonl, "--jobs", "2"),
        "Parquet → JSON Lines, 1 process": ("pages.parquet", *jsonl, "--jobs", "1"),
        "WARC → JSON Lines, gzip": ("pages.warc.gz", "--out", "out.jsonl.gz", "--jobs", "1"),
        "WARC → Parquet": ("pages.warc.gz", "--out", "out.parquet", "--jobs", "1"),
        "WARC → Markdown": ("pages.warc.gz", "--out", "md", "--format", "markdown", "--jobs", "1"),
        "WARC → JSON Lines, similar texts dropped": (
            *("pages.warc.gz", *jsonl, "--jobs", "1", "--duplicates", "drop", "--similarity", "0.8"),
        ),
        "WARC → JSON Lines, rules (shallow)": ("pages.warc.gz", *jsonl, "--jobs", "1", "--model", "shallow:numwords"),
    }
    for title, arguments in runs.items():
        seconds = [_run_batch(folder / part, arguments) for part in ("all", "first")]
        yield [title, *(_format(both[0] - both[1], n_pages - N_FIRST) for both in zip(*seconds, strict=True))]


def _run_batch(folder: Path, arguments: Sequence[str]) -> tuple[float, float]:
    """Return the CPU time of all processes of a command, and that of the first alone, in seconds."""
    command = [sys.executable, "-c", BATCH, "batch", *arguments, "--force"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    own, of_workers = map(float, done.stdout.split())
    return own + of_workers, own


def measure_sizes(folder: Path, bodies: Sequence[bytes]) -> Iterator[list[str]]:
    """Yield the CPU time of an extraction by the size of the page."""
    _run_batch(folder / "all", ("pages", "--out", "out.jsonl", "--jobs", "1"))
    lines = (folder / "all" / "out.jsonl").read_bytes().splitlines()
    seconds = [json.loads(line)["elapsed"] for line in lines]
    for least, most in pairwise(SIZES):
        found = [time for time, body in zip(seconds, bodies, strict=True) if least <= len(body) < most]
        end = f"from {least // 1000} kB" if most == SIZES[-1] else f"{least // 1000} to {most // 1000} kB"
        yield [end, str(len(found)), _format(sum(found), len(found))]


def measure_peers(python: str, folder: Path, bodies: Sequence[bytes]) -> Iterator[list[str]]:
    """Yield what other extractors cost, without reading and writing."""
    pages = folder / "pages.jsonl"
    pages.write_text("".join(json.dumps(body.decode(errors="replace")) + "\n" for body in bodies), encoding="utf-8")
    for title, program in PEERS.items():
        done = subprocess.run([python, "-c", program + PEER_LOOP, pages], capture_output=True, text=True, check=True)
        yield [title, _format(float(done.stdout), len(bodies))]


def _format(seconds: float, n_pages: int) -> str:
    return f"{1000 * seconds / max(n_pages, 1):.2f}"


if __name__ == "__main__":
    main()
