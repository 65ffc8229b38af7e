"""A spider for several processes that share a queue in Redis; its settings are in ``settings_redis.py``."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from scrapy_redis.spiders import RedisSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler

__all__ = ["SharedSpider"]


class SharedSpider(RedisSpider):
    """Crawls the sites of the start URLs in Redis, and yields ``{"url": …}`` for each page.

    A start URL is plain, or JSON with options of scrapy-web2text for its page::

        redis-cli rpush shared:start_urls https://example.com/
        redis-cli rpush shared:start_urls '{"url": "https://example.com/", "meta": {"web2text": {"threshold": 0.4}}}'
    """

    name = "shared"

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> SharedSpider:
        """Return a spider that is idle since its last response.

        With scrapy-redis alone it is idle since its last start URL, or since Python imported the package, however much
        it has crawled since: a short lack of requests ends the process.
        """
        spider: SharedSpider = super().from_crawler(crawler, *args, **kwargs)
        for signal in (signals.spider_opened, signals.response_received):
            crawler.signals.connect(spider._note_work, signal)
        return spider

    def _note_work(self) -> None:
        self.spider_idle_start_time = int(time.time())

    async def start(self) -> AsyncIterator[Request]:
        """Yield requests for the first start URLs.

        scrapy-redis has ``start_requests``, which Scrapy no longer calls since 2.16.
        """
        for request in self.next_requests():
            yield request

    def make_request_from_data(self, data: bytes) -> Request:
        """Return the request for a start URL, which is crawled only once, unlike with scrapy-redis."""
        text = data.decode()
        values = json.loads(text) if text.startswith("{") else {"url": text}
        return Request(values["url"], meta=values.get("meta", {}))

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield a request for each link of the page, then its item; the scheduler drops the links seen before.

        The links come first: when the item is stored, the page is done.
        """
        if isinstance(response, HtmlResponse):
            links = LinkExtractor(allow_domains=[response.url.split("/")[2]])
            for link in links.extract_links(response):
                yield Request(link.url.partition("#")[0])
        yield {"url": response.url}
