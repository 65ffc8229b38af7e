"""The feeds of a crawl: finds the values of an answer in an item, and reports how many items a feed leaves out."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary, proxy

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, ItemFilter

from scrapy_web2text.content.forms import FRONT_MATTER
from scrapy_web2text.crawl.journal import Journal
from scrapy_web2text.crawl.settings import DEFAULT_FIELDS, Web2TextSettings
from scrapy_web2text.crawl.summary import format_counts
from scrapy_web2text.extraction import Extraction

# Value -> the item field to read if the settings name no field for the value.
_USUAL_FIELDS: Final = {
    **{value: field for field, value in DEFAULT_FIELDS.items()},
    **{name: name for name in ("markdown", *FRONT_MATTER) if name != "title"},
}

_SUMMARY: Final = frozenset(Extraction().summary)


class ItemValues:
    """Finds the values of an answer in items.

    :param settings: settings that name the item field of each value; None for the default settings.
    :param chosen: value -> the item field that holds it, which overrides the settings; None to follow the settings.
    """

    def __init__(self, settings: Web2TextSettings | None, chosen: Mapping[str, str | None]) -> None:
        fields: dict[str, list[str]] = {}
        for field, value in (DEFAULT_FIELDS if settings is None else settings.fields).items():
            fields.setdefault(value, []).append(field)
        if settings is not None and settings.url_field is not None:
            # The field that the spider fills in comes before a field with the URL of the response.
            fields.setdefault("url", []).insert(0, settings.url_field)
        fields |= {value: [field] for value, field in chosen.items() if field is not None}
        self._filled = frozenset(fields)
        self._fields = {value: [field] for value, field in _USUAL_FIELDS.items()} | fields

    def can_find(self, value: str) -> bool:
        """Return whether settings or caller name an item field for *value*, or for the summary that has it."""
        return value in self._filled or (value in _SUMMARY and "summary" in self._filled)

    def fields_of(self, value: str) -> list[str]:
        """Return the item fields that may hold *value*, with the fields of the summary if it has *value*."""
        return [*self._fields.get(value, ()), *(self._fields["summary"] if value in _SUMMARY else ())]

    def has_field(self, item: Any, value: str) -> bool:
        """Return whether *item* has a field that may hold *value*, even if the field is empty."""
        return ItemAdapter.is_item(item) and any(field in ItemAdapter(item) for field in self.fields_of(value))

    def find(self, item: Any, value: str) -> Any:
        """Return *value* from a field of its own, the summary or the metadata; None if *item* does not have it."""
        if not ItemAdapter.is_item(item):
            return None
        adapter = ItemAdapter(item)
        found = self._find_field(adapter, value)
        if found is not None:
            return found
        parts = (self._find_field(adapter, name) for name in ("summary", "metadata"))
        return next((part[value] for part in parts if isinstance(part, Mapping) and value in part), None)

    def _find_field(self, adapter: ItemAdapter, value: str) -> Any:
        found = (adapter.get(field) for field in self._fields.get(value, ()))
        return next((content for content in found if content is not None), None)


def name_fields(fields: Iterable[str]) -> str:
    """Return the names of item fields for a message."""
    return " or ".join(map(repr, fields))


class _Feed:
    """The number of items that one feed got, and of those that it left out."""

    def __init__(self) -> None:
        self.n_items = 0
        self.left_out: Counter[str] = Counter()
        self.advice = ""

    def add(self, part: Any) -> None:
        """Add the items that *part*, an exporter or filter of this package, has left out."""
        if getattr(part, "left_out", None):
            self.left_out += part.left_out
            self.advice = part.advice  # the end of a message


class FeedReport:
    """Passes the settings to the filters of a crawl's feeds, and reports the items that each feed leaves out.

    Scrapy counts these items as stored, or does not count them. The report does not keep the crawler alive.
    """

    def __init__(self, crawler: Crawler, settings: Web2TextSettings, journal: Journal) -> None:
        self.settings = settings
        self.journal = journal
        self._crawler: Crawler = proxy(crawler)
        self._feeds: dict[str, _Feed] = {}
        _REPORTS[crawler] = self
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        crawler.signals.connect(self._slot_closed, signals.feed_slot_closed)
        crawler.signals.connect(self._feeds_closed, signals.feed_exporter_closed)

    @classmethod
    def of(cls, crawler: Crawler) -> FeedReport:
        """Return the report of *crawler*; the first component that asks for it creates it."""
        report = _REPORTS.get(crawler)
        return cls(crawler, Web2TextSettings.from_crawler(crawler), Journal(crawler)) if report is None else report

    def _spider_opened(self) -> None:
        for uri, item_filter in self._filters().items():
            read = getattr(item_filter, "read_settings", None)  # of a filter of this package
            problem = None if read is None else read(self.settings)
            if problem is not None:
                self.journal.log(logging.WARNING, "Feed %s: %s", uri, problem)

    def _slot_closed(self, slot: FeedSlot) -> None:
        feed = self._feeds.setdefault(slot.uri_template, _Feed())
        feed.n_items += slot.itemcount
        feed.add(slot.exporter)

    def _feeds_closed(self) -> None:
        for uri, item_filter in self._filters().items():
            feed = self._feeds.setdefault(uri, _Feed())
            # The exporter gets the items that the filter lets through, and may leave out some of them.
            n_written = feed.n_items - feed.left_out.total()
            feed.add(item_filter)
            if feed.left_out:
                self._report(uri, n_written, feed)

    def _filters(self) -> dict[str, ItemFilter]:
        exporter = self._crawler.get_extension(FeedExporter)
        return {} if exporter is None else exporter.filters

    def _report(self, name: str, n_written: int, feed: _Feed) -> None:
        for cause, n_items in feed.left_out.items():
            self.journal.count("left_out", cause, n_items)
        n_left_out, causes = feed.left_out.total(), format_counts(feed.left_out)
        if n_written:
            message = "Feed %s has %s; it left out %d (%s)"
            self.journal.log(logging.INFO, message, name, _count_items(n_written), n_left_out, causes)
        else:
            message = "Feed %s is empty; it left out %s (%s)%s"
            self.journal.log(logging.WARNING, message, name, _count_items(n_left_out), causes, feed.advice)


def _count_items(n_items: int) -> str:
    return f"{n_items:,} {'item' if n_items == 1 else 'items'}"


_REPORTS: WeakKeyDictionary[Crawler, FeedReport] = WeakKeyDictionary()
