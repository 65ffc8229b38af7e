"""Measure crawls: pages per second, CPU, delay of the event loop, memory.

    python benchmarks/crawl.py speed   --data DIR [--old TREE] [--feed]   (corpora unpacked as DIR/wcxb/dev/html)
    python benchmarks/crawl.py threads --data DIR
    python benchmarks/crawl.py memory  --data DIR [--pages 20000] [--executor thread]

`speed` crawls a site without the plugin, with its defaults, and with each executor; with `--old`, also with the
defaults of another checkout of the package. `threads` crawls it with 1 to 8 threads. Each crawl is a child process, and
the crawls take turns: one of all pages, and one of a fifth of them. Their difference is what a page costs, the rest is
the start, imports included. CPU is that of the crawling process and its workers, so other load on the machine hardly
affects it. The delay is how late a timer of 5 ms fires. Memory is that at the last page. `memory` shows how it grows.
Without corpora, the handwritten pages of tests/ are used.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import gzip
import json
import os
import random
import resource
import sys
import time
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from typing import Any

ROOT = Path(__file__).parents[1]
EXECUTORS = ("process", "thread", "inline")
TICK = 0.005  # seconds
COLUMNS = (
    "pages/s",
    "CPU here",
    "CPU in workers",
    "start here",
    "start of workers",
    "delay p50",
    "delay p99",
    "MB here",
    "MB of workers",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("speed", "threads", "memory", "child"))
    parser.add_argument("--data", type=Path, default=os.environ.get("WEB2TEXT_DATA"), help="the unpacked corpora")
    parser.add_argument("--pages", type=int, help="pages of a crawl; speed and threads: 1000, memory: 20000")
    parser.add_argument("--rounds", type=int, default=3, help="speed, threads: crawls of each kind (%(default)s)")
    parser.add_argument("--least", type=int, default=0, help="least size of a page in bytes (%(default)s)")
    parser.add_argument("--old", type=Path, help="speed: another checkout to compare with")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--executor", choices=EXECUTORS, default="thread", help="for memory (%(default)s)")
    parser.add_argument("--blocks", default="all", help="WEB2TEXT_BLOCKS (%(default)s)")
    parser.add_argument("--feed", action="store_true", help="also write the items as JSON lines")
    parser.add_argument("--crawl", type=json.loads, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.what == "child":
        print(json.dumps(crawl(**args.crawl)))
        return
    pages = read_pages(args.data, args.least, 150)
    print(f"{len(pages)} pages, on average {sum(map(len, pages)) / len(pages) / 1000:.0f} kB, served in turn")
    asyncio.run(with_site(pages, print_memory if args.what == "memory" else print_table, args))


def read_pages(data: Path | None, least: int, n_pages: int) -> list[bytes]:
    """Return *n_pages* pages of at least *least* bytes, or all if they are fewer."""
    paths = sorted(Path(data).glob("wcxb/dev/html/*.html.gz")) if data else []
    if not paths:
        return [path.read_bytes() for path in sorted((ROOT / "tests/pages").glob("*.html"))]
    sample = random.Random(0).sample(paths, min(len(paths), n_pages if not least else len(paths)))
    pages = (gzip.decompress(path.read_bytes()) for path in sample)
    return [*islice((page for page in pages if len(page) >= least), n_pages)]


async def with_site(pages: list[bytes], print_table: Any, args: argparse.Namespace) -> None:
    """Serve *pages* in rotation at ``/0``, ``/1``, …, and run *print_table* on that site."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                number = request.split(b" ", 2)[1].strip(b"/")
                body = pages[int(number) % len(pages)] if number.isdigit() else b""
                head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
                writer.write(head.encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        await print_table(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", args)


async def crawl_in_child(site: str, args: argparse.Namespace, tree: Path = ROOT, **crawl_args: Any) -> dict[str, Any]:
    """Return the result of :func:`crawl` with the package of *tree*."""
    command = [
        sys.executable,
        __file__,
        "child",
        "--crawl",
        json.dumps({"blocks": args.blocks, "feed": args.feed, "site": site} | crawl_args),
    ]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    child = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, env=environment)
    out, _ = await child.communicate()
    return json.loads(out)


async def print_table(site: str, args: argparse.Namespace) -> None:
    """Print one row for each kind of crawl: the median of each column over all rounds."""
    n_pages = args.pages or 1000
    kinds: dict[str, dict[str, Any]] = {"no plugin": {"executor": None}}
    if args.what == "threads":
        kinds |= {f"{n} threads": {"executor": "thread", "workers": n} for n in (1, 2, 4, 8)}
    else:
        if args.old:
            kinds["old default"] = {"executor": "default", "tree": args.old}
        kinds["default"] = {"executor": "default"}
        kinds |= {f"{name}, {args.workers}": {"executor": name, "workers": args.workers} for name in EXECUTORS[:2]}
        kinds["inline"] = {"executor": "inline"}
    rows: dict[str, list[tuple[float, ...]]] = {}
    for _ in range(args.rounds):
        for kind, crawl_args in kinds.items():
            short, result = [
                await crawl_in_child(site, args, n_pages=n, sample_every=n, **crawl_args)
                for n in (n_pages // 5, n_pages)
            ]
            rows.setdefault(kind, []).append(to_row(short, result, n_pages - n_pages // 5))
    print(f"{n_pages} pages in each crawl, median of {args.rounds}; CPU in ms per page, starts and delay in ms")
    medians = {kind: [*map(median, zip(*row, strict=True))] for kind, row in rows.items()}
    print(f"| {'crawl':12} | {' | '.join(COLUMNS)} |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for kind, row in medians.items():
        print(f"| {kind:12} | {' | '.join(f'{value:.1f}' for value in row)} |")
    if args.old:
        print(f"default, pages per second: {medians['default'][0] / medians['old default'][0]:.2f} of the old default")


def to_row(short: dict[str, Any], result: dict[str, Any], n_more: int) -> tuple[float, ...]:
    """Return the values of the COLUMNS; *short* is a crawl of *n_more* fewer pages, a quarter of these."""
    seconds, here, in_workers = ((result[name] - short[name]) / n_more for name in ("seconds", "cpu", "worker_cpu"))
    starts = (1000 * (short[name] - cost * n_more / 4) for name, cost in (("cpu", here), ("worker_cpu", in_workers)))
    cuts = quantiles(result["delays"], n=100, method="inclusive")
    _, memory, worker_memory, _ = result["samples"][-1]
    delays = (1000 * cuts[49], 1000 * cuts[98])
    return (1 / seconds, 1000 * here, 1000 * in_workers, *starts, *delays, memory / 1e6, worker_memory / 1e6)


async def print_memory(site: str, args: argparse.Namespace) -> None:
    n_pages = args.pages or 20_000
    for executor in (None, args.executor):
        crawl_args = {"executor": executor, "workers": args.workers, "n_pages": n_pages}
        result = await crawl_in_child(site, args, **crawl_args, sample_every=1000)
        print(f"  {executor or 'no plugin'}: pages, MB here, MB in workers, allocated blocks")
        for n, here, in_workers, n_blocks in result["samples"]:
            print(f"    {n:6} {here / 1e6:8.1f} {in_workers / 1e6:8.1f} {n_blocks:9}")
        later = [sample for sample in result["samples"] if sample[0] > 2000]
        if len(later) > 1:
            here, in_workers, blocks = (slope(later, column) for column in (1, 2, 3))
            print(
                f"    after 2,000 pages, for each: {here:.0f} bytes here, {in_workers:.0f} bytes in workers,"
                f" {blocks:.3f} blocks"
            )


def slope(samples: list[list[float]], column: int) -> float:
    """Return the growth per page, by linear least squares."""
    mean_x = sum(sample[0] for sample in samples) / len(samples)
    mean_y = sum(sample[column] for sample in samples) / len(samples)
    covariance = sum((sample[0] - mean_x) * (sample[column] - mean_y) for sample in samples)
    return covariance / sum((sample[0] - mean_x) ** 2 for sample in samples)


def resident_bytes(pid: str) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()


def crawl(
    site: str,
    executor: str | None,
    n_pages: int,
    blocks: str,
    sample_every: int,
    workers: int | None = None,
    feed: bool = False,
) -> dict[str, Any]:
    """Crawl *n_pages* of *site*, without the plugin if *executor* is None, with its defaults if it is ``default``."""
    from scrapy import Request, Spider, signals
    from scrapy.crawler import AsyncCrawlerProcess

    samples: list[tuple[int, ...]] = []
    delays: list[float] = []
    n_items = 0

    async def tick() -> None:
        while True:
            due = time.perf_counter() + TICK
            await asyncio.sleep(TICK)
            delays.append(time.perf_counter() - due)

    class Pages(Spider):
        name = "pages"

        async def start(self) -> Any:
            self.ticker = asyncio.create_task(tick())
            for n in range(n_pages):
                yield Request(f"{site}{n}")

        def parse(self, response: Any) -> Any:
            yield {"url": response.url}

    def scraped() -> None:
        nonlocal n_items
        n_items += 1
        if n_items % sample_every == 0:
            gc.collect()
            children = " ".join(path.read_text() for path in Path("/proc/self/task").glob("*/children")).split()
            memory = (resident_bytes("self"), sum(map(resident_bytes, children)))
            # Not gc.get_objects: while it runs, tuples that another thread is making cannot be made.
            samples.append((n_items, *memory, sys.getallocatedblocks()))

    settings: dict[str, Any] = {
        "LOG_LEVEL": "WARNING",
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "FEEDS": {Path(os.devnull): {"format": "jsonlines"}} if feed else {},
    }
    if executor is not None:
        settings |= {"ADDONS": {"scrapy_web2text.Addon": 300}, "WEB2TEXT_BLOCKS": blocks}
        settings |= {} if executor == "default" else {"WEB2TEXT_EXECUTOR": executor}
        settings |= {} if workers is None else {"WEB2TEXT_WORKERS": workers}
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(Pages)
    crawler.signals.connect(scraped, signals.item_scraped)
    process.crawl(crawler)
    start = time.perf_counter()
    process.start()
    seconds = time.perf_counter() - start
    if n_items != n_pages or crawler.stats.get_value("web2text/pages", n_pages) != n_pages:
        raise RuntimeError(f"{n_items} items of {n_pages} pages: {crawler.stats.get_stats()}")
    here, in_workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {
        "seconds": seconds,
        "cpu": here.ru_utime + here.ru_stime,
        "worker_cpu": in_workers.ru_utime + in_workers.ru_stime,
        "samples": samples,
        "delays": delays,
    }


if __name__ == "__main__":
    main()
