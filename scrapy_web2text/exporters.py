"""Feeds of clean text: exporters for ``FEEDS``, and a filter of items.

The add-on registers the exporters. Without the add-on, set ``FEED_EXPORTERS`` to this module's dict of that name.
"""

from __future__ import annotations

import codecs
import json
from typing import IO, Any, ClassVar, Final, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter, CsvItemExporter

from scrapy_web2text.batch.schema import TableWriter, item_columns
from scrapy_web2text.content.escaping import escape_comment
from scrapy_web2text.content.forms import COMMENT_HEADER, FRONT_MATTER, add_header, page_header, write_front_matter
from scrapy_web2text.crawl.feeds import ContentFilter, FeedReport, LeftOut, warn_of_unknown_keys
from scrapy_web2text.crawl.items import ItemValues
from scrapy_web2text.crawl.settings import MARKDOWN_FORMAT, PARQUET_FORMAT, Web2TextSettings

__all__ = [
    "FEED_EXPORTERS",
    "ContentFilter",
    "JsonCellsCsvExporter",
    "MarkdownExporter",
    "ParquetExporter",
    "TextExporter",
]

# Registered by the add-on.
FEED_EXPORTERS: Final = {
    "web2text-txt": "scrapy_web2text.exporters.TextExporter",
    MARKDOWN_FORMAT: "scrapy_web2text.exporters.MarkdownExporter",
    PARQUET_FORMAT: "scrapy_web2text.exporters.ParquetExporter",
    "csv": "scrapy_web2text.exporters.JsonCellsCsvExporter",
}


# Options that `FeedExporter` passes and `BaseItemExporter` reads.
_BASE_OPTIONS: Final = {"encoding", "export_empty_fields", "fields_to_export", "indent"}


class TextExporter(BaseItemExporter):
    """Writes clean text, one page after another: a header ``### URL | title``, the text, and an empty line.

    A line of the text that looks like a header begins with a space. Items without text are skipped. Options, in the
    feed's ``item_export_kwargs``:

    :param text_field: item field that holds the text; None for the field that ``WEB2TEXT_FIELDS`` fills with the text.
    :param url_field: item field that holds the URL of the page; None for the field ``WEB2TEXT_URL_FIELD``.
    :param summary_field: item field that holds the summary, which has the title; None for the field that
        ``WEB2TEXT_FIELDS`` fills with the summary.
    :param header: whether to write a header for each page.
    """

    _form: ClassVar = "text"
    _fields: ClassVar[tuple[str, ...]] = ("text", "url", "summary")  # each with an option
    _options: ClassVar[tuple[str, ...]] = ("header",)

    def __init__(
        self, file: IO[bytes], *, settings: Web2TextSettings | None = None, header: bool = True, **options: Any
    ) -> None:
        chosen = {name: options.pop(f"{name}_field", None) for name in self._fields}
        super().__init__(dont_fail=True, **options)
        warn_of_unknown_keys(
            "item_export_kwargs",
            options.keys() - _BASE_OPTIONS,
            (*(f"{name}_field" for name in self._fields), *self._options),
        )
        self.file = file
        # One encoder for the whole file: some encodings begin with a byte order mark, which must occur only once.
        self._encoder = codecs.getincrementalencoder(self.encoding or "utf-8")("replace")
        self._values = ItemValues(settings, {self._form: chosen.pop("text"), **chosen})
        self._has_header = header
        self.left_out = LeftOut("It")

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **options: Any) -> Self:
        """Return the exporter of *crawler*. Log a warning if ``WEB2TEXT_FIELDS`` fills no field with its value."""
        report = FeedReport.of(crawler)
        exporter = cls(file, settings=report.settings, **options)
        if not exporter._values.can_find(cls._form):
            field = exporter._values.fields_of(cls._form)[0]
            report.journal.log_once(
                cls.__name__,
                '%s: WEB2TEXT_FIELDS fills no item field with the value "%s". Expected {…, "%s": "%s"}',
                cls.__name__,
                cls._form,
                field,
                cls._form,
            )
        return exporter

    def export_item(self, item: Any) -> None:
        """Write one item."""
        text = self._values.find(item, self._form)
        if not text:
            self.left_out.add(item, "no_text", self._form, self._values)
            return
        page = add_header(self._header(item), str(text)) if self._has_header else f"{text}\n"
        self.file.write(self._encoder.encode(f"{page}\n"))

    def _header(self, item: Any) -> str:
        return page_header(str(self._values.find(item, "url") or ""), self._values.find(item, "title"))


class MarkdownExporter(TextExporter):
    """Writes Markdown, one page after another: a comment with URL and title, the content, and an empty line.

    If you set ``WEB2TEXT_FIELDS``, it must fill an item field with the Markdown::

        WEB2TEXT_FIELDS = {"main_content": "text", "markdown": "markdown", "web2text": "summary"}

    It has the options of :class:`TextExporter`, where the text is the Markdown, and these:

    :param front_matter: whether the header of each page is YAML front matter, with URL, title, confidence and metadata
        as far as the item has them.
    :param date_field: item field that holds the date of the page; None for the field that ``WEB2TEXT_FIELDS`` fills.
    :param language_field: item field that holds the language; None for the field that ``WEB2TEXT_FIELDS`` fills.
    """

    _form: ClassVar = "markdown"
    _fields: ClassVar = ("text", "url", "summary", "date", "language")
    _options: ClassVar = ("header", "front_matter")

    def __init__(self, file: IO[bytes], *, front_matter: bool = False, **options: Any) -> None:
        super().__init__(file, **options)
        self._has_front_matter = front_matter

    def _header(self, item: Any) -> str:
        found = {name: self._values.find(item, name) for name in (*FRONT_MATTER, "confidence")}
        if self._has_front_matter:
            return write_front_matter(found)
        return page_header(str(found["url"] or ""), found["title"], COMMENT_HEADER, escape_comment) + "\n"


class ParquetExporter(BaseItemExporter):
    """Writes a table with a row for each item, in the columns of ``web2text batch`` (extra ``parquet``).

    If the feed has ``fields``, these are the columns. A field that is not a value of an answer is written as text.
    """

    def __init__(self, file: IO[bytes], *, report: FeedReport, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._report = report
        self._values = ItemValues(report.settings, {})
        columns = item_columns(report.settings.options, report.settings.fields.values())
        self._own = [name for name in self.fields_to_export or () if name not in columns]
        self._columns = {name: columns.get(name, "string") for name in self.fields_to_export or columns}
        self._table = TableWriter(file, self._columns)

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **options: Any) -> Self:
        """Return the exporter of *crawler*, whose columns hold what ``WEB2TEXT_FIELDS`` asks for."""
        return cls(file, report=FeedReport.of(crawler), **options)

    def export_item(self, item: Any) -> None:
        """Add the row of one item."""
        adapter = ItemAdapter(item)
        found = {name: self._values.find(item, name) for name in self._columns}
        own = {name: adapter[name] for name in self._own if name in adapter}
        found |= {name: value if isinstance(value, str) else _to_json(value) for name, value in own.items()}
        self._table.add({name: value for name, value in found.items() if value is not None})

    def finish_exporting(self) -> None:
        """Write the rows that are left, and the end of the file."""
        self._table.close()


class JsonCellsCsvExporter(CsvItemExporter):
    """Scrapy's CSV exporter, except that it writes dicts and lists of dicts, such as ``blocks``, as JSON.

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
    """Return *value* as JSON, with null in place of NaN and infinity, which JSON lacks."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
    except ValueError:
        plain = json.loads(json.dumps(value, default=str), parse_constant=lambda name: None)  # noqa: ARG005
        return json.dumps(plain, ensure_ascii=False)
