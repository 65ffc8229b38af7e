"""The sides of ``web2text diff``: a feed, or pages that are extracted."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.cli.items import is_feed
from scrapy_web2text.cli.sites import load_sites
from scrapy_web2text.cli.sources import PageSources
from scrapy_web2text.crawl.tasks import get_extractor

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterator, Mapping

    from scrapy_web2text.cli.sources import PageSource
    from scrapy_web2text.options import Options

__all__ = ["Side"]

# Fields of an item with the text: as `web2text batch` writes it, and as a crawl does by default.
_TEXT_FIELDS: Final = ("text", "main_content")


class Side:
    """The answers of one side, by the URLs of their pages.

    :param page: a feed, a folder of HTML files, one file, or a URL.
    :param name: what the side is called.
    :param options: for pages that are extracted.
    :param text_field: the field of items with the text; None for the usual ones.
    """

    def __init__(
        self, args: argparse.Namespace, page: str, name: str, options: Options, text_field: str | None = None
    ) -> None:
        self.name = name
        self.skipped: Counter[str] = Counter()
        """Items that were not compared, by cause."""
        self._page = page
        self._sources = PageSources(args, options, load_sites(args, options))
        self._fields = _TEXT_FIELDS if text_field is None else (text_field,)
        if not is_feed(page):
            get_extractor(options)  # so that errors come before pages are read

    def read(self, wanted: Collection[str] | None = None) -> Iterator[tuple[str, dict[str, Any], str]]:
        """Yield each page by its URL, or by its file if its URL is unknown; its item, and the text in that.

        Of several items for a page, the first counts.

        :param wanted: the pages that are read; None for all, which also counts what is skipped.
        :raises OSError: if the pages cannot be read at all, as for ValueError.
        """
        seen: set[str] = set()
        for source in self._sources.list_pages(self._page):
            page, problem, found = self._read_source(source, wanted)
            if page in seen:
                problem = "duplicates"
            elif page is not None and found is not None:
                seen.add(page)
                yield page, *found
            if problem and wanted is None:
                self.skipped[problem] += 1

    def _read_source(
        self, source: PageSource, wanted: Collection[str] | None
    ) -> tuple[str | None, str, tuple[dict[str, Any], str] | None]:
        """Return a page, why it is skipped, and its item and text if it is not."""
        try:
            loaded = self._sources.load(source)
        except OSError as error:
            print(f"web2text diff: skipped {source.name}: {error}", file=sys.stderr)
            return source.name, "unreadable", None
        page = _find_key(source.item or {}) if loaded is None else loaded.url or source.name
        if page is None:
            return None, "without a URL or path", None
        if wanted is not None and page not in wanted:
            return page, "", None
        if loaded is None:
            item = dict(source.item or {})
        else:
            extractor = get_extractor(loaded.options)
            item = extractor.extract(loaded.body, loaded.url, encoding=loaded.encoding).to_dict()
        text = self._find_text(item)
        return page, "" if text is not None else "without a text", None if text is None else (item, text)

    def _find_text(self, item: dict[str, Any]) -> str | None:
        """Return the text of an item; None if it has none. A text of None is an empty one."""
        for field in self._fields:
            if isinstance(item.get(field, 0), str | None):
                return item[field] or ""
        return None

    def describe_fields(self) -> str:
        """Return the fields with the text, for messages."""
        return " or ".join(self._fields)


def _find_key(item: Mapping[str, Any]) -> str | None:
    """Return the URL of an item's page, else its path, with its place in an archive; None if it has neither."""
    url, path, record = (item.get(name) for name in ("url", "path", "record"))
    if isinstance(url, str) and url:
        return url
    if not isinstance(path, str) or not path:
        return None
    return path if record is None else f"{path}#{record}"
