from __future__ import annotations

import asyncio
import contextlib
import gzip
import re
import socket
import threading
import tracemalloc
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from mockserver import QUIET
from scrapy import Spider
from scrapy.crawler import AsyncCrawlerRunner

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.reasons import describe_failure, name_options
from scrapy_web2text.sources import responses
from scrapy_web2text.sources.responses import fetch_page


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
    monkeypatch.setattr(responses, "AsyncCrawlerProcess", Process)


def test_a_page_is_fetched_with_its_encoding_after_redirects(site):
    url = site.add("/latin", "Größe".encode("latin-1"), content_type="text/html; charset=latin-1")
    moved = site.add("/old", status=301, Location="/latin")
    for page in (fetch_page(url, None), fetch_page(moved, 10_000)):
        assert (page.html, page.url, page.encoding) == (b"Gr\xf6\xdfe", url, "cp1252")


def test_a_refused_connection_an_invalid_url_and_a_status_outside_2xx_are_errors(site):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    # By the handler of Twisted, of aiohttp, or of httpx.
    refused = "(connection refused$|Cannot connect|All connection attempts failed$)"
    urls = {site.url("/none"): "status 404$", closed: refused, "http://[bad": "no response$"}
    for url, problem in urls.items():
        with pytest.raises(OSError, match=f"^{re.escape(url)}: {problem}"):
            fetch_page(url, None)


@pytest.mark.parametrize(
    ("content_type", "reason"),
    [
        ("text/html", "max_bytes"),
        ("application/json", "not_html"),
        ("text/plain", "not_html"),
        ("application/rss+xml", "not_html"),
    ],
)
def test_a_page_that_is_too_long_or_not_html_has_no_answer(site, content_type, reason):
    url = site.add("/page", "x" * 10_001, content_type=content_type)
    with pytest.raises(PageError, match=re.escape(f"{url}: {name_options(describe_failure(reason))}")) as caught:
        fetch_page(url, 10_000 if reason == "max_bytes" else None)
    assert caught.value.reason == reason


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
        with pytest.raises(PageError):
            fetch_page(f"http://127.0.0.1:{server.server_port}/", 100_000)
        server.shutdown()
    assert sum(n_sent) < 500_000_000


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_bomb_is_not_decompressed_beyond_the_limit(site, coding):
    pack = gzip.compress if coding == "gzip" else zlib.compress
    url = site.add("/bomb", pack(b" " * 300_000_000, 1), **{"Content-Encoding": coding})
    tracemalloc.start()
    try:
        with pytest.raises(PageError, match=r"\(max_bytes\)$"):
            fetch_page(url, 10_000_000)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("max_bytes", [10_000, None])
def test_a_page_of_the_largest_size_is_fetched(site, max_bytes):
    url = site.add("/packed", gzip.compress(b"x" * 10_000), **{"Content-Encoding": "gzip"})
    assert len(fetch_page(url, max_bytes).html) == 10_000


def test_too_many_redirects_are_not_taken_for_a_long_page(site):
    for number in range(30):
        site.add(f"/{number}", status=301, Location=f"/{number + 1}")
    with pytest.raises(OSError, match="redirect"):
        fetch_page(site.url("/0"), 10_000)
