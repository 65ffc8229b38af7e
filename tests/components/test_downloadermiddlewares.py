from __future__ import annotations

import pickle
from typing import Any, ClassVar

import pytest
from mockserver import SENTENCE, MockSite, article, crawl, spider_of
from scrapy import Request, Spider
from scrapy.http.request import NO_CALLBACK

from scrapy_web2text import Extraction

MIDDLEWARE = {"DOWNLOADER_MIDDLEWARES": {"scrapy_web2text.Web2TextDownloaderMiddleware": 540}}
BOTH = {**MIDDLEWARE, "ITEM_PIPELINES": {"scrapy_web2text.Web2TextPipeline": 300}}


class Rewriting:
    """A downloader middleware closer to the engine, which returns another response."""

    def process_response(self, request, response):
        body = article("A later middleware has put quite another text into the response of this page.")
        return response.replace(body=body.encode())


def pages(url: str, meta: dict[str, Any] | None, settings: dict[str, Any]) -> type[Spider]:
    """Return a spider that yields, for each page, its URL and the result that its callback saw."""

    class Pages(Spider):
        name = "pages"
        custom_settings: ClassVar = settings
        handle_httpstatus_list: ClassVar = [404]

        async def start(self):
            yield Request(url, meta=meta)

        def parse(self, response):
            yield {"url": response.url, "seen": response.meta.get("web2text_result")}

    return Pages


def seen(site: MockSite, meta: dict[str, Any] | None, **settings: Any) -> Extraction | None:
    (item,) = crawl(pages(site.url("/article"), meta, {**MIDDLEWARE, **settings})).items
    return item["seen"]


def test_true_in_request_meta_gives_an_answer_that_can_be_pickled_to_the_callback(site: MockSite):
    extraction = seen(site, {"web2text": True})
    assert isinstance(extraction, Extraction)
    assert SENTENCE in extraction.text
    assert extraction.url == site.url("/article")
    assert pickle.loads(pickle.dumps(extraction)) == extraction


@pytest.mark.parametrize(
    ("asked", "setting", "is_extracted"),
    [
        (None, False, False),
        (None, True, True),
        (False, True, False),
        ({"blocks": "none", "in_middleware": True}, False, True),
    ],
)
def test_a_page_is_extracted_if_the_request_or_else_the_setting_asks_for_it(site, asked, setting, is_extracted):
    extraction = seen(site, None if asked is None else {"web2text": asked}, WEB2TEXT_IN_MIDDLEWARE=setting)
    assert (extraction is not None) is is_extracted
    if extraction is not None:
        assert SENTENCE in extraction.text
        assert bool(extraction.blocks) is (asked is None)


def test_the_pipeline_reuses_the_result_for_the_same_response(site: MockSite):
    result = crawl(pages(site.url("/article"), {"web2text": True}, BOTH))
    assert result.items[0]["main_content"] == result.items[0]["seen"].text
    assert result.web2text_stats["pages"] == 1


def test_the_pipeline_extracts_again_from_another_body(site: MockSite):
    settings = {**BOTH, "DOWNLOADER_MIDDLEWARES": {**MIDDLEWARE["DOWNLOADER_MIDDLEWARES"], Rewriting: 100}}
    result = crawl(pages(site.url("/article"), {"web2text": True}, settings))
    assert SENTENCE in result.items[0]["seen"].text
    assert "quite another text" in result.items[0]["main_content"]
    assert result.web2text_stats["pages"] == 2


def test_the_pipeline_extracts_again_with_other_options(site: MockSite):
    class Pages(pages(site.url("/article"), {"web2text": True}, BOTH)):
        def parse(self, response):
            response.meta["web2text"] = {"blocks": "none"}
            yield from super().parse(response)

    result = crawl(Pages)
    assert result.items[0]["seen"].blocks
    assert "blocks" not in result.items[0]
    assert result.web2text_stats["pages"] == 2


def test_a_result_in_copied_meta_is_not_used_for_another_page(site: MockSite):
    second = site.add("/second", article("The second page tells quite another story about a castle and its garden."))

    class Pages(pages(site.url("/article"), {"web2text": True}, BOTH)):
        def parse(self, response):
            yield Request(second, meta={**response.meta, "web2text": None}, callback=super().parse)

    (item,) = crawl(Pages).items
    assert item["seen"] is None
    assert "quite another story" in item["main_content"]


def test_a_skipped_page_gives_the_callback_an_empty_answer_and_is_counted_once(site: MockSite):
    url = site.add("/image", b"\x89PNG\r\n\x1a\n", content_type="image/png")
    result = crawl(pages(url, {"web2text": True}, BOTH))
    (item,) = result.items
    assert item["seen"] == Extraction(reason="not_html", url=url)
    assert (item["main_content"], item["web2text"]["reason"]) == ("", "not_html")
    assert result.web2text_stats == {"skipped/not_html": 1}


def test_requests_of_other_components_are_not_extracted(site: MockSite):
    site.add("/robots.txt", "User-agent: *\nDisallow: /private\n", content_type="text/plain")
    result = crawl(pages(site.url("/article"), None, {**BOTH, "WEB2TEXT_IN_MIDDLEWARE": True, "ROBOTSTXT_OBEY": True}))
    assert result.stats["robotstxt/response_status_count/200"] == 1
    assert result.web2text_stats == {"pages": 1, "method/rules": 1}


def test_a_component_can_ask_for_its_own_request(site: MockSite):
    async def parse(self, response):
        request = Request(response.url + "?own", callback=NO_CALLBACK, meta={"web2text": True})
        own = await self.crawler.engine.download_async(request)
        yield {"text": own.meta["web2text_result"].text}

    assert SENTENCE in crawl(spider_of(site.url("/article"), parse=parse), MIDDLEWARE).items[0]["text"]
