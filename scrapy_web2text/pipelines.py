"""The item pipeline: writes the main content of its page into each item."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from scrapy_web2text.common.display import shorten
from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.crawl.items import ItemHtml, ItemLine, list_values, read_html, read_url
from scrapy_web2text.crawl.responses import ItemPage
from scrapy_web2text.crawl.settings import RequestOptions
from scrapy_web2text.exceptions import Web2TextError
from scrapy_web2text.extraction import Extraction

__all__ = ["LowConfidence", "NoText", "Web2TextPipeline"]

# The end of the message for an item without a response: the cause if the spider middleware is on, the remedy if not.
_CAUSE = ". The item comes from start(), or an earlier pipeline has replaced the original item"
_REMEDY = '. To match items exactly, add SPIDER_MIDDLEWARES = {"scrapy_web2text.Web2TextSpiderMiddleware": 100}'

_NO_RESPONSE = "No response found for %s: no response in progress has the URL in its field %r (WEB2TEXT_URL_FIELD)%s"
_OTHER_URL = (
    "The item with the URL %s gets no text: it comes from the callback of %s, which is another page. Yield it from the "
    "callback of its own page (cb_kwargs can carry it there), or set WEB2TEXT_URL_FIELD = None if the text of the "
    "callback's page is meant. Such items are counted as web2text/skipped/other_url"
)
_MISSING_FIELDS = (
    ". Declare them in the class, which must not be frozen, as scrapy_web2text.MainContentItem declares those that are "
    "written by default, or choose other fields. Such items are counted as web2text/missing_fields/…; with "
    'WEB2TEXT_ON_MISSING_FIELD = "error", they fail'
)
_MOST_REMEMBERED = 1_000  # items whose values are remembered, since an item can be yielded again


class NoText(Web2TextError, DropItem):
    """An item is dropped because its page has no text, by ``WEB2TEXT_ON_EMPTY``."""


class LowConfidence(Web2TextError, DropItem):
    """An item is dropped because the confidence for its page is below ``min_confidence``."""


class Web2TextPipeline:
    """Fills in the fields of ``WEB2TEXT_FIELDS``, and passes items on even if their pages have no answer.

    It drops items only if ``WEB2TEXT_ON_LOW_CONFIDENCE`` or ``WEB2TEXT_ON_EMPTY`` is ``drop``.
    """

    def __init__(self, extractor: CrawlExtractor) -> None:
        self._extractor = extractor
        self._settings = extractor.settings
        self._journal = extractor.journal
        # The fingerprints of the values written into the latest items, by field.
        self._written: OrderedDict[int, dict[str, object]] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Web2TextPipeline:
        """Return the pipeline of *crawler*."""
        return cls(CrawlExtractor.of(crawler))

    async def process_item(self, item: Any) -> Any:
        """Return *item* with its page's answer.

        :raises LowConfidence: if the confidence is low and ``WEB2TEXT_ON_LOW_CONFIDENCE`` is ``drop``.
        :raises NoText: if there is no text and ``WEB2TEXT_ON_EMPTY`` is ``drop``.
        :raises KeyError: if the item lacks a field and ``WEB2TEXT_ON_MISSING_FIELD`` is ``error``.
        """
        if not ItemAdapter.is_item(item):
            self._journal.count("skipped", "not_item")
            self._journal.log_once("not_item", "Not an item, passed through unchanged: %s", ItemLine(item))
            return item
        adapter = ItemAdapter(item)
        page = self._find_page(item)
        html = self._take_html(adapter)
        request = None if page.response is None else page.response.request
        asked = self._settings.read_meta({} if request is None else request.meta, page.url)
        if asked.is_disabled:
            self._journal.count("skipped", "disabled")
            return item
        if html.error is not None or html.text.strip():
            extraction = await self._extractor.extract_html(html, page.url, request, asked)
        else:
            self._report_empty_html(adapter, page.url)
            extraction = await self._extract(page, asked)
        if extraction.low_confidence and asked.options.on_low_confidence == "drop":
            least, ours = asked.options.min_confidence, self._settings.options.min_confidence
            source = self._settings.name_source("min_confidence") if least == ours else "min_confidence"
            raise LowConfidence(f"confidence {extraction.confidence:.4g} is below {source} {least}: {extraction.url}")
        if self._settings.on_empty == "drop" and not extraction.text:
            raise NoText(f"no text ({extraction.reason or extraction.page_kind}): {extraction.url}")
        self._fill(adapter, extraction, asked)
        return item

    def _find_page(self, item: Any) -> ItemPage:
        """Return the page of *item*: the page of its callback, or the page of its URL if the two differ."""
        responses, field = self._extractor.responses, self._settings.url_field
        page = responses.remove_item(item)
        if page is None:
            page = responses.find_page(read_url(item, field), "no_response")
            if page.response is None:
                remedy = _CAUSE if responses.sees_items else _REMEDY
                self._journal.log_once("no_response", _NO_RESPONSE, ItemLine(item), field, remedy)
        return page

    async def _extract(self, page: ItemPage, asked: RequestOptions) -> Extraction:
        response = page.response
        if page.reason is not None or response is None or response.request is None:
            if page.reason == "other_url":
                self._journal.log_once("other_url", _OTHER_URL, page.url, response and response.url)
            return self._extractor.skip(page.reason or "no_response", page.url)
        return await self._extractor.extract(response, response.request, asked, for_item=True)

    def _take_html(self, adapter: ItemAdapter) -> ItemHtml:
        """Return the HTML of an item. Its field then holds text, since feeds cannot write bytes and Selectors."""
        field = self._settings.html_field
        value = None if field is None else adapter.get(field)
        html = read_html(value)
        if field is not None and html.error is None and not isinstance(value, str | None):
            with suppress(Exception):  # a frozen item
                adapter[field] = html.text
        return html

    def _report_empty_html(self, adapter: ItemAdapter, url: str | None) -> None:
        """Count and log an item that has no HTML of its own although ``WEB2TEXT_HTML_FIELD`` is set."""
        field = self._settings.html_field
        if field is not None:
            self._journal.count("empty_html_fields")
            has_field = field in adapter
            self._journal.log_once(
                f"empty_html_fields {has_field}",
                "An item of %s %s field %r (WEB2TEXT_HTML_FIELD), so the response is extracted. Such items are counted "
                "as web2text/empty_html_fields",
                url,
                "has an empty" if has_field else "lacks the",
                field,
                level=logging.INFO if has_field else logging.WARNING,
            )

    def _fill(self, adapter: ItemAdapter, extraction: Extraction, asked: RequestOptions) -> None:
        refused = dict[str, Exception]()
        is_filled = False
        written = self._written.pop(id(adapter.item), {})
        for name, attribute in self._settings.fields.items():
            if attribute == "blocks" and asked.options.blocks == "none":
                continue
            try:
                if not self._keeps(adapter, name, written):
                    adapter[name] = value = extraction.field(attribute, asked.options.block_fields)
                    written[name] = _fingerprint(value)
                is_filled = True
            except Exception as e:  # noqa: BLE001  item classes raise errors of any type
                refused[name] = e
        self._written[id(adapter.item)] = written
        if len(self._written) > _MOST_REMEMBERED:
            self._written.popitem(last=False)
        if refused:
            self._report_refused(type(adapter.item).__qualname__, refused, is_filled=is_filled)

    def _keeps(self, adapter: ItemAdapter, name: str, written: Mapping[str, object]) -> bool:
        """Return whether an item has a value of its own in the field *name*. Such values are counted, and logged once.

        :param written: the fingerprints of the values that the pipeline has written into this item.
        """
        value = adapter.get(name)
        if not value or not list_values(value) or name == self._settings.html_field:
            return False
        if written.get(name) == _fingerprint(value):  # the item was yielded before
            return False
        self._journal.count("kept_fields", name)
        item_class = type(adapter.item).__qualname__
        self._journal.log_once(
            f"kept_fields {item_class} {name}",
            "Keeping the value of the field %r in items of %s: the spider, or an earlier pipeline, has set it. If the "
            "field is to hold the answer, do not set it; if not, choose another in WEB2TEXT_FIELDS. Such values are "
            "counted as web2text/kept_fields/%s",
            name,
            item_class,
            name,
        )
        return True

    def _report_refused(self, item_class: str, refused: Mapping[str, Exception], *, is_filled: bool) -> None:
        """Count and log the fields that an item does not have, or raise an error.

        :param refused: field -> the error; a KeyError if the class does not declare the field.
        :param is_filled: whether the item takes at least one of the fields. Its author may not want the others.
        """
        others = {name: error for name, error in refused.items() if not isinstance(error, KeyError)}
        causes = (f"{name} ({shorten(str(others[name]), 100)})" if name in others else name for name in refused)
        problem = f"Items of {item_class} do not take fields of WEB2TEXT_FIELDS: {', '.join(causes)}"
        if self._settings.on_missing_field == "error":
            raise KeyError(problem)
        for name in refused:
            self._journal.count("missing_fields", name)
        self._journal.log_once(
            f"fields of {item_class}",
            f"%s{_MISSING_FIELDS}",
            problem,
            level=logging.INFO if is_filled and not others else logging.WARNING,
        )


def _fingerprint(value: object) -> object:
    """Return a fingerprint by which a value in an item is recognized later, without keeping the value alive."""
    if isinstance(value, str):
        return hash(value)
    size = len(value) if hasattr(value, "__len__") else value
    return type(value), size
