from __future__ import annotations

import gc
from typing import Any, ClassVar

import pytest
from mockserver import SENTENCE, MockSite, article, crawl
from scrapy import Request, Spider
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


def spider_of(*urls: str, settings: dict[str, Any] | None = None, **fields: Any) -> type[Spider]:
    class Pages(Spider):
        name = "pages"
        start_urls: ClassVar = list(urls)
        custom_settings: ClassVar = {**COMPONENTS, **(settings or {})}

        def parse(self, response):
            yield {"from": response.url, **fields}
            yield None

    return Pages


def test_an_item_that_does_not_name_its_page_gets_the_text_of_its_page(site: MockSite):
    other = site.add("/other", article(OTHER))
    result = crawl(spider_of(site.url("/article"), other))
    texts = {item["from"]: item["main_content"] for item in result.items}
    assert SENTENCE in texts[site.url("/article")]
    assert OTHER in texts[other]


def test_the_response_takes_precedence_over_the_url_that_an_item_names(site: MockSite):
    other = site.add("/other", article(OTHER))
    (item,) = crawl(spider_of(site.url("/article"), url=other)).items
    assert SENTENCE in item["main_content"]


def test_items_of_asynchronous_callbacks_are_seen_too(site: MockSite):
    class Pages(spider_of(site.url("/article"))):
        async def parse(self, response):
            yield {"n": 1}

    assert SENTENCE in crawl(Pages).items[0]["main_content"]


def test_requests_pass_unchanged(site: MockSite):
    class Pages(spider_of(site.url("/article"))):
        def parse(self, response):
            yield Request(site.add("/other", article(OTHER)), callback=super().parse)

    (item,) = crawl(Pages).items
    assert OTHER in item["main_content"]


def test_an_item_that_another_pipeline_replaces_is_found_by_its_url(site: MockSite):
    settings = {"ITEM_PIPELINES": {**COMPONENTS["ITEM_PIPELINES"], Meddling: 100}}
    (item,) = crawl(spider_of(site.url("/article"), do="replace", url=site.url("/article"), settings=settings)).items
    assert SENTENCE in item["main_content"]


@pytest.mark.parametrize("do", ["drop", "break", "replace", "keep"])
def test_no_item_is_kept_after_its_processing(site: MockSite, do):
    settings = {"ITEM_PIPELINES": {**COMPONENTS["ITEM_PIPELINES"], Meddling: 100}}
    crawl(spider_of(site.url("/article"), do=do, settings=settings))
    assert set(left) == {0}


@pytest.mark.parametrize("do", ["drop", "break"])
def test_an_item_that_holds_its_response_is_not_kept_either(site: MockSite, do):
    class Pages(spider_of(settings={"ITEM_PIPELINES": {**COMPONENTS["ITEM_PIPELINES"], Meddling: 100}})):
        start_urls: ClassVar = [site.url("/article")]

        def parse(self, response):
            yield {"do": do, "response": response}

    crawl(Pages)
    assert set(left) == {0}


def test_an_item_from_the_start_has_no_response(site: MockSite):
    class Pages(spider_of()):
        async def start(self):
            yield {"n": 1}

    result = crawl(Pages)
    assert result.web2text_stats == {"skipped/no_response": 1}
    assert result.items[0]["main_content"] == ""


def test_the_off_switch_disables_the_middleware(site: MockSite):
    result = crawl(spider_of(site.url("/article"), settings={"WEB2TEXT_ENABLED": False}))
    assert result.items == [{"from": site.url("/article")}]
