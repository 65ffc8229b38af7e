"""A crawl by two processes that share a queue in a real Redis, one of which is killed and started again."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pytest
from mockserver import article
from places import ROOT

pytest.importorskip("scrapy_redis", reason="needs scrapy-redis")
if shutil.which("redis-server") is None:
    pytest.skip("needs redis-server", allow_module_level=True)

import redis
from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.misc import load_object
from scrapy.utils.test import get_crawler

pytestmark = [pytest.mark.slow, pytest.mark.crawl]
PROJECT = ROOT / "example_project"
N_PAGES = 2000
LINKS_PER_PAGE = 40
SECONDS = 240  # after which something is wrong


@pytest.fixture
def server(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    client = redis.Redis(port=port)
    try:
        wait_until(lambda: is_up(client))
        yield client, f"redis://127.0.0.1:{port}"
    finally:
        client.close()
        process.kill()
        process.wait()


def is_up(client):
    try:
        return client.ping()
    except redis.ConnectionError:
        return False


def wait_until(is_true):
    end = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def start(server, tmp_path):
    """Start a process of the crawl by its name; it is killed at the end of the test, if it still runs."""
    processes = []

    def start(worker: str) -> subprocess.Popen[bytes]:
        settings = {
            "REDIS_URL": server[1],
            "WORKER_NAME": worker,
            "MAX_IDLE_TIME_BEFORE_CLOSE": 3,
            "DOWNLOAD_DELAY": 0.01,  # so that one process does not finish before the other starts
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "WEB2TEXT_MODEL": "shallow:numwords",
            "WEB2TEXT_EXECUTOR": "thread",
            "WEB2TEXT_BLOCKS": "none",
            "FEEDS": json.dumps(
                {
                    f"{tmp_path.as_posix()}/%(worker)s-%(time)s-%(batch_id)05d.jsonl": {
                        "format": "jsonlines",
                        "batch_item_count": 100,
                    }
                }
            ),
        }
        options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(PROJECT), str(ROOT), *filter(None, sys.path)]),
            "SCRAPY_SETTINGS_MODULE": "example_project.settings_redis",
        }
        number = len(processes)
        with (tmp_path / f"{number}-{worker}.log").open("wb") as log:
            command = [sys.executable, "-m", "scrapy", "crawl", "shared", *options]
            processes.append(subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=log))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


def add_pages(site) -> list[str]:
    """Serve pages that all can be reached from the first, and return their URLs."""
    site.add("/robots.txt", "", content_type="text/plain")
    urls = []
    for number in range(N_PAGES):
        first = number * LINKS_PER_PAGE + 1
        linked = range(first, min(first + LINKS_PER_PAGE, N_PAGES))
        links = "".join(f'<a href="/page/{n}">{n}</a> ' for n in linked)
        urls.append(site.add(f"/page/{number}", article(title=f"Page {number}").replace("</body>", f"{links}</body>")))
    return urls


def read_items(folder: Path) -> list[dict[str, object]]:
    """Return the items of all feeds, with all processes at an end; the last line of the one killed may be cut."""
    items = []
    for feed in sorted(folder.glob("*.jsonl")):
        for line in feed.read_text(encoding="utf-8").splitlines():
            try:
                items.append(json.loads(line))
            except ValueError:
                assert feed.name.startswith("b-")
    return items


def count_lines(folder: Path) -> int:
    return sum(feed.read_bytes().count(b"\n") for feed in folder.glob("*.jsonl"))


def test_a_process_that_is_killed_and_started_again_loses_no_page(server, start, site, tmp_path):
    client, _ = server
    urls = add_pages(site)
    client.rpush("shared:start_urls", json.dumps({"url": urls[0], "meta": {"web2text": {"threshold": 0.4}}}))
    first, second = start("a"), start("b")
    wait_until(lambda: client.hlen("shared:requests:taken:b") > 20 and count_lines(tmp_path) > N_PAGES / 4)
    second.kill()
    second.wait()
    again = start("b")
    assert (first.wait(SECONDS), again.wait(SECONDS)) == (0, 0)

    counts = Counter(item["url"] for item in read_items(tmp_path))
    assert sorted(counts) == sorted(urls)
    n_twice = sum(count - 1 for count in counts.values())
    log = (tmp_path / "2-b.log").read_text(encoding="utf-8")
    (n_requeued,) = map(int, re.findall(r"'redis/requeued': (\d+),", log))
    assert n_twice <= n_requeued
    assert n_requeued > 20
    assert client.keys("shared:requests*") == []
    assert all(item["main_content"] for item in read_items(tmp_path))


@pytest.fixture
def crawler(server, monkeypatch):
    monkeypatch.syspath_prepend(PROJECT)
    from example_project.shared import SharedSpider

    from example_project import settings_redis

    settings = {name: value for name, value in vars(settings_redis).items() if name.isupper()}
    crawler = get_crawler(SharedSpider, {**settings, "REDIS_URL": server[1], "ADDONS": {}})
    crawler.spider = crawler._create_spider()
    return crawler


def test_a_request_that_did_not_reach_the_queue_is_new_when_it_is_found_again(crawler, monkeypatch):
    scheduler = load_object(crawler.settings["SCHEDULER"]).from_crawler(crawler)
    scheduler.open(crawler.spider)
    request = Request("https://example.com/")

    with monkeypatch.context() as killed:
        killed.setattr(scheduler.queue, "_encode_request", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            scheduler.enqueue_request(request)
    assert scheduler.enqueue_request(request)
    assert not scheduler.enqueue_request(request)
    assert scheduler.enqueue_request(request.replace(dont_filter=True))
    assert crawler.stats.get_value("scheduler/enqueued/redis") == 2
    assert scheduler.queue.pop().url == request.url


def test_a_process_is_idle_since_its_last_response(crawler, monkeypatch):
    spider = crawler.spider
    monkeypatch.setattr(spider, "schedule_next_requests", Mock())
    for signal in (signals.spider_opened, signals.response_received):
        spider.spider_idle_start_time = 0
        spider.spider_idle()  # the process may end
        crawler.signals.send_catch_log(signal)
        with pytest.raises(DontCloseSpider):
            spider.spider_idle()
