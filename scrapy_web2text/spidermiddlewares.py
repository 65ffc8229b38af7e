"""The spider middleware: lets the pipeline match every item with its response."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.crawl.items import read_url
from scrapy_web2text.crawl.responses import ResponseFinder

__all__ = ["Web2TextSpiderMiddleware"]


class Web2TextSpiderMiddleware:
    """Records the response of every item. Requests and items pass unchanged.

    At 100 it is close to the engine, so it sees the items that the other spider middlewares let through.
    """

    def __init__(self, responses: ResponseFinder, url_field: str | None = None) -> None:
        self._responses, self._url_field = responses, url_field
        responses.sees_items = True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Web2TextSpiderMiddleware:
        """Return the middleware of *crawler*."""
        extractor = CrawlExtractor.of(crawler)
        return cls(extractor.responses, extractor.settings.url_field)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield the items and requests of *result*."""
        async for output in result:
            if output is not None and not isinstance(output, Request):
                self._responses.add_item(output, response, read_url(output, self._url_field))
            yield output
