"""The spider middleware: tells the pipeline exactly which item came from which response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request

from scrapy_web2text.crawl.extractor import CrawlExtractor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_web2text.crawl.responses import ResponseFinder

__all__ = ["Web2TextSpiderMiddleware"]


class Web2TextSpiderMiddleware:
    """Remembers the response of every item; requests and items pass as they are.

    At 100 it is next to the engine and sees the items as the other spider middlewares leave them.
    """

    def __init__(self, responses: ResponseFinder) -> None:
        self._responses = responses
        responses.sees_items = True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Web2TextSpiderMiddleware:
        """Return the middleware of *crawler*."""
        return cls(CrawlExtractor.of(crawler).responses)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield what *result* yields."""
        async for output in result:
            if output is not None and not isinstance(output, Request):
                self._responses.add_item(output, response)
            yield output
