"""Whole crawls in which something breaks: each item that a callback returns is in the feed, or is counted."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fates import Fate
from mockserver import ADDON, SENTENCE, CrawlResult, MockSite, article, crawl, spider_of
from random_models import write_model
from scrapy import Request, Spider
from scrapy.http import TextResponse

PROCESSES = pytest.param("process", marks=pytest.mark.skipif(os.name != "posix", reason="kills processes as on POSIX"))
executors = pytest.mark.parametrize("executor", [PROCESSES, "thread", "inline"])


@pytest.fixture
def fate(tmp_path, monkeypatch) -> Fate:
    fate = Fate.prepare(tmp_path, monkeypatch)
    (tmp_path / "started").touch()  # in threads and inline, no process writes it
    return fate


def crawl_with(executor: str, spider: type[Spider], **settings: Any) -> CrawlResult:
    settings = {"WEB2TEXT_EXECUTOR": executor, "WEB2TEXT_WORKERS": 2, "WEB2TEXT_BLOCKS": "none", **settings}
    result = crawl(spider, {**ADDON, **settings})
    assert result.stats["finish_reason"] == "finished"
    assert (result.dropped, result.errors) == ([], [])
    return result


def check_counts(result: CrawlResult) -> None:
    """Check that the page of each item is counted, once."""
    stats = result.web2text_stats
    n_skipped = sum(stats[name] for name in stats if name.startswith("skipped/"))
    assert len(result.items) == result.stats["item_scraped_count"] == stats["pages"] + n_skipped
    assert all("main_content" in item for item in result.items)


BROKEN = {
    "reset": (None, b""),
    "cut": ({"Content-Length": "5000"}, article().encode()[:300]),
    "long": ({"Content-Length": "300"}, article().encode()),
    "gzip": ({"Content-Encoding": "gzip"}, gzip.compress(article().encode())[:60] + b"\xff" * 60),
    "not-gzip": ({"Content-Encoding": "gzip"}, article().encode()),
    "charset": ({"Content-Type": "text/html; charset=utf-16"}, article("Größe " * 30).encode("cp1252")),
    "no-charset": ({"Content-Type": "text/html; charset=" + "x" * 500}, article().encode()),
    "empty": ({}, b""),
    "binary": ({}, bytes(range(256)) * 20),
    "no-type": ({"Content-Type": ""}, article().encode()),
}


@executors
def test_half_of_the_responses_are_broken_and_some_workers_killed(site: MockSite, fate, executor):
    broken = [site.add_raw(f"/broken/{name}", *response) for name, response in BROKEN.items()]
    good = [site.add(f"/good/{n}", article(f"{SENTENCE} This is page number {n}.")) for n in range(20)]
    # On a fast machine, the crawl may end before anything is killed at random: one page kills its worker for certain.
    good.append(site.add("/good/20", article(f"{SENTENCE} This is page number 20, a-page-that-kills-once.")))
    urls = [url for pair in zip(broken * 2, good[:20], strict=True) for url in pair] + good[20:]
    failed = []

    class Pages(Spider):
        name = "pages"

        async def start(self):
            for url in urls:
                yield Request(url, dont_filter=True, errback=lambda failure: failed.append(failure.request.url))

        def parse(self, response):
            yield {"url": response.url, "is_text": isinstance(response, TextResponse)}

    done = threading.Event()
    killer = threading.Thread(target=kill_at_random, args=(fate, done))
    killer.start()
    try:
        result = crawl_with(executor, Pages, RETRY_ENABLED=False)
    finally:
        done.set()
        killer.join()
    assert len(result.items) + len(failed) == len(urls)
    assert set(failed) <= set(broken)
    check_counts(result)
    stats = result.web2text_stats
    died = [item for item in result.items if item["web2text"]["reason"] == "worker_died"]
    assert len(died) == stats.get("fallback/worker_died", 0)
    n_errors = sum(stats.get(f"errors/{name}", 0) for name in ("WorkerDied", "WorkerNotStarted"))
    n_lost = sum(stats.get(f"lost_workers/{cause}", 0) for cause in ("died", "start"))
    assert 2 * len(died) <= n_errors <= n_lost
    assert bool(n_lost) is (executor == "process")
    for n, url in enumerate(good):
        item = result.by_url[url]
        assert f"This is page number {n}" in item["main_content"] or item in died
    assert fate.left == []


def kill_at_random(fate: Fate, done: threading.Event) -> None:
    """Kill the newest worker from time to time, at most four in all."""
    moments = random.Random(13)
    killed: set[int] = set()
    while not done.wait(moments.uniform(0.01, 0.2)):
        workers = [pid for pid in fate.started if pid not in killed]
        if workers and len(killed) < 4:
            killed.add(workers[-1])
            with suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(workers[-1], signal.SIGKILL)


@executors
def test_a_model_folder_is_deleted_during_the_crawl(site: MockSite, fate, tmp_path, executor, caplog):
    """Threads keep the model; the worker that replaces another one cannot load it, and the text is empty."""
    model = write_model(tmp_path / "model", content_odds=3.0, name="mine")
    urls = [site.add(f"/page/{n}", article(f"{SENTENCE} This is page number {n}.")) for n in range(3)]

    class Pages(Spider):
        name = "pages"
        start_urls = (urls[0],)
        custom_settings: ClassVar = {"WEB2TEXT_MODEL": str(model), "WEB2TEXT_IN_MIDDLEWARE": True}

        def parse(self, response):
            yield {"url": response.url}
            if response.url == urls[0]:
                shutil.rmtree(model)
                for pid in fate.left:
                    os.kill(pid, signal.SIGKILL)
                yield from response.follow_all(urls[1:])

    result = crawl_with(executor, Pages, WEB2TEXT_WORKERS=1)
    reason = "no_model" if executor == "process" else None
    assert [SENTENCE in result.by_url[url]["main_content"] for url in urls] == [True, not reason, not reason]
    assert [result.by_url[url]["web2text"]["reason"] for url in urls] == [None, reason, reason]
    check_counts(result)
    assert result.web2text_stats.get("fallback/no_model", 0) == (2 if reason else 0)
    assert caplog.text.count("Model lost during the crawl") == (1 if reason else 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="writes to a full device")
@pytest.mark.parametrize("feed_format", ["jsonlines", "web2text-txt"])
def test_what_a_full_disk_does_not_take_is_an_error(site: MockSite, feed_format):
    """Small feeds fail when they are closed, large ones with each item: Scrapy counts both."""
    is_large = feed_format == "jsonlines"
    urls = [site.add(f"/page/{n}", article(SENTENCE + " x" * 10_000 * is_large)) for n in range(5)]

    result = crawl_with("thread", spider_of(*urls), FEEDS={"/dev/full": {"format": feed_format}})
    assert sorted(item["url"] for item in result.items) == urls
    check_counts(result)
    if is_large:
        assert (result.stats["log_count/ERROR"], result.web2text_stats["left_out/error"]) == (1, 5)
    else:
        assert result.stats["feedexport/failed_count/FileFeedStorage"] == 1


_CRAWL = """
import json, signal, sys, threading, time
from pathlib import Path
from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess
import scrapy_web2text.extractor

executor, n_signals, folder, *urls = sys.argv[1:]
folder = Path(folder)
if executor != "process":
    extract = scrapy_web2text.extractor.Extractor.extract

    def wait(self, html, *args, **options):
        if b"a-page-that-hangs" in getattr(html, "html", html):
            (folder / "hanging").touch()
            are_sent.wait(10)
        return extract(self, html, *args, **options)

    scrapy_web2text.extractor.Extractor.extract = wait

are_sent = threading.Event()
handler = []

def interrupt():
    while not (folder / "hanging").exists():
        time.sleep(0.01)
    before = signal.getsignal(signal.SIGTERM)
    for _ in range(int(n_signals)):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)
        while signal.getsignal(signal.SIGTERM) is before:
            time.sleep(0.01)
        before = signal.getsignal(signal.SIGTERM)
    are_sent.set()

class Pages(Spider):
    name = "pages"
    start_urls = urls
    custom_settings = {"WEB2TEXT_TIMEOUT": None}

    def parse(self, response):
        yield {"url": response.url}

process = AsyncCrawlerProcess({
    "ADDONS": {"scrapy_web2text.Addon": 300}, "WEB2TEXT_MODEL": "shallow:numwords", "LOG_LEVEL": "ERROR",
    "REMOTE_CONTROL_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "WEB2TEXT_BLOCKS": "none",
    "WEB2TEXT_EXECUTOR": executor, "WEB2TEXT_WORKERS": 2,
    "FEEDS": {str(folder / "feed.jsonl"): {"format": "jsonlines"}},
})
crawler = process.create_crawler(Pages)
process.crawl(crawler)
threading.Thread(target=interrupt, daemon=True).start()
process.start()
(folder / "stats").write_text(json.dumps(crawler.stats.get_stats(), default=str))
"""


@pytest.mark.parametrize("n_signals", [1, 2])
@executors
def test_signals_end_a_crawl_and_leave_no_worker(site: MockSite, fate, tmp_path, executor, n_signals):
    """After the first signal, all items are finished; after the second one, those in progress are not."""
    pages = [site.add(f"/page/{n}", article(f"{SENTENCE} This is page number {n}.")) for n in range(10)]
    urls = [*pages[:5], site.add("/hangs", article(f"{SENTENCE} It is a-page-that-hangs")), *pages[5:]]
    (tmp_path / "script").mkdir()
    script = tmp_path / "script" / "script.py"
    script.write_text(_CRAWL)
    path = [path for path in sys.path if executor == "process" or path != str(tmp_path)]  # of the sitecustomize module
    if n_signals == 1:
        fate.shorten_hanging(1)
    done = subprocess.run(
        [sys.executable, str(script), executor, str(n_signals), str(tmp_path), *urls],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        timeout=600,
        check=False,
    )
    assert done.returncode == 0
    stats = json.loads((tmp_path / "stats").read_text())
    feed = tmp_path / "feed.jsonl"  # a second signal may come before the first item, which creates the feed
    lines = feed.read_text(encoding="utf-8").splitlines() if n_signals == 1 or feed.exists() else []
    items = [json.loads(line) for line in lines]
    assert all(SENTENCE in item["main_content"] for item in items)
    if n_signals == 1:
        assert stats["finish_reason"] == "shutdown"
        assert len(items) == stats["item_scraped_count"] == stats["web2text/pages"]
        assert site.url("/hangs") in {item["url"] for item in items}
    elif executor == "process":
        assert "finish_reason" not in stats
    elif "finish_reason" in stats:  # the page goes on after both signals, and was the last one to be finished
        assert len(items) == stats["item_scraped_count"] == stats["web2text/pages"]
    for _ in range(500):  # the parent has ended, so that init has to reap them
        if all(is_gone(pid) for pid in fate.started):
            break
        time.sleep(0.01)
    else:
        pytest.fail(f"workers are left: {fate.left}")


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
