"""The sides of ``web2text diff``: a feed, or pages that are extracted."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from scrapy_web2text.common.files import replace_file
from scrapy_web2text.exceptions import explain, say
from scrapy_web2text.sources.archives import is_feed
from scrapy_web2text.sources.pages import PageSource, PageSources
from scrapy_web2text.view.comparison import PageChanges, compare_page, compare_texts
from scrapy_web2text.view.document import write_comparison
from scrapy_web2text.workers.worker import get_extractor

# Item fields with the text: as `web2text batch` writes it, and as a crawl writes it by default.
_TEXT_FIELDS: Final = ("text", "main_content")


class Side:
    """The answers of one side, by the URLs of their pages.

    :param page: a feed, a folder of HTML files, one file, or a URL.
    :param text_field: the item field with the text; None for the usual fields.
    """

    def __init__(self, sources: PageSources, page: str, name: str, text_field: str | None = None) -> None:
        self.name = name
        self.skipped: Counter[str] = Counter()
        """Items that were not compared, by cause."""
        self._page = page
        self._sources = sources
        self._fields = _TEXT_FIELDS if text_field is None else (text_field,)
        if not is_feed(page):
            get_extractor(sources.options)  # so that errors appear before pages are read
        record = _read_record(Path(f"{page}.manifest") if is_feed(page) else Path(page, "settings.json"))
        own = {name: sources.options.to_settings()}
        self.settings = {name: record} if is_feed(page) else own | {f"the crawl of {page}": record}
        """The settings that made the texts, and the settings of the crawl that kept the pages; empty if unknown."""

    def read(self, wanted: Collection[str] | None = None) -> Iterator[tuple[str, dict[str, Any], str]]:
        """Yield the URL of each page, or its file if the URL is unknown, with its item and the text of the item.

        If a page has several items, the first counts.

        :param wanted: the pages to read. None reads all, and also counts skipped items.
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
        """Return a page, the reason why it is skipped, and otherwise its item and text."""
        try:
            loaded = self._sources.load(source)
        except OSError as error:
            say(f"web2text diff: skipped {source.name}: {explain(error, is_named=False)}")
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
            item = extractor.extract(loaded.source, loaded.url).to_dict()
        text = self._find_text(item)
        return page, "" if text is not None else "without a text", None if text is None else (item, text)

    def _find_text(self, item: dict[str, Any]) -> str | None:
        """Return the text of an item; None if the item lacks the fields. A value of None is an empty text."""
        for field in self._fields:
            if isinstance(item.get(field, 0), str | None):
                return item[field] or ""
        return None

    def describe_fields(self) -> str:
        """Return the fields with the text, for messages."""
        return " or ".join(self._fields)


def _read_record(path: Path) -> dict[str, Any]:
    """Return the settings in the manifest of a batch, or in the file of a crawl; empty for any other file."""
    with suppress(Exception):
        found = json.loads(path.read_bytes(), parse_constant=str) if path.is_file() else {}
        return {**found.get("run", found)["settings"]}
    return {}


def _find_key(item: Mapping[str, Any]) -> str | None:
    """Return the URL of an item's page, or else its path, with its place in an archive; None without both."""
    url, path, record = (item.get(name) for name in ("url", "path", "record"))
    if isinstance(url, str) and url:
        return url
    if not isinstance(path, str) or not path:
        return None
    return path if record is None else f"{path}#{record}"


def compare_sides(before: Side, after: Side, most: int, track: Callable[..., Iterable[Any]]) -> PageChanges:
    """Compare both sides, and keep the *most* pages with the greatest changes.

    Texts of the first side are compressed in memory.
    """
    changes = PageChanges(most)
    texts = {}
    for page, _, text in track(before.read(), None, title=before.name):
        texts[page] = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)  # JSON can hold lone surrogates
    for page, _, text in track(after.read(), None, title=after.name):
        found = texts.pop(page, None)
        if found is None:
            changes.add_only(page, is_before=False)
        else:
            changes.add(page, compare_texts(zlib.decompress(found).decode("utf-8", "surrogatepass"), text))
    for page in texts:
        changes.add_only(page, is_before=True)
    return changes


def write_pages(path: Path, sides: tuple[Side, Side], changes: PageChanges, totals: Mapping[str, Any]) -> str:
    """Write the document of the pages that changed most, which are read once more, and return a message."""
    wanted = {change.page for change in changes.greatest}
    first, second = ({page: (item, text) for page, item, text in side.read(wanted)} for side in sides)
    names = [side.name for side in sides]
    pages = [
        compare_page(change, first[change.page], second[change.page], names)
        for change in changes.greatest
        if change.page in first and change.page in second  # the page was not removed meanwhile
    ]
    document = write_comparison(pages, f"{names[0]} and {names[1]}", totals)
    replace_file(path, document.encode())
    return f"{path}: {len(pages):,} page{'s' * (len(pages) != 1)}"
