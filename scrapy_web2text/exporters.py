"""Feeds of clean text: exporters for ``FEEDS``, and a filter by how sure the extractor is.

The add-on registers the exporters. Without it::

    FEED_EXPORTERS = {
        "web2text-txt": "scrapy_web2text.exporters.TextExporter",
        "web2text-md": "scrapy_web2text.exporters.MarkdownExporter",
        "csv": "scrapy_web2text.exporters.JsonCellsCsvExporter",
    }
"""

from __future__ import annotations

import json
import logging
from typing import IO, TYPE_CHECKING, Any, Final

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter, CsvItemExporter
from scrapy.extensions.feedexport import ItemFilter

from scrapy_web2text.formats import page_header
from scrapy_web2text.settings import Web2TextSettings

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

__all__ = ["FEED_EXPORTERS", "JsonCellsCsvExporter", "MarkdownExporter", "MinConfidenceFilter", "TextExporter"]

logger = logging.getLogger(__name__)

# What the add-on registers.
FEED_EXPORTERS: Final = {
    "web2text-txt": "scrapy_web2text.exporters.TextExporter",
    "web2text-md": "scrapy_web2text.exporters.MarkdownExporter",
    "csv": "scrapy_web2text.exporters.JsonCellsCsvExporter",
}
_FILTER_OPTIONS: Final = ("min_confidence", "max_confidence", "min_words")


class TextExporter(BaseItemExporter):
    """Writes clean text, one page after another: a header ``### URL | title``, the text, and a blank line.

    Items without text are left out. Options, in the feed's ``item_export_kwargs``:

    :param text_field: item field that holds the text.
    :param url_field: item field that holds the page's address.
    :param summary_field: item field that holds the summary, from which the title comes.
    :param header: whether pages have a header.
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
        self.file = file
        self._fields = text_field, url_field, summary_field
        self._has_header = header

    def export_item(self, item: Any) -> None:
        """Write one item."""
        text, url, summary = (ItemAdapter(item).get(field) for field in self._fields)
        if not text:
            return
        lines = [str(text), ""]
        if self._has_header:
            lines.insert(0, self._header(url, summary.get("title") if isinstance(summary, dict) else None))
        self.file.write("".join(f"{line}\n" for line in lines).encode(self.encoding or "utf-8", "replace"))

    def _header(self, url: Any, title: Any) -> str:
        return page_header(str(url or ""), title)


class MarkdownExporter(TextExporter):
    """Writes Markdown, one page after another: a comment with URL and title, the content, and a blank line.

    Its pages come from an item field ``markdown``, which ``WEB2TEXT_FIELDS`` must fill::

        WEB2TEXT_FIELDS = {"main_content": "text", "markdown": "markdown", "web2text": "summary"}

    Options as for :class:`TextExporter`; ``text_field`` is ``markdown``.
    """

    def __init__(self, file: IO[bytes], *, text_field: str = "markdown", **options: Any) -> None:
        super().__init__(file, text_field=text_field, **options)

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **options: Any) -> MarkdownExporter:
        """Return the exporter of *crawler*, which is told if nothing will fill the field."""
        exporter = cls(file, **options)
        field = exporter._fields[0]
        if Web2TextSettings.from_crawler(crawler).fields.get(field) != "markdown":
            message = 'Feed of Markdown: no item field %r is filled. Add it: WEB2TEXT_FIELDS = {…, "%s": "markdown"}'
            logger.warning(message, field, field, extra={"spider": crawler.spider})
        return exporter

    def _header(self, url: Any, title: Any) -> str:
        # Two hyphens would end the comment.
        header = super()._header(url, title).removeprefix("### ").replace("--", "- -")
        return f"<!-- {header} -->\n"


class JsonCellsCsvExporter(CsvItemExporter):
    """Scrapy's CSV exporter, but values that are no text or number, such as lists of blocks, become JSON.

    A list of texts alone is joined as Scrapy does.
    """

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return what stands in a cell."""
        serialized = super().serialize_field(field, name, value)
        is_nested = isinstance(serialized, dict) or (
            isinstance(serialized, list | tuple) and any(not isinstance(part, str) for part in serialized)
        )
        return json.dumps(serialized, ensure_ascii=False, default=str) if is_nested else serialized


class MinConfidenceFilter(ItemFilter):
    """Lets items into a feed by how sure the extractor is of them.

    It is the feed's ``item_filter``, and reads its limits from the same dictionary::

        FEEDS = {"sure.jsonl": {"format": "jsonlines", "item_filter": "scrapy_web2text.exporters.MinConfidenceFilter",
                                "min_confidence": 0.7, "min_words": 50}}

    :param feed_options: of the feed. ``min_confidence`` and ``max_confidence``, from 0 to 1, both included: a page
        without a confidence is below all. ``methods``: names such as ``["model"]``. ``min_words``: of the text.
        ``text_field`` and ``summary_field``, if the project has other names than the usual ones.
    :raises ValueError: if a limit is no number or out of its range.
    """

    def __init__(self, feed_options: dict[str, Any] | None) -> None:
        super().__init__(feed_options)
        options = feed_options or {}
        for name in _FILTER_OPTIONS:
            value = options.get(name, 0)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not (is_number and value >= 0 and (name == "min_words" or value <= 1)):
                expected = "a number from 0" if name == "min_words" else "a number from 0 to 1"
                raise ValueError(f"FEEDS: {name}: expected {expected}, got {value!r}")
        self._least, self._most = options.get("min_confidence", 0), options.get("max_confidence", 1)
        self._least_words = options.get("min_words", 0)
        self._methods = options.get("methods")
        self._text_field = options.get("text_field", "main_content")
        self._summary_field = options.get("summary_field", "web2text")

    def accepts(self, item: Any) -> bool:
        """Return whether *item* goes into the feed."""
        if not super().accepts(item):
            return False
        adapter = ItemAdapter(item)
        summary = adapter.get(self._summary_field)
        summary = summary if isinstance(summary, dict) else {}
        confidence = summary.get("confidence")
        if not self._least <= (0 if confidence is None else confidence) <= self._most:
            return False
        if self._methods is not None and summary.get("method") not in self._methods:
            return False
        n_words = len(str(adapter.get(self._text_field) or "").split())
        return bool(n_words >= self._least_words)
