"""Feeds of clean text: exporters for ``FEEDS``, and a filter by confidence.

The add-on registers the exporters. Without the add-on::

    FEED_EXPORTERS = {
        "web2text-txt": "scrapy_web2text.exporters.TextExporter",
        "web2text-md": "scrapy_web2text.exporters.MarkdownExporter",
        "csv": "scrapy_web2text.exporters.JsonCellsCsvExporter",
    "marshal": "scrapy_web2text.exporters.PlainMarshalExporter",
    }
"""

from __future__ import annotations

import codecs
import json
import logging
from collections.abc import Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any, Final, get_args

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter, CsvItemExporter, MarshalItemExporter
from scrapy.extensions.feedexport import ItemFilter

from scrapy_web2text.content.escaping import escape_comment
from scrapy_web2text.content.formats import page_header
from scrapy_web2text.content.forms import COMMENT_HEADER
from scrapy_web2text.content.front_matter import write_front_matter
from scrapy_web2text.crawl.settings import Web2TextSettings
from scrapy_web2text.extraction import Method
from scrapy_web2text.options import is_number
from scrapy_web2text.suggestions import did_you_mean, find_similar

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

__all__ = [
    "FEED_EXPORTERS",
    "FILTER_CONDITIONS",
    "JsonCellsCsvExporter",
    "MarkdownExporter",
    "MinConfidenceFilter",
    "PlainMarshalExporter",
    "TextExporter",
]

logger = logging.getLogger(__name__)

# Registered by the add-on.
FEED_EXPORTERS: Final = {
    "web2text-txt": "scrapy_web2text.exporters.TextExporter",
    "web2text-md": "scrapy_web2text.exporters.MarkdownExporter",
    "csv": "scrapy_web2text.exporters.JsonCellsCsvExporter",
    "marshal": "scrapy_web2text.exporters.PlainMarshalExporter",
}


_TEXT_OPTIONS: Final = ("text_field", "url_field", "summary_field", "header")
# What `FeedExporter` passes, and `BaseItemExporter` reads.
_BASE_OPTIONS: Final = {"encoding", "export_empty_fields", "fields_to_export", "indent"}
# Options of `MinConfidenceFilter`.
FILTER_CONDITIONS: Final = ("min_confidence", "max_confidence", "methods", "min_words")
_FILTER_OPTIONS: Final = (*FILTER_CONDITIONS, "text_field", "summary_field")


class TextExporter(BaseItemExporter):
    """Writes clean text, one page after another: a header ``### URL | title``, the text, and an empty line.

    Items without text are skipped. Options, in the feed's ``item_export_kwargs``:

    :param text_field: item field that holds the text.
    :param url_field: item field that holds the URL of the page.
    :param summary_field: item field that holds the summary, which has the title.
    :param header: whether to write a header for each page.
    """

    def __init__(
        self,
        file: IO[bytes],
        *,
        text_field: str = "main_content",
        url_field: str = "url",
        summary_field: str = "web2text",
        header: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(dont_fail=True, **options)
        _warn_of_unknown("item_export_kwargs", options.keys() - _BASE_OPTIONS, _TEXT_OPTIONS)
        self.file = file
        # One encoder for the whole file: some encodings begin with a byte order mark, which must occur only once.
        self._encoder = codecs.getincrementalencoder(self.encoding or "utf-8")("replace")
        self._fields = text_field, url_field, summary_field
        self._has_header = header

    def export_item(self, item: Any) -> None:
        """Write one item."""
        adapter = ItemAdapter(item)
        text, url, summary = (adapter.get(field) for field in self._fields)
        if not text:
            return
        lines = [str(text), ""]
        if self._has_header:
            lines.insert(0, self._header(adapter, url, summary if isinstance(summary, dict) else {}))
        self.file.write(self._encoder.encode("".join(f"{line}\n" for line in lines)))

    def _header(self, item: ItemAdapter, url: Any, summary: Mapping[str, Any]) -> str:  # noqa: ARG002  for Markdown
        return page_header(str(url or ""), summary.get("title"))


class MarkdownExporter(TextExporter):
    """Writes Markdown, one page after another: a comment with URL and title, the content, and an empty line.

    The content comes from the item field ``markdown``, which ``WEB2TEXT_FIELDS`` must fill::

        WEB2TEXT_FIELDS = {"main_content": "text", "markdown": "markdown", "web2text": "summary"}

    The options are those of :class:`TextExporter`; the default of ``text_field`` is ``markdown``. And:

    :param front_matter: whether the header of each page is YAML front matter, with URL, title, date, language and
        confidence as far as the item has them.
    :param date_field: item field that holds the date of the page.
    :param language_field: item field that holds its language.
    """

    def __init__(
        self,
        file: IO[bytes],
        *,
        text_field: str = "markdown",
        front_matter: bool = False,
        date_field: str = "date",
        language_field: str = "language",
        **options: Any,
    ) -> None:
        super().__init__(file, text_field=text_field, **options)
        self._has_front_matter = front_matter
        self._more_fields = date_field, language_field

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **options: Any) -> MarkdownExporter:
        """Return the exporter of *crawler*; log a warning if ``WEB2TEXT_FIELDS`` does not fill the field."""
        fields = Web2TextSettings.from_crawler(crawler).fields
        filled = {part: field for field, part in fields.items()}
        names = {f"{part}_field": filled[part] for part in ("date", "language") if part in filled}
        exporter = cls(file, **{**names, **options})
        field = exporter._fields[0]
        if fields.get(field) != "markdown":
            message = 'Markdown feed: no setting fills item field %r. Expected WEB2TEXT_FIELDS = {…, "%s": "markdown"}'
            logger.warning(message, field, field, extra={"spider": crawler.spider})
        return exporter

    def _header(self, item: ItemAdapter, url: Any, summary: Mapping[str, Any]) -> str:
        if not self._has_front_matter:
            return page_header(str(url or ""), summary.get("title"), COMMENT_HEADER, escape_comment) + "\n"
        date, language = (item.get(field) for field in self._more_fields)
        title, confidence = summary.get("title"), summary.get("confidence")
        return write_front_matter(url=url, title=title, date=date, language=language, confidence=confidence)


class JsonCellsCsvExporter(CsvItemExporter):
    """Scrapy's CSV exporter, except that dicts and lists such as those of blocks become JSON.

    A list of strings is joined as Scrapy does.
    """

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return the content of a cell."""
        serialized = super().serialize_field(field, name, value)
        is_nested = isinstance(serialized, dict) or (
            isinstance(serialized, list | tuple) and any(not isinstance(part, str) for part in serialized)
        )
        return _to_json(serialized) if is_nested else serialized


class PlainMarshalExporter(MarshalItemExporter):
    """Scrapy's marshal exporter, which writes plain lists only: those of blocks and paragraphs become plain ones."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return what is written."""
        serialized = super().serialize_field(field, name, value)
        return [*serialized] if isinstance(serialized, list) else serialized


def _to_json(value: Any) -> str:
    """Return *value* as JSON, which has no NaN and no infinity: null in their place."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
    except ValueError:
        plain = json.loads(json.dumps(value, default=str), parse_constant=lambda name: None)  # noqa: ARG005
        return json.dumps(plain, ensure_ascii=False)


class MinConfidenceFilter(ItemFilter):
    """Selects the items of a feed by their confidence.

    It is the ``item_filter`` of the feed, and reads its limits from the options of the feed::

        FEEDS = {"sure.jsonl": {"format": "jsonlines", "item_filter": "scrapy_web2text.exporters.MinConfidenceFilter",
                                "min_confidence": 0.7, "min_words": 50}}

    :param feed_options: the options of the feed. ``min_confidence`` and ``max_confidence``: limits from 0 to 1, both
        included; a page without a confidence counts as 0. ``methods``: a method such as ``"model"``, or a list of them.
        ``min_words``: the least number of words of the text; in scripts that do not separate words by spaces, each
        letter counts as one. ``text_field`` and ``summary_field``: item fields, if they do not have the default names.
        None unsets an option.
    :raises ValueError: if a value is impossible; the message names the option and what was expected.
    """

    def __init__(self, feed_options: dict[str, Any] | None) -> None:
        super().__init__(feed_options)
        # Other names are options of Scrapy, or of other packages.
        similar = {str(name) for name in feed_options or () if find_similar(name, _FILTER_OPTIONS, 0.75)}
        _warn_of_unknown("feed options", similar - {*_FILTER_OPTIONS}, _FILTER_OPTIONS)
        options = {name: value for name, value in (feed_options or {}).items() if value is not None}
        self._least, self._most = _read_share(options, "min_confidence", 0), _read_share(options, "max_confidence", 1)
        if self._least > self._most:
            raise _make_error("min_confidence", f"at most max_confidence, {self._most!r}", self._least)
        self._least_words = options.get("min_words", 0)
        if not (is_number(self._least_words) and self._least_words >= 0):
            raise _make_error("min_words", "a number from 0", self._least_words)
        self._methods = _read_methods(options)
        self._text_field = _read_field_name(options, "text_field", "main_content")
        self._summary_field = _read_field_name(options, "summary_field", "web2text")

    def accepts(self, item: Any) -> bool:
        """Return whether *item* goes into the feed. An item without a summary has neither confidence nor method."""
        if not super().accepts(item):
            return False
        text, summary = self._parts_of(item)
        confidence, method = summary.get("confidence"), summary.get("method")
        if not self._least <= (confidence if is_number(confidence) else 0) <= self._most:
            return False
        if self._methods is not None and method not in self._methods:
            return False
        return not self._least_words or _count_words(text) >= self._least_words

    def _parts_of(self, item: Any) -> tuple[str, Mapping[str, Any]]:
        """Return text and summary of *item*; each is empty if the item lacks it or it has another type."""
        if not ItemAdapter.is_item(item):
            return "", {}
        adapter = ItemAdapter(item)
        text, summary = adapter.get(self._text_field), adapter.get(self._summary_field)
        return text if isinstance(text, str) else "", summary if isinstance(summary, Mapping) else {}


def _warn_of_unknown(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    unknown = sorted(names)
    if unknown:
        message = "FEEDS: ignoring unknown %s: %s%s. Known: %s"
        logger.warning(message, what, ", ".join(unknown), did_you_mean(unknown, known), ", ".join(known))


def _count_words(text: str) -> int:
    from scrapy_web2text.features.characters import count_tokens  # noqa: PLC0415  loads numpy

    return int(count_tokens([text])[0])


def _make_error(name: str, expected: str, value: object) -> ValueError:
    return ValueError(f"FEEDS: {name}: expected {expected}, got {value!r}")


def _read_share(options: Mapping[str, Any], name: str, default: float) -> float:
    value = options.get(name, default)
    if not (is_number(value) and 0 <= value <= 1):
        raise _make_error(name, "a number from 0 to 1", value)
    return float(value)


def _read_methods(options: Mapping[str, Any]) -> tuple[str, ...] | None:
    value = options.get("methods")
    if value is None:
        return None
    methods = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    if not methods or any(method not in get_args(Method) for method in methods):
        raise _make_error("methods", f"one or more of {', '.join(map(repr, get_args(Method)))}", value)
    return methods


def _read_field_name(options: Mapping[str, Any], name: str, default: str) -> str:
    value = options.get(name, default)
    if not (isinstance(value, str) and value):
        raise _make_error(name, "the name of an item field", value)
    return value
