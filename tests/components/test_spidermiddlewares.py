from __future__ import annotations

import gc
from typing import Any

from mockserver import SENTENCE, CrawlResult, MockSite, article, crawl, spider_of
from scrapy import Request
from scrapy.exceptions import DropItem

from scrapy_web2text.crawl.extractor import CrawlExtractor

OTHER = "On the other page one reads about the garden of the castle and the people who work in it."
COMPONENTS = {
    "ITEM_PIPELINES": {"scrapy_web2text.Web2TextPipeline": 300},
    "SPIDER_MIDDLEWARES": {"scrapy_web2text.Web2TextSpiderMiddleware": 100},
}
left: list[int] = []


class Meddling:
    """A pipeline before ours that drops, breaks or replaces items, and looks at what is kept when the spider closes."""

    @classmethod
    def from_crawler(cls, crawler):
        pipeline = cls()
        pipeline.responses = CrawlExtractor.of(crawler).responses
        return pipeline

    def process_item(self, item):
        if item.get("do") == "drop":
            raise DropItem("not wanted")
        if item.get("do") == "break":
            raise LookupError("on purpose")
        return dict(item) if item.get("do") == "replace" else item

    def close_spider(self):
        gc.collect()
        # pytest's log capture keeps the responses of errors alive, so the items are counted.
        left[:] = [len(self.responses._by_item_id), *map(len, self.responses._items.values())]


MEDDLING = {"ITEM_PIPELINES": {**COMPONENTS["ITEM_PIPELINES"], Meddling: 100}}


def crawl_pages(*urls: str, make: Any = lambda response: {}, **settings: Any) -> CrawlResult:
    """Crawl *urls* and yield an item with the URL of each response and what *make* adds to it."""

    def parse(self, response):
        yield {"from": response.url, **make(response)}
        yield None

    return crawl(spider_of(*urls, parse=parse), {**COMPONENTS, **settings})


def test_an_item_gets_the_text_of_its_page(site: MockSite):
    other = site.add("/other", article(OTHER))
    texts = {item["from"]: item["main_content"] for item in crawl_pages(site.url("/article"), other).items}
    assert SENTENCE in texts[site.url("/article")]
    assert OTHER in texts[other]
    (item,) = crawl_pages(site.url("/article"), make=lambda _: {"url": other}).items
    assert item["main_content"] == ""


def test_items_of_asynchronous_callbacks_are_seen_too_and_requests_pass_unchanged(site: MockSite):
    async def parse_item(response):
        yield {"n": 1}

    def parse(self, response):
        yield Request(site.add("/other", article(OTHER)), callback=parse_item)

    (item,) = crawl(spider_of(site.url("/article"), parse=parse), COMPONENTS).items
    assert OTHER in item["main_content"]


def test_no_item_is_kept_after_its_processing(site: MockSite):
    fates = ("drop", "break", "replace", "keep", "drop and hold", "break and hold")
    urls = {site.add(f"/{number}", article()): fate for number, fate in enumerate(fates)}

    def make(response):
        do, _, hold = urls[response.url].partition(" and ")
        return {"do": do, "url": response.url, **({"response": response} if hold else {})}

    result = crawl_pages(*urls, make=make, **MEDDLING)
    assert set(left) == {0}
    # The replaced item is found by its URL.
    found = {item["do"]: SENTENCE in item["main_content"] for item in result.items}
    assert found == {"replace": True, "keep": True}
