from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from scrapy_web2text.crawl.pool import Pool


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


def test_functions_that_have_not_begun_are_cancelled_by_closing():
    pool = Pool("thread", 1)
    started, release = threading.Event(), threading.Event()

    def work() -> bool:
        started.set()
        return release.wait(5)

    async def run() -> list[Any]:
        works = [asyncio.create_task(pool.run(function)) for function in (work, int)]
        await asyncio.to_thread(started.wait, 5)
        pool.close()
        release.set()
        return await asyncio.gather(*works, return_exceptions=True)

    done, cancelled = asyncio.run(run())
    assert done is True
    assert isinstance(cancelled, asyncio.CancelledError)


# A script without the guard `if __name__ == "__main__"`; two crawls with each executor at a time.
_CRAWL = """
import json, sys, warnings
from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
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

process = AsyncCrawlerProcess({{
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


@pytest.mark.parametrize("reactor", ["", '"TWISTED_REACTOR_ENABLED": False'], ids=["asyncio-reactor", "no-reactor"])
def test_two_crawls_at_a_time_with_each_executor_run_with_and_without_a_reactor(site, tmp_path, reactor):
    script = tmp_path / "script.py"
    script.write_text(_CRAWL.format(reactor=reactor))
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


_WITHOUT_ASYNCIO = """
import sys
from scrapy import Spider, signals
from scrapy.crawler import CrawlerProcess

class Pages(Spider):
    name = "pages"
    start_urls = ["data:text/html,<p>A page."]
    custom_settings = {"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor", "LOG_LEVEL": "ERROR"}

process = CrawlerProcess(dict([eval(sys.argv[1])]))
crawler = process.create_crawler(Pages)
crawler.signals.connect(lambda: print("requested"), signals.request_scheduled, weak=False)
process.crawl(crawler)
process.start()
"""


@pytest.mark.parametrize(
    "component",
    [
        ("ITEM_PIPELINES", {"scrapy_web2text.Web2TextPipeline": 300}),
        ("SPIDER_MIDDLEWARES", {"scrapy_web2text.Web2TextSpiderMiddleware": 100}),
        ("DOWNLOADER_MIDDLEWARES", {"scrapy_web2text.Web2TextDownloaderMiddleware": 540}),
    ],
    ids=lambda component: component[0].lower(),
)
def test_a_crawl_without_asyncio_ends_at_the_start(component):
    command = [sys.executable, "-c", _WITHOUT_ASYNCIO, repr(component)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == ""
    last = done.stderr.strip().splitlines()[-1]
    assert last == (
        "ValueError: TWISTED_REACTOR: expected a reactor of asyncio, such as "
        "'twisted.internet.asyncioreactor.AsyncioSelectorReactor', Scrapy's default, got "
        "'twisted.internet.selectreactor.SelectReactor'. Remove this setting, or set TWISTED_REACTOR_ENABLED = False"
    )
