"""Decides which responses of Scrapy are pages, and fetches one page for the commands with Scrapy's downloader."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any, Final

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse
from twisted.python.failure import Failure

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.page.sniffing import (
    content_type,
    find_extent,
    has_html_tag,
    is_empty_body,
    looks_binary,
    stated_encoding,
)
from scrapy_web2text.reasons import SkipReason, describe_failure
from scrapy_web2text.sources.source import Source

# Media types of pages in a plain `Response`, Scrapy's class for bytes.
_MEDIA_TYPES: Final = ("", "text/html", "application/xhtml+xml")
# What an error of the network repeats: "Connection was refused by other side: 111: Connection refused."
_ERRNO: Final = re.compile(r"^.*: \d+: (\w)")


def skip_reason(response: Response, *, statuses: Container[int], max_bytes: int | None) -> SkipReason | None:
    """Return why *response* is skipped, such as ``status`` or ``not_html``; None if it is extracted.

    :param max_bytes: length of the longest body, in bytes; None for no limit.
    """
    if response.status not in statuses:
        return "status"
    if is_empty_body(response.body):
        return "empty_body"
    if not _is_html(response):
        return "not_html"
    return "max_bytes" if max_bytes is not None and len(response.body) > max_bytes else None


def _is_html(response: Response) -> bool:
    """Return whether *response* is HTML by its class, or begins with HTML tags and is neither JSON nor a download.

    Scrapy can give a page without a Content-Type the class for text or for bytes, and XHTML the class for XML. A body
    that begins with the signature of another format is never HTML.
    """
    if isinstance(response, JsonResponse) or looks_binary(response.body, stated_encoding(response)):
        return False
    if isinstance(response, TextResponse):
        return isinstance(response, HtmlResponse) or has_html_tag(response.body)
    media_type = content_type(response).partition(";")[0].strip().lower()
    return media_type in _MEDIA_TYPES and find_extent(response.body) == "page"


def fetch_page(url: str, max_bytes: int | None) -> Source:
    """Return a page with its URL after redirects.

    The page is fetched with redirects, retries and decompression as in a crawl. Since this starts and ends an event
    loop, the function can be called only once in a process, from the main thread.

    :param max_bytes: length of the longest page, in bytes, compressed and decompressed; None for Scrapy's limit, 1 GiB.
    :raises OSError: if there is no response, or its status is not 2xx.
    :raises PageError: if the page is not HTML or is too long.
    """
    result = _fetch(url, max_bytes)
    if isinstance(result, Failure):
        error = result.value
        # The download or the decompression was canceled at the largest size. Requests can be ignored for other reasons.
        is_ignored = isinstance(error, IgnoreRequest) and "DOWNLOAD_MAXSIZE" in str(error)
        if is_ignored or isinstance(error, DownloadCancelledError):
            raise PageError("max_bytes", f"{url}: {describe_failure('max_bytes')}")
        problem = _ERRNO.sub(lambda found: found[1].lower(), result.getErrorMessage())
        raise OSError(f"{url}: {problem.removesuffix('.')}")
    if not 200 <= result.status < 300:
        raise OSError(f"{url}: status {result.status}")
    reason = skip_reason(result, statuses=(result.status,), max_bytes=max_bytes)
    if reason is not None:
        raise PageError(reason, f"{url}: {describe_failure(reason)}")
    return Source(result.body, result.url, stated_encoding(result))


def _fetch(url: str, max_bytes: int | None) -> Response | Failure:
    outcome: list[Response | Failure] = []
    # The request meta key `handle_httpstatus_all` would also disable redirects.
    settings: dict[str, Any] = {"HTTPERROR_ALLOW_ALL": True, "LOG_LEVEL": "CRITICAL", "TELNETCONSOLE_ENABLED": False}
    if max_bytes is not None:
        settings["DOWNLOAD_MAXSIZE"] = max_bytes
    process = AsyncCrawlerProcess(settings)
    process.crawl(_OnePage, url=url, outcome=outcome)
    process.start()
    if not outcome:
        raise OSError(f"{url}: no response")
    return outcome[0]


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
