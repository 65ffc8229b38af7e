"""The item pipeline: writes the main content of its page into every item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.crawl.settings import META_KEY
from scrapy_web2text.exceptions import Web2TextError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.options import Options

__all__ = ["LowConfidence", "Web2TextPipeline"]

# Why no response is known where the spider middleware is there, and how to know it where it is not.
_WHY = ", and it comes from start(), or a pipeline before this one has put it in the place of another"
_HOW = '. To know it, add SPIDER_MIDDLEWARES = {"scrapy_web2text.Web2TextSpiderMiddleware": 100}'


class LowConfidence(Web2TextError, DropItem):
    """The answer for an item's page is below ``min_confidence``, and the user wants such items dropped."""


class Web2TextPipeline:
    """Fills in the fields of ``WEB2TEXT_FIELDS``; hands every item on, whatever becomes of its page."""

    def __init__(self, extractor: CrawlExtractor) -> None:
        self._extractor = extractor
        self._settings = extractor.settings

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Web2TextPipeline:
        """Return the pipeline of *crawler*."""
        return cls(CrawlExtractor.of(crawler))

    async def process_item(self, item: Any) -> Any:
        """Return *item* with its page's answer.

        :raises LowConfidence: if the confidence is low and ``WEB2TEXT_ON_LOW_CONFIDENCE`` is ``drop``.
        :raises KeyError: if the item lacks a field and ``WEB2TEXT_ON_MISSING_FIELD`` is ``error``.
        """
        if not ItemAdapter.is_item(item):
            self._extractor.count("skipped/not_item")
            self._extractor.tell_once("not_item", "Nothing can be written into what is no item: %r", item)
            return item
        adapter = ItemAdapter(item)
        response = self._response_of(adapter)
        request = None if response is None else response.request
        if request is not None and request.meta.get(META_KEY) is False:
            self._extractor.count("skipped/disabled")
            return item
        extraction = await self._extract(adapter, response, request)
        if extraction.low_confidence and self._options(request).on_low_confidence == "drop":
            raise LowConfidence(f"confidence {extraction.confidence} is too low: {extraction.url}")
        self._fill(adapter, extraction)
        return item

    def _response_of(self, adapter: ItemAdapter) -> Response | None:
        responses = self._extractor.responses
        response = responses.remove_item(adapter.item)
        url = self._url_of(adapter)
        return responses.find_by_url(url) if response is None and url is not None else response

    def _url_of(self, adapter: ItemAdapter) -> str | None:
        field = self._settings.url_field
        url = None if field is None else adapter.get(field)
        return None if url is None else str(url)

    async def _extract(self, adapter: ItemAdapter, response: Response | None, request: Request | None) -> Extraction:
        html_field = self._settings.html_field
        html = None if html_field is None else adapter.get(html_field)
        if isinstance(html, (str, bytes)) and html.strip():
            url = self._url_of(adapter) if response is None else response.url
            return await self._extractor.extract_html(html, url, request)
        if response is not None and request is not None:
            return await self._extractor.extract(response, request)
        self._extractor.tell_once(
            "no_response",
            "No response is known for %r: its field %r (WEB2TEXT_URL_FIELD) names no page at work%s",
            *(adapter.item, self._settings.url_field, _WHY if self._extractor.responses.sees_items else _HOW),
        )
        return self._extractor.skip("no_response", self._url_of(adapter))

    def _options(self, request: Request | None) -> Options:
        return self._settings.options if request is None else self._settings.options_for(request.meta)

    def _fill(self, adapter: ItemAdapter, extraction: Extraction) -> None:
        refused = {}
        is_unknown = extraction.fallback_reason == "no_response"
        for name, attribute in self._settings.fields.items():
            try:
                if is_unknown and adapter.get(name):
                    continue  # what somebody has filled in is better than nothing
                adapter[name] = extraction.field(attribute)
            except Exception as e:  # noqa: BLE001  an item class may refuse in its own way
                refused[name] = e
        if not refused:
            return
        item_class = type(adapter.item).__qualname__
        if self._settings.on_missing_field == "error":
            raise KeyError(f"{item_class} lacks fields of WEB2TEXT_FIELDS: {refused}")
        for name in refused:
            self._extractor.count(f"missing_fields/{name}")
        self._extractor.tell_once(
            f"fields of {item_class}",
            "%s lacks fields of WEB2TEXT_FIELDS, left out: %s. Add them to the class, name others, or set"
            ' WEB2TEXT_ON_MISSING_FIELD = "error"',
            item_class,
            refused,
        )
