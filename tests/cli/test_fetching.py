from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
from mockserver import QUIET, article
from scrapy import Spider
from scrapy.crawler import AsyncCrawlerRunner

from scrapy_web2text.cli import fetching
from scrapy_web2text.cli.fetching import FetchError, fetch


class Process:
    """Runs a crawl as `AsyncCrawlerProcess` does, but in an event loop that is closed after the test."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._runner = AsyncCrawlerRunner({**settings, **QUIET, "RETRY_ENABLED": False})

    def crawl(self, spider_class: type[Spider], **arguments: Any) -> None:
        self._crawl = (spider_class, arguments)

    def start(self) -> None:
        async def run() -> None:
            spider_class, arguments = self._crawl
            await self._runner.crawl(spider_class, **arguments)

        asyncio.run(run())


@pytest.fixture(autouse=True)
def _process(monkeypatch):
    monkeypatch.setattr(fetching, "AsyncCrawlerProcess", Process)


@pytest.fixture
def closed_url():
    """The URL of a closed port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{listener.getsockname()[1]}/"


def test_a_page_is_fetched_with_its_encoding(site):
    url = site.add("/latin", "Größe".encode("latin-1"), content_type="text/html; charset=latin-1")
    response = fetch(url)
    assert (response.url, response.body, response.encoding) == (url, b"Gr\xf6\xdfe", "cp1252")


def test_redirects_are_followed(site):
    url = site.add("/old", status=301, Location="/article")
    response = fetch(url)
    assert (response.url, response.text) == (site.url("/article"), article())


def test_a_status_outside_2xx_is_an_error(site):
    url = site.url("/none")
    with pytest.raises(FetchError, match=f"^{url}: status 404$"):
        fetch(url)


def test_a_refused_connection_is_an_error(closed_url):
    with pytest.raises(FetchError, match=f"^{closed_url}: .*[Cc]onnect"):
        fetch(closed_url)


def test_an_invalid_url_is_an_error():
    with pytest.raises(FetchError, match=r"^http://\[bad: no response$"):
        fetch("http://[bad")
