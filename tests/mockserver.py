"""A local site for whole crawls, and a function that runs them."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerRunner, Crawler

QUIET = {"TWISTED_REACTOR_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False}
ADDON = {"ADDONS": {"scrapy_web2text.Addon": 300}}
SENTENCE = "The old bridge over the river was rebuilt by the people of the town in the spring of that year."
NAVIGATION = "".join(f'<li><a href="/{word}">{word}</a></li>' for word in ("home", "news", "sport", "contact"))


def article(text: str = SENTENCE, title: str = "The bridge") -> str:
    """Return a page whose main content is *text*, three times."""
    paragraphs = f"<p>{text} {text}</p>" * 3
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title></head><body><ul>{NAVIGATION}</ul>"
        f"<h1>{title}</h1>{paragraphs}<div><a href='/terms'>Terms</a></div></body></html>"
    )


def write_articles(folder: Path, n_pages: int) -> Path:
    """Write *n_pages* articles of different lengths, named by their numbers, into a new *folder*, and return it."""
    folder.mkdir()
    for number in range(n_pages):
        page = article(f"{SENTENCE} {number}" * (number + 1))
        (folder / f"{number}.html").write_text(page, encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Answer:
    """The response for one path."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    is_raw: bool = False


class MockSite:
    """A site on a free local port; :meth:`add` sets its responses."""

    def __init__(self) -> None:
        answers: dict[str, Answer] = {}
        n_failures: dict[str, int] = {}

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                answer = answers.get(path, Answer(b"<html><body>nothing here</body></html>", 404))
                if n_failures.get(path, 0) > 0:
                    n_failures[path] -= 1
                    answer = Answer(b"<html><body>come again</body></html>", 503)
                if answer.is_raw:
                    self._answer_raw(answer)
                    return
                self.send_response(answer.status)
                for name, value in {**answer.headers, "Content-Length": str(len(answer.body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def _answer_raw(self, answer: Answer) -> None:
                """Send the headers and the body as they are, or reset the connection if there are none; then close."""
                self.close_connection = True
                if not answer.headers:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()
                    return
                head = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
                self.wfile.write(f"HTTP/1.1 200 OK\r\n{head}Connection: close\r\n\r\n".encode() + answer.body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self._answers = answers
        self.n_failures = n_failures
        """Path -> number of responses with status 503 to come."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # Clients break connections. What is said of that would be in the output of a later test.
        self._server.handle_error = lambda *_: None
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def add(
        self,
        path: str,
        body: str | bytes = "",
        *,
        status: int = 200,
        content_type: str | None = "text/html; charset=utf-8",
        **headers: str,
    ) -> str:
        """Serve *body* at *path* and return its URL."""
        if content_type is not None:
            headers["Content-Type"] = content_type
        content = body.encode() if isinstance(body, str) else body
        self._answers[path] = Answer(content, status, headers)
        return self.url(path)

    def add_raw(self, path: str, headers: dict[str, str] | None, body: bytes) -> str:
        """Serve *body* at *path* with *headers* that may not fit it, and return its URL; None resets the connection."""
        usual = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))}
        self._answers[path] = Answer(body, headers={} if headers is None else {**usual, **headers}, is_raw=True)
        return self.url(path)

    def url(self, path: str) -> str:
        """Return the URL of *path*."""
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@dataclass
class CrawlResult:
    """The items, errors and stats of one crawl."""

    items: list[Any]
    dropped: list[tuple[Any, BaseException]]
    errors: list[Any]
    stats: dict[str, Any]
    crawler: Crawler

    @property
    def by_url(self) -> dict[str, Any]:
        """The dict items by their field ``url``."""
        return {item["url"]: item for item in self.items}

    @property
    def web2text_stats(self) -> dict[str, Any]:
        """The plugin's own stats without the seconds and the kinds of pages, names without their prefix."""
        names = [name for name in self.stats if name.startswith("web2text/") and not name.endswith("_seconds")]
        return {
            name.removeprefix("web2text/"): self.stats[name]
            for name in names
            if not name.startswith("web2text/page_kind/")
        }


def crawl(spider_class: type[Spider], settings: dict[str, Any] | None = None, **spider_arguments: Any) -> CrawlResult:
    """Run one crawl with the shallow rules, in a fresh asyncio loop without a Twisted reactor.

    Pages are extracted in threads unless the settings say otherwise: they start faster than processes.
    """

    async def run() -> CrawlResult:
        usual = {**QUIET, "WEB2TEXT_MODEL": "shallow:numwords", "WEB2TEXT_EXECUTOR": "thread"}
        runner = AsyncCrawlerRunner({**usual, **(settings or {})})
        crawler = runner.create_crawler(spider_class)
        result = CrawlResult([], [], [], {}, crawler)

        def scraped(item: Any) -> None:
            result.items.append(item)

        def dropped(item: Any, exception: BaseException) -> None:
            result.dropped.append((item, exception))

        def failed(item: Any, failure: Any) -> None:
            result.errors.append(failure.value)

        crawler.signals.connect(scraped, signals.item_scraped)
        crawler.signals.connect(dropped, signals.item_dropped)
        crawler.signals.connect(failed, signals.item_error)
        await runner.crawl(crawler, **spider_arguments)
        result.stats = crawler.stats.get_stats()
        return result

    return asyncio.run(run())


def spider_of(*urls: str, **attributes: Any) -> type[Spider]:
    """Return a spider that yields an item with the URL of each of *urls*, with *attributes* of its class."""

    def parse(self: Spider, response: Any) -> Any:
        yield {"url": response.url}

    return type("Pages", (Spider,), {"name": "pages", "start_urls": urls, "parse": parse, **attributes})
