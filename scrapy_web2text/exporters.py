"""Feeds of clean text: exporters for ``FEEDS``, and a filter by confidence.

The add-on registers the exporters. Without the add-on::

    FEED_EXPORTERS = {
        "web2text-txt": "scrapy_web2text.exporters.TextExporter",
        "web2text-md": "scrapy_web2text.exporters.MarkdownExporter",
        "csv": "scrapy_web2text.exporters.JsonCellsCsvExporter",
    }
"""

from __future__ import annotations

import codecs
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any, ClassVar, Final, get_args

from scrapy.exporters import BaseItemExporter, CsvItemExporter
from scrapy.extensions.feedexport import ItemFilter

from scrapy_web2text.content.escaping import escape_comment
from scrapy_web2text.content.formats import page_header
from scrapy_web2text.content.forms import COMMENT_HEADER
from scrapy_web2text.crawl.feeds import FeedReport, name_fields
from scrapy_web2text.crawl.item_values import ItemValues
from scrapy_web2text.extraction import Method
from scrapy_web2text.options import is_number

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from scrapy_web2text.crawl.settings import Web2TextSettings

__all__ = ["FEED_EXPORTERS", "JsonCellsCsvExporter", "MarkdownExporter", "MinConfidenceFilter", "TextExporter"]

# Registered by the add-on.
FEED_EXPORTERS: Final = {
    "web2text-txt": "scrapy_web2text.exporters.TextExporter",
    "web2text-md": "scrapy_web2text.exporters.MarkdownExporter",
    "csv": "scrapy_web2text.exporters.JsonCellsCsvExporter",
}


class TextExporter(BaseItemExporter):
    """Writes clean text, one page after another: a header ``### URL | title``, the text, and an empty line.

    Items without text are skipped. Options, in the feed's ``item_export_kwargs``:

    :param text_field: item field that holds the text; None for the one that ``WEB2TEXT_FIELDS`` fills with it.
    :param url_field: item field that holds the URL of the page; None for that of ``WEB2TEXT_URL_FIELD``.
    :param summary_field: item field that holds the summary, which has the title; None for the one that
        ``WEB2TEXT_FIELDS`` fills with it.
    :param header: whether to write a header for each page.
    """

    _form: ClassVar = "text"

    def __init__(
        self,
        file: IO[bytes],
        *,
        text_field: str | None = None,
        url_field: str | None = None,
        summary_field: str | None = None,
        header: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(dont_fail=True, **options)
        self.file = file
        # One encoder for the whole file: some encodings begin with a byte order mark, which must occur only once.
        self._encoder = codecs.getincrementalencoder(self.encoding or "utf-8")("replace")
        self._chosen = {self._form: text_field, "url": url_field, "summary": summary_field}
        self._values = ItemValues(None, self._chosen)
        self._has_header = header
        self.left_out: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **options: Any) -> Self:
        """Return the exporter of *crawler*, which reads the fields that ``WEB2TEXT_FIELDS`` fills in.

        It logs a warning if that is not the case for any field.
        """
        exporter = cls(file, **options)
        report = FeedReport.of(crawler)
        exporter._values = ItemValues(report.settings, exporter._chosen)
        if not exporter._values.can_find(cls._form):
            field = exporter._values.fields_of(cls._form)[0]
            message = '%s: WEB2TEXT_FIELDS fills no item field with the value "%s". Expected {…, "%s": "%s"}'
            report.journal.log_once(cls.__name__, message, cls.__name__, cls._form, field, cls._form)
        return exporter

    @property
    def advice(self) -> str:
        """The item fields that are read, as the end of a message."""
        return f". It reads the item field {name_fields(self._values.fields_of(self._form))}"

    def export_item(self, item: Any) -> None:
        """Write one item."""
        text = self._values.find(item, self._form)
        if not text:
            self.left_out["no_text" if self._values.has_field(item, self._form) else "missing_field"] += 1
            return
        lines = [str(text), ""]
        if self._has_header:
            lines.insert(0, self._header(self._values.find(item, "url"), self._values.find(item, "title")))
        self.file.write(self._encoder.encode("".join(f"{line}\n" for line in lines)))

    def _header(self, url: Any, title: Any) -> str:
        return page_header(str(url or ""), title)


class MarkdownExporter(TextExporter):
    """Writes Markdown, one page after another: a comment with URL and title, the content, and an empty line.

    If you set ``WEB2TEXT_FIELDS``, it must fill an item field with the Markdown::

        WEB2TEXT_FIELDS = {"main_content": "text", "markdown": "markdown", "web2text": "summary"}

    The options are those of :class:`TextExporter`; the text is the Markdown.
    """

    _form: ClassVar = "markdown"

    def _header(self, url: Any, title: Any) -> str:
        return page_header(str(url or ""), title, COMMENT_HEADER, escape_comment) + "\n"


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
        letter counts as one. ``text_field`` and ``summary_field``: item fields, if not those of ``WEB2TEXT_FIELDS``.
        None unsets an option.
    :raises ValueError: if a value is impossible; the message names the option and what was expected.
    """

    def __init__(self, feed_options: dict[str, Any] | None) -> None:
        super().__init__(feed_options)
        options = {name: value for name, value in (feed_options or {}).items() if value is not None}
        self._least, self._most = _read_share(options, "min_confidence", 0), _read_share(options, "max_confidence", 1)
        if self._least > self._most:
            raise _make_error("min_confidence", f"at most max_confidence, {self._most!r}", self._least)
        self._least_words = options.get("min_words", 0)
        if not (is_number(self._least_words) and self._least_words >= 0):
            raise _make_error("min_words", "a number from 0", self._least_words)
        # Option -> the value of the summary that it is about, and the names that pass.
        self._names = {"methods": ("method", _read_methods(options))}
        self._chosen = {
            "text": _read_field_name(options, "text_field"),
            "summary": _read_field_name(options, "summary_field"),
        }
        self._values = ItemValues(None, self._chosen)
        self.left_out: Counter[str] = Counter()
        self.advice = ""

    def read_settings(self, settings: Web2TextSettings) -> str | None:
        """Read the fields that ``WEB2TEXT_FIELDS`` fills in; return a problem if they lack what the options need."""
        self._values = ItemValues(settings, self._chosen)
        needed = {
            "confidence": self._least > 0 or self._most < 1,
            **{value: names is not None for value, names in self._names.values()},
            "text": self._least_words > 0,
        }
        lacking = [name for name, is_needed in needed.items() if is_needed and not self._values.can_find(name)]
        if not lacking:
            return None
        return f"its filter needs {' and '.join(lacking)}, which no item field of WEB2TEXT_FIELDS has"

    def accepts(self, item: Any) -> bool:
        """Return whether *item* goes into the feed. An item without a summary has neither confidence nor method."""
        if not super().accepts(item):
            return False
        found = self._find_cause(item)
        if found is None:
            return True
        cause, value = found
        if not self._values.has_field(item, value):
            cause = "missing_field"
            self.advice = f". Its filter reads the item field {name_fields(self._values.fields_of(value))}"
        self.left_out[cause] += 1
        return False

    def _find_cause(self, item: Any) -> tuple[str, str] | None:
        """Return the option that leaves *item* out, and the value that it is about; None if there is none."""
        confidence = self._values.find(item, "confidence")
        confidence = confidence if is_number(confidence) else 0
        if not self._least <= confidence <= self._most:
            return "max_confidence" if confidence > self._most else "min_confidence", "confidence"
        for option, (value, names) in self._names.items():
            if names is not None and self._values.find(item, value) not in names:
                return option, value
        if self._least_words:
            text = self._values.find(item, "text")
            if _count_words(text if isinstance(text, str) else "") < self._least_words:
                return "min_words", "text"
        return None


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


def _read_field_name(options: Mapping[str, Any], name: str) -> str | None:
    value = options.get(name)
    if value is not None and not (isinstance(value, str) and value):
        raise _make_error(name, "the name of an item field", value)
    return value
