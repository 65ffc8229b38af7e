"""The feeds of a crawl: keeps the errors of one from the others, and reports how many items each leaves out."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Set
from importlib.util import find_spec
from typing import Any
from weakref import WeakKeyDictionary, proxy

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, ItemFilter

from scrapy_web2text.crawl.items import ItemLine
from scrapy_web2text.crawl.journal import Journal
from scrapy_web2text.crawl.settings import PARQUET_FORMAT, Web2TextSettings
from scrapy_web2text.crawl.summary import format_counts


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

    Scrapy counts these items as stored, or does not count them. It also keeps an item that one feed cannot write from
    the feeds after it; here, each feed gets the item by itself. The report does not keep the crawler alive.
    """

    def __init__(self, crawler: Crawler, settings: Web2TextSettings, journal: Journal) -> None:
        self.settings = settings
        self.journal = journal
        self._crawler: Crawler = proxy(crawler)
        self._feeds: dict[str, _Feed] = {}
        self._known = {*settings.fields, settings.url_field, settings.html_field}  # fields of items
        for uri, feed in crawler.settings.getdict("FEEDS").items():
            if feed.get("format") == PARQUET_FORMAT and find_spec("pyarrow") is None:
                raise ValueError(f"FEEDS: {uri}: needs pip install 'scrapy-web2text[parquet]'")
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
        for exporter in self._exporters():
            self._crawler.signals.disconnect(exporter.item_scraped, signals.item_scraped)
            self._crawler.signals.connect(self._item_scraped, signals.item_scraped)
        for uri, item_filter in self._filters().items():
            read = getattr(item_filter, "read_settings", None)  # of a filter of this package
            problem = None if read is None else read(self.settings)
            if problem is not None:
                self.journal.log(logging.WARNING, "Feed %s: %s", uri, problem)

    def warn_of_left_out_fields(self, fields: Set[str]) -> None:
        """Log once the fields of an item that a table does not have."""
        unknown = sorted(fields - self._known)
        if unknown:
            message = "Feeds in the format %s leave out the item fields %s. Name all columns in the feed's fields"
            self.journal.log_once(PARQUET_FORMAT, message, PARQUET_FORMAT, ", ".join(unknown))

    def _item_scraped(self, item: Any, spider: Spider) -> None:
        """Hand *item* to each feed by itself, and count and log the errors of feeds that cannot write it."""
        for exporter in self._exporters():
            slots, next_slots = exporter.slots, list[FeedSlot]()
            for slot in slots:
                exporter.slots = [slot]
                try:
                    exporter.item_scraped(item, spider)
                except Exception as error:  # noqa: BLE001  exporters and items can be of any class
                    self._add_error(slot.uri_template, item, error)
                next_slots += exporter.slots
            exporter.slots = next_slots

    def _add_error(self, uri: str, item: Any, error: Exception) -> None:
        """Count and log that a feed cannot write *item*; call this in the ``except`` block."""
        feed = self._feeds.setdefault(uri, _Feed())
        feed.n_items += 1
        feed.left_out["error"] += 1
        topic, message = f"feed {uri} {type(error)}", "Feed %s cannot write the item %s: %r"
        self.journal.log_once(topic, message, uri, ItemLine(item), error, level=logging.ERROR, exc_info=True)

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

    def _exporters(self) -> list[FeedExporter]:
        """Return the extension that writes the feeds; none if there are no feeds."""
        exporter = self._crawler.get_extension(FeedExporter)
        return [] if exporter is None else [exporter]

    def _filters(self) -> dict[str, ItemFilter]:
        return {uri: item_filter for exporter in self._exporters() for uri, item_filter in exporter.filters.items()}

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
