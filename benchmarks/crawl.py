"""Measure the costs of extraction in a crawl: delay of the event loop, pages per second, CPU and memory.

    python benchmarks/crawl.py delay  --data DIR     (corpora unpacked as DIR/wcxb/dev/html)
    python benchmarks/crawl.py speed  --data DIR [--pages 2000]
    python benchmarks/crawl.py threads --data DIR [--pages 500]
    python benchmarks/crawl.py memory --data DIR [--pages 20000] [--executor thread]

`delay` extracts the first 200 pages over 300 kB and measures how late a 5 ms timer fires. `threads` repeats that and
a crawl with 1 to 32 threads. `speed` and `memory` start a child process that crawls a site in this process, with and
without the plugin. CPU is that of the crawling process and its workers, so other load on the machine hardly affects it.
Without corpora, the handwritten pages of tests/ are used.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import gzip
import itertools
import json
import os
import random
import resource
import sys
import time
from pathlib import Path
from statistics import quantiles
from typing import Any

ROOT = Path(__file__).parents[1]
EXECUTORS = ("thread", "process", "inline")
TICK = 0.005  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("delay", "speed", "threads", "memory", "child"))
    parser.add_argument("--data", type=Path, default=os.environ.get("WEB2TEXT_DATA"), help="the unpacked corpora")
    parser.add_argument("--pages", type=int, help="delay: 200, speed: 2000, threads: 500, memory: 20000")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--executor", choices=EXECUTORS, default="thread", help="for memory (%(default)s)")
    parser.add_argument("--blocks", default="all", help="WEB2TEXT_BLOCKS (%(default)s)")
    parser.add_argument("--crawl", type=json.loads, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.what == "child":
        print(json.dumps(crawl(**args.crawl)))
    elif args.what == "threads":
        large = read_pages(args.data, 300_000, None)[:100]
        pages = read_pages(args.data, 0, 150)
        for args.workers in (1, 2, 4, 8, 32):
            asyncio.run(with_site(pages, print_threads, args))
            delays, seconds = asyncio.run(measure_delays(large, "thread", args))
            print(f"    {len(large) / seconds:.1f} large pages/s, {describe(delays)}", flush=True)
    elif args.what == "delay":
        print_delays(read_pages(args.data, 300_000, None)[: args.pages or 200], args)
    else:
        pages = read_pages(args.data, 0, 150)
        print(f"{len(pages)} pages, on average {sum(map(len, pages)) / len(pages) / 1000:.0f} kB, served in turn")
        print_table = print_speed if args.what == "speed" else print_memory
        asyncio.run(with_site(pages, print_table, args))


def read_pages(data: Path | None, least: int, sample: int | None) -> list[bytes]:
    """Return the pages of at least *least* bytes, or a *sample* of them."""
    paths = sorted(Path(data).glob("wcxb/dev/html/*.html.gz")) if data else []
    if not paths:
        return [path.read_bytes() for path in sorted((ROOT / "tests/pages").glob("*.html"))]
    if sample is not None:
        paths = random.Random(0).sample(paths, min(sample, len(paths)))
    pages = (gzip.decompress(path.read_bytes()) for path in paths)
    return [page for page in pages if len(page) > least]


def print_delays(pages: list[bytes], args: argparse.Namespace) -> None:
    wanted = list(itertools.islice(itertools.cycle(pages), args.pages or 200))
    print(
        f"{len(wanted)} pages, {len(pages)} of them different, {sum(map(len, wanted)) / len(wanted) / 1000:.0f} kB each"
    )
    inline = None
    for executor in ("inline", "thread", "process"):
        delays, seconds = asyncio.run(measure_delays(wanted, executor, args))
        late = quantiles(delays, n=1000, method="inclusive")[989]
        inline = inline or late
        print(
            f"  {executor:8} {describe(delays)}, {late / inline:.2f} of inline at p99;"
            f" {len(wanted) / seconds:.1f} pages/s"
        )


def describe(delays: list[float]) -> str:
    cuts = quantiles(delays, n=1000, method="inclusive")
    parts = (f"{name} {1000 * cuts[i]:.1f} ms" for name, i in (("p50", 499), ("p90", 899), ("p99", 989)))
    return f"delay {', '.join(parts)}, max {1000 * max(delays):.1f} ms"


async def measure_delays(pages: list[bytes], executor: Any, args: argparse.Namespace) -> tuple[list[float], float]:
    """Return the delay of each tick during the extraction of the pages, and the total time, all in seconds."""
    from scrapy_web2text import Extractor  # noqa: PLC0415
    from scrapy_web2text.crawl.pool import Pool  # noqa: PLC0415

    pool = Pool(executor, args.workers)
    extractor = Extractor(blocks=args.blocks)
    delays: list[float] = []

    async def tick() -> None:
        while True:
            due = time.perf_counter() + TICK
            await asyncio.sleep(TICK)
            delays.append(time.perf_counter() - due)

    async def extract(source: Any) -> None:
        for page in source:
            await pool.extract(extractor, page, None, None)
            await asyncio.sleep(0)  # as in a crawl, where each page arrives in another iteration of the loop

    # The pool takes 2 tasks for each worker; more would only wait.
    n_tasks = 1 if executor == "inline" else 2 * args.workers
    await asyncio.gather(*(extract(iter(pages[:1])) for _ in range(n_tasks)))  # start the workers
    ticker = asyncio.create_task(tick())
    source = iter(pages)
    start = time.perf_counter()
    await asyncio.gather(*(extract(source) for _ in range(n_tasks)))
    seconds = time.perf_counter() - start
    ticker.cancel()
    pool.close()
    return delays, seconds


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


async def crawl_in_child(site: str, args: argparse.Namespace, **crawl_args: Any) -> dict[str, Any]:
    settings = {"workers": args.workers, "blocks": args.blocks, "site": site}
    command = [sys.executable, __file__, "child", "--crawl", json.dumps(settings | crawl_args)]
    child = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await child.communicate()
    result: dict[str, Any] = json.loads(out)
    return result


async def print_speed(site: str, args: argparse.Namespace) -> None:
    n_pages = args.pages or 2000
    plain = None
    for executor in (None, *EXECUTORS):
        result = await crawl_in_child(site, args, executor=executor, n_pages=n_pages)
        plain = plain or result
        added = result["cpu"] + result["worker_cpu"] - plain["cpu"]
        print(
            f"  {executor or 'no plugin':9} {n_pages / result['seconds']:7.1f} pages/s"
            f" ({plain['seconds'] / result['seconds']:.2f} of the crawl without), CPU per page:"
            f" {1000 * result['cpu'] / n_pages:.2f} ms here, {1000 * result['worker_cpu'] / n_pages:.2f} ms in workers,"
            f" {1000 * added / n_pages:.2f} ms for the plugin"
        )


async def print_threads(site: str, args: argparse.Namespace) -> None:
    n_pages = args.pages or 500
    result = await crawl_in_child(site, args, executor="thread", n_pages=n_pages)
    print(
        f"  {args.workers:2} threads: {n_pages / result['seconds']:.1f} pages/s, CPU per page"
        f" {1000 * result['cpu'] / n_pages:.2f} ms, {result['cpu'] / result['seconds']:.2f} processors in use",
        flush=True,
    )


async def print_memory(site: str, args: argparse.Namespace) -> None:
    n_pages = args.pages or 20_000
    for executor in (None, args.executor):
        result = await crawl_in_child(site, args, executor=executor, n_pages=n_pages, sample_every=1000)
        print(f"  {executor or 'no plugin'}: pages, MB here, MB in workers, live objects")
        for n, here, in_workers, n_objects in result["samples"]:
            print(f"    {n:6} {here / 1e6:8.1f} {in_workers / 1e6:8.1f} {n_objects:9}")
        later = [sample for sample in result["samples"] if sample[0] > 2000]
        if len(later) > 1:
            here, in_workers, objects = (slope(later, column) for column in (1, 2, 3))
            print(
                f"    after 2,000 pages, for each: {here:.0f} bytes here, {in_workers:.0f} bytes in workers,"
                f" {objects:.3f} objects"
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
    site: str, executor: str | None, n_pages: int, workers: int, blocks: str, sample_every: int = 0
) -> dict[str, Any]:
    """Crawl *n_pages* of *site*, without the plugin if *executor* is None."""
    from scrapy import Request, Spider, signals  # noqa: PLC0415
    from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415

    samples: list[tuple[int, ...]] = []
    n_items = 0

    class Pages(Spider):
        name = "pages"

        async def start(self) -> Any:
            for n in range(n_pages):
                yield Request(f"{site}{n}")

        def parse(self, response: Any) -> Any:
            yield {"url": response.url}

    def scraped() -> None:
        nonlocal n_items
        n_items += 1
        if sample_every and n_items % sample_every == 0:
            gc.collect()
            children = " ".join(path.read_text() for path in Path("/proc/self/task").glob("*/children")).split()
            memory = (resident_bytes("self"), sum(map(resident_bytes, children)))
            samples.append((n_items, *memory, len(gc.get_objects())))

    settings: dict[str, Any] = {
        "LOG_LEVEL": "WARNING",
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    }
    if executor is not None:
        settings |= {"ADDONS": {"scrapy_web2text.Addon": 300}, "WEB2TEXT_EXECUTOR": executor}
        settings |= {"WEB2TEXT_WORKERS": workers, "WEB2TEXT_BLOCKS": blocks}
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
    }


if __name__ == "__main__":
    main()
