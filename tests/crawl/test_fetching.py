from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import threading
import tracemalloc
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from mockserver import QUIET, article
from scrapy import Spider
from scrapy.crawler import AsyncCrawlerRunner

from scrapy_web2text.crawl import fetching
from scrapy_web2text.crawl.fetching import FetchError, TooLongError, fetch


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


def test_a_page_that_is_too_long_is_not_downloaded(site):
    url = site.add("/long", "x" * 10_001)
    with pytest.raises(TooLongError, match=f"^{url}: longer than 10,000 bytes$"):
        fetch(url, 10_000)


def test_a_long_download_without_a_declared_length_ends_at_the_limit():
    n_sent = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                n_sent.extend(self.wfile.write(b"x" * 10_000) for _ in range(100_000))

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(TooLongError):
            fetch(f"http://127.0.0.1:{server.server_port}/", 100_000)
        server.shutdown()
    assert sum(n_sent) < 500_000_000


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_bomb_is_not_decompressed_beyond_the_limit(site, coding):
    pack = gzip.compress if coding == "gzip" else zlib.compress
    url = site.add("/bomb", pack(b" " * 300_000_000, 1), **{"Content-Encoding": coding})
    tracemalloc.start()
    try:
        with pytest.raises(TooLongError, match=f"^{url}: longer than 10,000,000 bytes$"):
            fetch(url, 10_000_000)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("max_bytes", [10_000, None])
def test_a_page_of_the_largest_size_is_fetched(site, max_bytes):
    url = site.add("/packed", gzip.compress(b"x" * 10_000), **{"Content-Encoding": "gzip"})
    assert len(fetch(url, max_bytes).body) == 10_000


def test_too_many_redirects_are_another_error(site):
    for number in range(30):
        site.add(f"/{number}", status=301, Location=f"/{number + 1}")
    url = site.url("/0")
    with pytest.raises(FetchError, match="redirect") as caught:
        fetch(url, 10_000)
    assert type(caught.value) is FetchError


def test_an_invalid_url_is_an_error():
    with pytest.raises(FetchError, match=r"^http://\[bad: no response$"):
        fetch("http://[bad")
