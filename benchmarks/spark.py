"""Measure what Spark costs: records per second and core of a local Spark, beside plain processes with the same work.

    python benchmarks/spark.py [--pages 400] [--rounds 5] [--model NAME] [FILE.warc.gz FILE.warc.gz]

The extra `spark` and Java 17 or later are needed. Each core has a WARC file of its own; without FILEs, both hold the
handwritten pages of tests/, repeated. All contestants run in turn in each round, with workers that have started and
loaded their models before, and the cheapest round of each counts. Times are CPU seconds of all processes, that of Java
included, since those of the clock depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import gzip
import math
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.formats import format_table
from benchmarks.timing import ROOT
from scrapy_web2text.batch.page_answers import PageWork, answer_page
from scrapy_web2text.options import DEFAULT_MODEL, Options
from scrapy_web2text.sources.archives import Archive, read_archive
from scrapy_web2text.sources.pages import PageSources
from scrapy_web2text.sources.records import PageRecord
from scrapy_web2text.sources.tables import Columns
from scrapy_web2text.spark import extract_warc

LEAST_SHARE = 0.85  # of the speed of plain processes


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="two WARC files of about the same size")
    parser.add_argument("--pages", type=int, default=400, help="in each file that is written (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--model", default=DEFAULT_MODEL)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = args.files or [write_warc(Path(folder, f"{name}.warc.gz"), args.pages) for name in "ab"]
        with ProcessPoolExecutor(len(files), get_context("spawn")) as pool:
            print(format_speeds(*measure(files, args.model, args.rounds, pool)))


def write_warc(path: Path, n_pages: int) -> str:
    """Write a WARC file of the handwritten pages, again and again, and return its path."""
    bodies = [page.read_bytes() for page in sorted((ROOT / "tests/pages").glob("*.html"))]
    with path.open("wb") as file:
        for number, body in enumerate(islice(cycle(bodies), n_pages)):
            response = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
            head = (
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-11-22T10:00:00Z\r\n"
                f"WARC-Record-ID: <urn:uuid:{number}>\r\nWARC-Target-URI: https://example.com/{number}\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(response)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + response + b"\r\n\r\n", 6))
    return str(path)


def count_records(options: Options, path: str) -> int:
    """Extract the pages of a file, and return their number."""
    items = read_archive(Archive(path, "warc", Path(path)), Columns(), options.max_bytes)
    work = PageWork(PageSources(options))
    lines = [answer_page({"path": path}, item, work).json for item in items if isinstance(item, PageRecord)]
    return len(lines)


def measure(
    files: Sequence[str], model: str, rounds: int, pool: ProcessPoolExecutor
) -> tuple[dict[tuple[str, int], float], int]:
    """Return the CPU seconds of each contestant with each number of cores, and the records of a file."""
    options = Options(model=model, blocks="none")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{len(files)}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    session = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.log.level", "ERROR").getOrCreate()

    def run_spark(isolated: bool, chosen: Sequence[str]) -> None:
        answers = extract_warc(session, chosen, isolated=isolated, model=model)
        answers.write.format("noop").mode("overwrite").save()

    def run_processes(chosen: Sequence[str]) -> None:
        list(pool.map(partial(count_records, options), chosen))

    contestants: dict[str, Callable[[Sequence[str]], None]] = {
        "plain processes": run_processes,
        "Spark, `isolated=False`": partial(run_spark, False),
        "Spark": partial(run_spark, True),
    }
    (n_records, *_) = pool.map(partial(count_records, options), files)
    for run in contestants.values():
        run(files)  # starts the workers, which load the model
    best = {(name, n + 1): math.inf for name in contestants for n in range(len(files))}
    for _ in range(rounds):
        for name, n_cores in [*best]:
            before = read_cpu_times()
            contestants[name](files[:n_cores])
            # Workers of the other contestants may have been idle for so long that Spark has ended them.
            seconds = sum(total - before.get(process, 0.0) for process, total in read_cpu_times().items())
            best[name, n_cores] = min(best[name, n_cores], seconds)
    session.stop()
    return best, n_records


def read_cpu_times() -> dict[int, float]:
    """Return the CPU seconds that this process and all that it has started have used so far, by their ids."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(stat.parent.name)] = int(fields[1])
        ticks[int(stat.parent.name)] = int(fields[11]) + int(fields[12])
    own = {os.getpid()}
    while found := {process for process, parent in parents.items() if parent in own} - own:
        own |= found
    return {process: ticks[process] / os.sysconf("SC_CLK_TCK") for process in own}


def format_speeds(best: dict[tuple[str, int], float], n_records: int) -> str:
    """Return a table of records per CPU second, and their share of those of plain processes."""
    rows = []
    for (name, n_cores), seconds in best.items():
        share = best["plain processes", n_cores] / seconds
        sign = "" if share >= LEAST_SHARE else f" (below {LEAST_SHARE:.0%})"
        rows.append([name, str(n_cores), f"{n_cores * n_records / seconds:.1f}", f"{share:.0%}{sign}"])
    return format_table(["", "cores", "records per second and core", "of plain processes"], rows)


if __name__ == "__main__":
    main()
