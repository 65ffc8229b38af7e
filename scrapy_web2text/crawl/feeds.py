"""The feeds of a crawl: which item fields they read, and how many items they leave out."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from weakref import WeakKeyDictionary, proxy

from scrapy import signals
from scrapy.extensions.feedexport import FeedExporter

from scrapy_web2text.crawl.journal import Journal
from scrapy_web2text.crawl.settings import Web2TextSettings
from scrapy_web2text.crawl.summary import format_counts

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.extensions.feedexport import FeedSlot, ItemFilter

__all__ = ["FeedPart", "FeedReport", "SettingsReader", "name_fields"]


@runtime_checkable
class FeedPart(Protocol):
    """An exporter or item filter that leaves items out."""

    left_out: Counter[str]
    """Cause -> number of items."""
    advice: str
    """What to know about the causes, as the end of a message; may be empty."""


@runtime_checkable
class SettingsReader(Protocol):
    """An item filter that reads the settings of the crawl, which Scrapy does not pass to it."""

    def read_settings(self, settings: Web2TextSettings) -> str | None:
        """Follow *settings*; return the problem if the filter cannot work with them, else None."""


class _Feed:
    """What became of the items of one feed."""

    def __init__(self) -> None:
        self.uris: set[str] = set()
        self.n_items = 0
        self.left_out: Counter[str] = Counter()
        self.advice = ""

    def add(self, part: object) -> None:
        """Add the counts of an exporter or filter if it has some."""
        if isinstance(part, FeedPart) and part.left_out:
            self.left_out += part.left_out
            self.advice = part.advice


class FeedReport:
    """Passes the settings to the filters of a crawl's feeds, and reports the items that each feed leaves out.

    Scrapy counts these items as stored, or not at all.

    :param crawler: the crawl; the report does not keep it alive.
    """

    def __init__(self, crawler: Crawler, settings: Web2TextSettings, journal: Journal) -> None:
        self.settings = settings
        self.journal = journal
        self._crawler: Crawler = proxy(crawler)
        self._feeds: dict[str, _Feed] = {}
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        crawler.signals.connect(self._slot_closed, signals.feed_slot_closed)
        crawler.signals.connect(self._feeds_closed, signals.feed_exporter_closed)

    @classmethod
    def of(cls, crawler: Crawler) -> FeedReport:
        """Return the report of *crawler*; the first component that asks for it creates it."""
        report = _REPORTS.get(crawler)
        return cls.open(crawler, Web2TextSettings.from_crawler(crawler), Journal(crawler)) if report is None else report

    @classmethod
    def open(cls, crawler: Crawler, settings: Web2TextSettings, journal: Journal) -> FeedReport:
        """Create the report of *crawler* and return it."""
        report = _REPORTS[crawler] = cls(crawler, settings, journal)
        return report

    def _spider_opened(self) -> None:
        for uri, item_filter in self._filters().items():
            problem = item_filter.read_settings(self.settings) if isinstance(item_filter, SettingsReader) else None
            if problem is not None:
                self.journal.log_once(f"filter of {uri}", "Feed %s: %s", uri, problem)

    def _slot_closed(self, slot: FeedSlot) -> None:
        feed = self._feeds.setdefault(slot.uri_template, _Feed())
        feed.uris.add(slot.uri)
        feed.n_items += slot.itemcount
        feed.add(slot.exporter)

    def _feeds_closed(self) -> None:
        for uri, item_filter in self._filters().items():
            feed = self._feeds.setdefault(uri, _Feed())
            # The exporter gets the items that the filter lets through, and may leave out some of those.
            n_written = feed.n_items - feed.left_out.total()
            feed.add(item_filter)
            if feed.left_out:
                self._report(feed.uris.pop() if len(feed.uris) == 1 else uri, n_written, feed)

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


def name_fields(fields: Iterable[str]) -> str:
    """Return the names of item fields for a message."""
    return " or ".join(map(repr, fields))


_REPORTS: WeakKeyDictionary[Crawler, FeedReport] = WeakKeyDictionary()
