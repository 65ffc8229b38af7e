from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError
from queue import SimpleQueue
from types import SimpleNamespace

import pytest
import twisted.internet
from twisted.internet.defer import Deferred

from scrapy_web2text.crawl import pool as pool_module
from scrapy_web2text.crawl.pool import Pool


@pytest.fixture
def reactor(monkeypatch):
    """A reactor that runs the calls of threads when the test asks for it; asyncio is not available."""
    calls: SimpleQueue = SimpleQueue()

    def run_next() -> None:
        calls.get(timeout=5)()

    reactor = SimpleNamespace(callFromThread=calls.put, run_next=run_next)
    monkeypatch.setattr(twisted.internet, "reactor", reactor, raising=False)
    monkeypatch.setattr(pool_module, "is_asyncio_available", lambda: False)
    return reactor


@pytest.fixture
def pool():
    pool = Pool("thread", 2)
    yield pool
    pool.close()


def fail() -> None:
    raise LookupError("on purpose")


def test_functions_run_in_threads_of_the_pool_and_inline_in_the_thread_of_the_loop(pool):
    assert asyncio.run(pool.run(threading.current_thread)).name.startswith("web2text")
    inline = Pool("inline", 2)
    assert asyncio.run(inline.run(threading.current_thread)) is threading.current_thread()
    for each in (pool, inline):
        assert asyncio.run(each.run(int, "11", base=2)) == 3
        with pytest.raises(LookupError, match="on purpose"):
            asyncio.run(each.run(fail))
    inline.close()


def test_the_event_loop_and_its_default_pool_go_on_while_functions_run(pool):
    release = threading.Event()

    async def run() -> None:
        work = [asyncio.create_task(pool.run(release.wait, 5)) for _ in range(40)]
        await asyncio.sleep(0.01)
        await asyncio.wait_for(asyncio.to_thread(time.sleep, 0), 4)
        release.set()
        assert all(await asyncio.gather(*work))

    asyncio.run(run())


def test_at_most_two_functions_per_worker_are_submitted(pool, monkeypatch):
    submitted = []
    submit = pool._threads.submit
    monkeypatch.setattr(pool._threads, "submit", lambda f: submitted.append(f) or submit(f))
    release = threading.Event()

    async def run() -> None:
        work = [asyncio.create_task(pool.run(release.wait, 5)) for _ in range(9)]
        await asyncio.sleep(0.02)
        assert len(submitted) == 4
        release.set()
        await asyncio.gather(*work)
        assert len(submitted) == 9

    asyncio.run(run())


def test_a_closed_pool_takes_no_more_functions_and_its_threads_end(pool):
    thread = asyncio.run(pool.run(threading.current_thread))
    pool.close()
    thread.join(5)
    assert not thread.is_alive()
    with pytest.raises(RuntimeError):
        asyncio.run(pool.run(int))


def test_results_and_errors_arrive_without_asyncio(pool, reactor):
    result = Deferred.fromCoroutine(pool.run(int, "7"))
    reactor.run_next()
    assert result.result == 7

    result = Deferred.fromCoroutine(pool.run(fail))
    errors: list[BaseException] = []
    result.addErrback(lambda failure: errors.append(failure.value))
    reactor.run_next()
    assert [type(error) for error in errors] == [LookupError]


def test_cancelled_functions_arrive_as_errors_without_asyncio(reactor):
    pool = Pool("thread", 1)
    started, release = threading.Event(), threading.Event()

    def work() -> bool:
        started.set()
        return release.wait(5)

    works = [Deferred.fromCoroutine(pool.run(function)) for function in (work, int)]
    started.wait(5)
    errors: list[BaseException] = []
    works[1].addErrback(lambda failure: errors.append(failure.value))
    pool.close()
    release.set()
    for _ in works:
        reactor.run_next()
    assert [type(error) for error in errors] == [CancelledError]
    assert works[0].result is True


# A script without the guard `if __name__ == "__main__"`; two crawls with each executor at a time.
_CRAWL = """
import json, sys, warnings
from scrapy import Spider, signals
from scrapy.crawler import {process} as Process
from scrapy.exceptions import ScrapyDeprecationWarning

warnings.simplefilter("error", ScrapyDeprecationWarning)

class Pages(Spider):
    name = "pages"
    start_urls = [sys.argv[1], sys.argv[1] + "?again"]
    custom_settings = {{"WEB2TEXT_IN_MIDDLEWARE": True}}

    def parse(self, response):
        assert response.meta["web2text_result"].text
        yield {{"url": response.url}}
        yield {{"url": response.url}}

process = Process({{
    "ADDONS": {{"scrapy_web2text.Addon": 300}}, "WEB2TEXT_MODEL": "shallow:numwords", "LOG_LEVEL": "ERROR",
    "REMOTE_CONTROL_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "WEB2TEXT_WORKERS": 2, {reactor}
}})
executors = ["thread", "process", "inline"] * 2
spiders = [type("Pages", (Pages,), {{"custom_settings": {{**Pages.custom_settings, "WEB2TEXT_EXECUTOR": executor}}}})
           for executor in executors]
crawlers = [process.create_crawler(spider) for spider in spiders]
items = []
def scraped(item):
    items.append(item)
for crawler in crawlers:
    crawler.signals.connect(scraped, signals.item_scraped)
    process.crawl(crawler)
process.start()
assert [crawler.settings["WEB2TEXT_EXECUTOR"] for crawler in crawlers] == executors
print(json.dumps([items, *(crawler.stats.get_stats() for crawler in crawlers)], default=str))
"""


@pytest.mark.parametrize(
    ("process", "reactor_setting"),
    [
        ("AsyncCrawlerProcess", ""),
        ("CrawlerProcess", '"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"'),
        ("AsyncCrawlerProcess", '"TWISTED_REACTOR_ENABLED": False'),
    ],
    ids=["asyncio-reactor", "select-reactor", "no-reactor"],
)
def test_two_crawls_at_a_time_with_each_executor_run_on_every_reactor(site, tmp_path, process, reactor_setting):
    script = tmp_path / "script.py"
    script.write_text(_CRAWL.format(process=process, reactor=reactor_setting))
    done = subprocess.run(
        [sys.executable, "-W", "default::ResourceWarning", script, site.url("/article")],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    items, *stats = json.loads(done.stdout)
    assert len(items) == 24
    assert all("old bridge" in item["main_content"] for item in items)
    assert [stat["web2text/pages"] for stat in stats] == [2] * 6
