"""The item pipeline: writes the main content of its page into each item."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from itemadapter import ItemAdapter
from parsel import SelectorList
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Response

from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.crawl.responses import find_host, has_foreign_host
from scrapy_web2text.crawl.settings import RequestOptions
from scrapy_web2text.exceptions import Web2TextError
from scrapy_web2text.extraction import Extraction

__all__ = ["LowConfidence", "Web2TextPipeline"]

# The end of the message for an item without a response: the cause if the spider middleware is on, the remedy if not.
_CAUSE = ". The item comes from start(), or an earlier pipeline has replaced the original item"
_REMEDY = '. To match items exactly, add SPIDER_MIDDLEWARES = {"scrapy_web2text.Web2TextSpiderMiddleware": 100}'


class LowConfidence(Web2TextError, DropItem):
    """An item is dropped because the confidence for its page is below ``min_confidence``."""


class Web2TextPipeline:
    """Fills in the fields of ``WEB2TEXT_FIELDS``, and passes items on even if their pages have no answer.

    It drops items only for low confidence, if ``WEB2TEXT_ON_LOW_CONFIDENCE`` is ``drop``.
    """

    def __init__(self, extractor: CrawlExtractor, *, has_poet: bool = False) -> None:
        self._extractor = extractor
        self._settings = extractor.settings
        self._journal = extractor.journal
        self._has_poet = has_poet

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Web2TextPipeline:
        """Return the pipeline of *crawler*."""
        middlewares = map(str, crawler.settings.getdict("DOWNLOADER_MIDDLEWARES"))
        return cls(CrawlExtractor.of(crawler), has_poet=any("scrapy_poet" in name for name in middlewares))

    async def process_item(self, item: Any) -> Any:
        """Return *item* with its page's answer.

        :raises LowConfidence: if the confidence is low and ``WEB2TEXT_ON_LOW_CONFIDENCE`` is ``drop``.
        :raises KeyError: if the item lacks a field and ``WEB2TEXT_ON_MISSING_FIELD`` is ``error``.
        """
        if not ItemAdapter.is_item(item):
            self._journal.count("skipped", "not_item")
            self._journal.log_once("not_item", "Not an item, passed through unchanged: %r", item)
            return item
        adapter = ItemAdapter(item)
        stated = self._stated_url(adapter)
        response = self._find_response(item, stated)
        request = None if response is None else response.request
        url = stated if response is None else response.url
        asked = self._settings.read_meta({} if request is None else request.meta, url)
        if asked.is_disabled:
            self._journal.count("skipped", "disabled")
            return item
        self._warn_of_unwritten_parts(asked)
        html = self._html_of(adapter)
        if html is not None:
            extraction = await self._extractor.extract_html(html, url, request, asked)
        else:
            self._report_empty_html(adapter, url)
            extraction = await self._extract(item, stated, response, asked)
        if extraction.low_confidence and asked.options.on_low_confidence == "drop":
            least = asked.options.min_confidence
            raise LowConfidence(
                f"confidence {extraction.confidence:.4g} is below min_confidence {least}: {extraction.url}"
            )
        self._fill(adapter, extraction, asked.options.block_fields)
        return item

    def _warn_of_unwritten_parts(self, asked: RequestOptions) -> None:
        """Warn once if a part of the answer goes nowhere: into no item, and not to the callback."""
        if asked.in_middleware or self._has_poet:
            return
        for name in self._settings.unwritten_parts:
            self._journal.log_once(
                f"unwritten {name}",
                "%s has no effect: WEB2TEXT_FIELDS has no %r, and the callback did not ask for the answer",
                self._settings.name_source(name),
                name,
            )

    def _stated_url(self, adapter: ItemAdapter) -> str | None:
        """Return the URL in the field for it."""
        field = self._settings.url_field
        url = None if field is None else adapter.get(field)
        return None if url is None else str(url)

    def _find_response(self, item: Any, url: str | None) -> Response | None:
        response = self._extractor.responses.remove_item(item)
        return self._extractor.responses.find_by_url(url) if response is None and url is not None else response

    async def _extract(
        self, item: Any, url: str | None, response: Response | None, asked: RequestOptions
    ) -> Extraction:
        """Return the answer for *response*, which *item* came from, with *url* in its field."""
        if response is not None and response.request is not None:
            self._check_host(url, response)
            return await self._extractor.extract(response, response.request, asked, for_item=True)
        self._journal.log_once(
            "no_response",
            "No response found for %r: no response in progress has the URL in its field %r (WEB2TEXT_URL_FIELD)%s",
            *(item, self._settings.url_field, _CAUSE if self._extractor.responses.sees_items else _REMEDY),
        )
        return self._extractor.skip("no_response", url)

    def _check_host(self, url: str | None, response: Response) -> None:
        """Count an item whose URL is of another host than its response; log the first for each host of a response."""
        if url is None or not has_foreign_host(url, response):
            return
        self._journal.count("foreign_urls")
        message = (
            "The item with the URL %s gets the text of %s, from another host. Yield each item from the callback of its "
            "own page, or set WEB2TEXT_URL_FIELD = None if this is intended. Such items are counted as "
            "web2text/foreign_urls"
        )
        self._journal.log_once(f"foreign_urls {find_host(response.url)}", message, url, response.url)

    def _html_of(self, adapter: ItemAdapter) -> Any:
        """Return the value of the HTML field; None if it is empty or there is no such field."""
        field = self._settings.html_field
        html = None if field is None else adapter.get(field)
        is_empty = isinstance(html, (str, bytes)) and not html.strip()
        return None if is_empty or (isinstance(html, SelectorList) and not html) else html

    def _report_empty_html(self, adapter: ItemAdapter, url: str | None) -> None:
        """Count and log an item that has no HTML of its own although ``WEB2TEXT_HTML_FIELD`` is set."""
        field = self._settings.html_field
        if field is None:
            return
        self._journal.count("empty_html_fields")
        problem, level = ("has an empty", logging.INFO) if field in adapter else ("lacks the", logging.WARNING)
        message = (
            "An item of %s %s field %r (WEB2TEXT_HTML_FIELD), so the response is extracted. Such items are counted as "
            "web2text/empty_html_fields"
        )
        self._journal.log_once(f"empty_html_fields {problem}", message, url, problem, field, level=level)

    def _fill(self, adapter: ItemAdapter, extraction: Extraction, block_fields: Sequence[str]) -> None:
        refused = {}
        is_unknown = extraction.fallback_reason == "no_response"
        for name, attribute in self._settings.fields.items():
            try:
                if is_unknown and adapter.get(name):
                    continue  # the spider has filled it in
                adapter[name] = extraction.field(attribute, block_fields)
            except Exception as e:  # noqa: BLE001  item classes raise errors of any type
                refused[name] = e
        if not refused:
            return
        item_class = type(adapter.item).__qualname__
        if self._settings.on_missing_field == "error":
            raise KeyError(f"{item_class} does not take fields of WEB2TEXT_FIELDS: {refused}")
        for name in refused:
            self._journal.count("missing_fields", name)
        self._journal.log_once(
            f"fields of {item_class}",
            "%s does not take fields of WEB2TEXT_FIELDS, skipped: %s. Add them to the class, which must not be frozen, "
            'choose other fields, or set WEB2TEXT_ON_MISSING_FIELD = "error"',
            item_class,
            refused,
        )
