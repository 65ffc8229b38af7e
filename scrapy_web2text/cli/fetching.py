"""Fetches one page for the command line, with Scrapy's downloader."""

from __future__ import annotations

from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response
from twisted.python.failure import Failure

__all__ = ["FetchError", "fetch"]


class FetchError(OSError):
    """A page could not be fetched."""


def fetch(url: str) -> Response:
    """Return the response for *url*, after redirects, retries and decompression as in a crawl.

    It starts and ends an event loop, so it can be called only once in a process, from the main thread.

    :raises FetchError: if there is no response, or its status is not 2xx.
    """
    outcome: list[Response | Failure] = []
    # The request meta key `handle_httpstatus_all` would also disable redirects.
    settings = {"HTTPERROR_ALLOW_ALL": True, "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False}
    process = AsyncCrawlerProcess(settings)
    process.crawl(_OnePage, url=url, outcome=outcome)
    process.start()
    if not outcome:
        raise FetchError(f"{url}: no response")
    result = outcome[0]
    if isinstance(result, Failure):
        raise FetchError(f"{url}: {result.getErrorMessage()}")
    if not 200 <= result.status < 300:
        raise FetchError(f"{url}: status {result.status}")
    return result


class _OnePage(Spider):
    name = "web2text-fetch"

    def __init__(self, url: str, outcome: list[Response | Failure], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.url = url
        self.outcome = outcome

    async def start(self) -> Any:
        yield Request(self.url, errback=self.outcome.append)

    def parse(self, response: Response, **kwargs: Any) -> None:  # noqa: ARG002
        self.outcome.append(response)
