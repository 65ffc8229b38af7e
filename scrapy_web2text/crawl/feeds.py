"""The feeds of a crawl: their filter, and the items that they leave out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, get_args

from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, ItemFilter

from scrapy_web2text.common.checks import NOT_NEGATIVE, SHARE, Rule, is_number, one_of, one_or_more
from scrapy_web2text.common.extras import require
from scrapy_web2text.common.suggestions import did_you_mean, find_similar
from scrapy_web2text.crawl.items import ItemValues
from scrapy_web2text.crawl.journal import Journal
from scrapy_web2text.crawl.settings import PARQUET_FORMAT, Web2TextSettings
from scrapy_web2text.extraction import Method
from scrapy_web2text.verdicts.kinds import PAGE_KINDS, PAGE_TYPES

logger = logging.getLogger(__name__)


def _some_of(names: Sequence[str]) -> Rule:
    return one_or_more(one_of(*names), f"one or more of {', '.join(map(repr, names))}")


# Options of `ContentFilter` that list names -> the value of the summary that the option limits, and its rule.
_NAME_RULES: Final = {
    "methods": ("method", _some_of(get_args(Method))),
    "page_kinds": ("page_kind", _some_of(PAGE_KINDS)),
    "page_types": ("page_type", _some_of(PAGE_TYPES)),
}
_RULES: Final = {"min_confidence": SHARE, "max_confidence": SHARE, "min_words": NOT_NEGATIVE}
_FILTER_OPTIONS: Final = (*_RULES, *_NAME_RULES)


def report_left_out(journal: Journal, item: Any, cause: str, value: str, values: ItemValues) -> None:
    """Count an *item* that a feed leaves out, and warn once if it lacks the field for the *value* that is the cause."""
    if not values.has_field(item, value):
        cause = "missing_field"
        fields = " or ".join(map(repr, values.fields_of(value)))
        journal.log_once(
            f"left_out {value}",
            "A feed leaves out items without the field %s, from which it reads the %s. Such items are counted as "
            "web2text/left_out/missing_field",
            fields,
            value,
        )
    journal.count("left_out", cause)


class ContentFilter(ItemFilter):
    """Selects the items of a feed by the values of their answers.

    It is the ``item_filter`` of the feed, and reads its limits from the options of the feed::

        FEEDS = {"sure.jsonl": {"format": "jsonlines", "item_filter": "scrapy_web2text.exporters.ContentFilter",
                                "min_confidence": 0.7, "min_words": 50}}

    :param feed_options: the options of the feed. ``min_confidence`` and ``max_confidence``: limits from 0 to 1, both
        included; a page without a confidence counts as 0. ``methods``: a method such as ``"model"``, or a list of them.
        ``page_kinds``: a kind of page such as ``"content"``, or a list of them. ``page_types``: a type of page
        such as ``"article"``, or a list of them.
        ``min_words``: the least number of words of the text; in scripts that do not separate words by spaces, each
        letter counts as a word. None unsets an option.
    :raises ValueError: if a value is invalid; the message names the option and what was expected.
    """

    def __init__(self, feed_options: dict[str, Any] | None) -> None:
        super().__init__(feed_options)
        # Other names are options of Scrapy, or of other packages.
        similar = {str(name) for name in feed_options or () if find_similar(name, _FILTER_OPTIONS, 0.75)}
        unknown = sorted(similar - {*_FILTER_OPTIONS})
        if unknown:
            hint = did_you_mean(unknown, _FILTER_OPTIONS)
            known = ", ".join(_FILTER_OPTIONS)
            logger.warning("FEEDS: ignoring unknown feed options: %s%s. Known: %s", ", ".join(unknown), hint, known)
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
        self._values = ItemValues(Web2TextSettings())
        self._journal: Journal | None = None

    def connect(self, settings: Web2TextSettings, journal: Journal) -> None:
        """Read the fields of ``WEB2TEXT_FIELDS``, and count the items that are left out in *journal*."""
        self._values, self._journal = ItemValues(settings), journal

    def accepts(self, item: Any) -> bool:
        """Return whether *item* goes into the feed. An item without a summary has neither confidence nor method."""
        if not super().accepts(item):
            return False
        for cause, (value, is_met) in self._conditions.items():
            if not is_met(self._values.find(item, value)):
                if self._journal is not None:
                    report_left_out(self._journal, item, cause, value, self._values)
                return False
        return True


def _to_number(confidence: Any) -> float:
    return confidence if is_number(confidence) else 0


def _count_words(text: Any) -> int:
    from scrapy_web2text.features.texts import count_tokens  # loads numpy

    return int(count_tokens([text if isinstance(text, str) else ""])[0])


def _read_names(value: Any, name: str, rule: Rule) -> tuple[str, ...]:
    """Return the one or more names in an option."""
    names = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    if not rule.allows(names):
        raise ValueError(f"FEEDS: {name}: expected {rule.expected}, got {value!r}")
    return names


def connect_feeds(crawler: Crawler, settings: Web2TextSettings, journal: Journal) -> None:
    """Let the filters of the feeds of *crawler* read its *settings*.

    :raises ValueError: if a feed needs an extra that is not installed.
    """
    for uri, feed in crawler.settings.getdict("FEEDS").items():
        if feed.get("format") == PARQUET_FORMAT:
            require("pyarrow", "parquet", f"FEEDS: {uri}")
    exporter = crawler.get_extension(FeedExporter)
    for item_filter in () if exporter is None else exporter.filters.values():
        if isinstance(item_filter, ContentFilter):
            item_filter.connect(settings, journal)
