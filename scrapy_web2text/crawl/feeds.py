"""The feeds of a crawl: their filter, their errors, and reports of the items that each leaves out."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, get_args
from weakref import WeakKeyDictionary, proxy

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, ItemFilter

from scrapy_web2text.answer.summary import format_counts
from scrapy_web2text.common.checks import NOT_NEGATIVE, SHARE, TEXT, Rule, is_number, one_of, one_or_more, require
from scrapy_web2text.common.suggestions import find_similar, suggest
from scrapy_web2text.crawl.items import ItemLine, ItemValues
from scrapy_web2text.crawl.journal import Journal
from scrapy_web2text.crawl.settings import PARQUET_FORMAT, Web2TextSettings
from scrapy_web2text.extraction import Method
from scrapy_web2text.verdicts.kinds import PAGE_KINDS, PAGE_TYPES

logger = logging.getLogger(__name__)


def _some_of(names: Sequence[str]) -> Rule:
    return one_or_more(one_of(*names), f"one or more of {', '.join(map(repr, names))}")


# Methods whose answers have no confidence because nothing is estimated.
_SURE: Final = ("fragment", "selector")
# Options of `ContentFilter` that list names -> the value of the summary that the option limits, and its rule.
_NAME_RULES: Final = {
    "methods": ("method", _some_of(get_args(Method))),
    "page_kinds": ("page_kind", _some_of(PAGE_KINDS)),
    "page_types": ("page_type", _some_of(PAGE_TYPES)),
}
_RULES: Final = {
    "min_confidence": SHARE,
    "max_confidence": SHARE,
    "min_words": NOT_NEGATIVE,
    **dict.fromkeys(("text_field", "summary_field"), Rule("the name of an item field", TEXT.allows)),
}
# The parts of a message about an item that differ between items.
_VALUE: Final = re.compile(r"'[^']*'|\d+")
_FILTER_OPTIONS: Final = (*_RULES, *_NAME_RULES)


class LeftOut(Counter[str]):
    """Counts the items that an exporter or a filter leaves out, by cause.

    :param reader: what reads the items, as the subject of a message.
    """

    def __init__(self, reader: str) -> None:
        super().__init__()
        self._reader = reader
        self.advice = ""
        """The end of a message, which names the item field that is read."""

    def add(self, item: Any, cause: str, value: str, values: ItemValues) -> None:
        """Count *item* by *cause*, or as ``missing_field`` if it lacks the field for the *value* that is the cause."""
        if not values.has_field(item, value):
            cause = "missing_field"
            self.advice = f". {self._reader} reads the item field {' or '.join(map(repr, values.fields_of(value)))}"
        self[cause] += 1


class ContentFilter(ItemFilter):
    """Selects the items of a feed by the values of their answers.

    It is the ``item_filter`` of the feed, and reads its limits from the options of the feed::

        FEEDS = {"sure.jsonl": {"format": "jsonlines", "item_filter": "scrapy_web2text.exporters.ContentFilter",
                                "min_confidence": 0.7, "min_words": 50}}

    :param feed_options: the options of the feed. ``min_confidence`` and ``max_confidence``: limits from 0 to 1, both
        included; without a confidence, fragments and selected elements count as 1, and other pages as 0. ``methods``: a
        method such as ``"model"``, or a list of them. ``page_kinds``: a kind of page such as ``"content"``, or a list
        of them. ``page_types``: a type of page such as ``"article"``, or a list of them.
        ``min_words``: the least number of words of the text; in scripts that do not separate words by spaces, each
        letter counts as a word. ``text_field`` and ``summary_field``: names of item fields; by default, the fields that
        ``WEB2TEXT_FIELDS`` names. None unsets an option.
    :raises ValueError: if a value is invalid; the message names the option and what was expected.
    """

    def __init__(self, feed_options: dict[str, Any] | None) -> None:
        super().__init__(feed_options)
        # Other names are options of Scrapy, or of other packages.
        similar = {str(name) for name in feed_options or () if find_similar(name, _FILTER_OPTIONS, 0.75)}
        warn_of_unknown_keys("feed options", similar - {*_FILTER_OPTIONS}, _FILTER_OPTIONS)
        options = {name: value for name, value in (feed_options or {}).items() if value is not None}
        for name, rule in _RULES.items():
            if name in options:
                rule.check(options[name], f"FEEDS: {name}")
        least, most = options.get("min_confidence", 0), options.get("max_confidence", 1)
        if least > most:
            raise ValueError(f"FEEDS: min_confidence: expected at most max_confidence, {most!r}, got {least!r}")
        # Option -> the value that it limits, and whether a value passes.
        conditions: dict[str, tuple[str, Callable[[Any], bool]]] = {
            "min_confidence": ("confidence", lambda value: _to_number(value) >= least),
            "max_confidence": ("confidence", lambda value: _to_number(value) <= most),
            **{
                name: (value, _read_names(options.get(name), name, rule).__contains__)
                for name, (value, rule) in _NAME_RULES.items()
                if name in options
            },
            "min_words": ("text", lambda text: _count_words(text) >= options["min_words"]),
        }
        self._conditions = {name: condition for name, condition in conditions.items() if name in options}
        self._chosen = {value: options.get(f"{value}_field") for value in ("text", "summary")}
        self._values = ItemValues(None, self._chosen)
        self.left_out = LeftOut("Its filter")

    def read_settings(self, settings: Web2TextSettings) -> None:
        """Read the fields of ``WEB2TEXT_FIELDS``."""
        self._values = ItemValues(settings, self._chosen)

    def accepts(self, item: Any) -> bool:
        """Return whether *item* goes into the feed. An item without a summary has neither confidence nor method."""
        if not super().accepts(item):
            return False
        for cause, (value, is_met) in self._conditions.items():
            found = self._values.find(item, value)
            if found is None and value == "confidence" and self._values.find(item, "method") in _SURE:
                found = 1.0
            if not is_met(found):
                self.left_out.add(item, cause, value, self._values)
                return False
        return True


def _to_number(confidence: Any) -> float:
    return confidence if is_number(confidence) else 0


def _count_words(text: Any) -> int:
    from scrapy_web2text.features.texts import count_tokens  # loads numpy

    return int(count_tokens([text if isinstance(text, str) else ""])[0])


def warn_of_unknown_keys(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Log a warning about unknown *names*, with the *known* names; do nothing if *names* is empty."""
    unknown = sorted(names)
    if unknown:
        logger.warning("FEEDS: ignoring unknown %s: %s%s", what, ", ".join(unknown), suggest(unknown, known))


def _read_names(value: Any, name: str, rule: Rule) -> tuple[str, ...]:
    """Return the one or more names in an option."""
    names = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    if not rule.allows(names):
        raise ValueError(f"FEEDS: {name}: expected {rule.expected}, got {value!r}")
    return names


class _Feed:
    """The number of items that a feed got, and the number of items that it left out."""

    def __init__(self) -> None:
        self.n_items = 0
        self.left_out: Counter[str] = Counter()
        self.advice = ""

    def add(self, part: Any) -> None:
        """Add the items that *part*, an exporter or filter of this package, has left out."""
        left_out = getattr(part, "left_out", None)
        if isinstance(left_out, LeftOut):
            self.left_out += left_out
            self.advice = left_out.advice or self.advice


class FeedReport:
    """Passes the settings to the filters of a crawl's feeds, and reports the items that each feed leaves out.

    Scrapy counts these items as stored, or does not count them. If one feed cannot write an item, Scrapy does not pass
    it to the feeds after it; here, each feed gets the item. The report does not keep the crawler alive.
    """

    def __init__(self, crawler: Crawler, settings: Web2TextSettings, journal: Journal) -> None:
        self.settings = settings
        self.journal = journal
        self._crawler: Crawler = proxy(crawler)
        self._feeds: dict[str, _Feed] = {}
        for uri, feed in crawler.settings.getdict("FEEDS").items():
            if feed.get("format") == PARQUET_FORMAT:
                require("pyarrow", "parquet", f"FEEDS: {uri}")
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
            for item_filter in exporter.filters.values():
                if isinstance(item_filter, ContentFilter):
                    item_filter.read_settings(self.settings)

    def _item_scraped(self, item: Any, spider: Spider) -> None:
        """Hand *item* to each feed separately, and count and log the errors of feeds that cannot write it."""
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
        self.journal.log_once(
            f"feed {uri} {type(error)} {_VALUE.sub('', str(error))}",
            "Feed %s cannot write the item %s: %r",
            uri,
            ItemLine(item),
            error,
            level=logging.ERROR,
            exc_info=True,
        )

    def _slot_closed(self, slot: FeedSlot) -> None:
        feed = self._feeds.setdefault(slot.uri_template, _Feed())
        feed.n_items += slot.itemcount
        feed.add(slot.exporter)

    def _feeds_closed(self) -> None:
        filters = [pair for exporter in self._exporters() for pair in exporter.filters.items()]
        for uri, item_filter in filters:
            feed = self._feeds.setdefault(uri, _Feed())
            # The exporter gets the items that the filter lets through, and may leave out some of them.
            n_written = feed.n_items - feed.left_out.total()
            feed.add(item_filter)
            if feed.left_out:
                self._report(uri, n_written, feed)

    def _exporters(self) -> list[FeedExporter]:
        """Return the extension that writes the feeds; none if there are no feeds."""
        return [*filter(None, [self._crawler.get_extension(FeedExporter)])]

    def _report(self, name: str, n_written: int, feed: _Feed) -> None:
        for cause, n_items in feed.left_out.items():
            self.journal.count("left_out", cause, n_items)
        n_left_out, causes = feed.left_out.total(), format_counts(feed.left_out)
        items = "1 item" if (n_written or n_left_out) == 1 else f"{n_written or n_left_out:,} items"
        if n_written:
            level = logging.WARNING if feed.left_out["error"] else logging.INFO
            self.journal.log(level, "Feed %s has %s; it left out %d (%s)", name, items, n_left_out, causes)
        else:
            self.journal.log(
                logging.WARNING, "Feed %s is empty; it left out %s (%s)%s", name, items, causes, feed.advice
            )


_REPORTS: WeakKeyDictionary[Crawler, FeedReport] = WeakKeyDictionary()
