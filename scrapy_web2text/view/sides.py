"""The two feeds of ``web2text diff``: their items, page by page."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from scrapy_web2text.common.files import replace_file
from scrapy_web2text.sources.tables import read_items
from scrapy_web2text.view.comparison import PageChanges, compare_page, compare_texts
from scrapy_web2text.view.document import write_comparison

_LARGEST_SETTINGS: Final = 1_000_000  # bytes
_OptionName = Annotated[str, msgspec.Meta(max_length=100)]
# Item fields with the text: as `web2text batch` writes it, and as a crawl writes it by default.
TEXT_FIELDS: Final = ("text", "main_content")


class _Settings(msgspec.Struct):
    """What `web2text batch` writes beside a feed."""

    settings: Annotated[dict[_OptionName, Any], msgspec.Meta(max_length=200)]


def tell_apart(before: str, after: str) -> list[str]:
    """Return the shortest ends of two paths that differ; their names if the paths are equal."""
    parts = [Path(path).parts for path in (before, after)]
    n = next((n for n in range(1, max(map(len, parts)) + 1) if parts[0][-n:] != parts[1][-n:]), 1)
    return [str(Path(*each[-n:])) for each in parts]


class Side:
    """The items of a feed in JSON Lines, by the URLs of their pages.

    :param text_fields: the item fields that may have the text; the first that an item has counts.
    :param name: what messages call the feed; by default, its path.
    """

    def __init__(self, feed: Path, text_fields: tuple[str, ...] = TEXT_FIELDS, name: str | None = None) -> None:
        self.name = name or str(feed)
        self.text_fields = text_fields
        self.skipped: Counter[str] = Counter()
        """Items that were not compared, by cause."""
        self._feed = feed

    def read_settings(self) -> dict[str, Any]:
        """Return the options of the run that wrote the feed; none if they are unknown."""
        path = Path(f"{self._feed}.settings.json")
        if not path.is_file() or path.stat().st_size > _LARGEST_SETTINGS:
            return {}
        try:
            return msgspec.json.decode(path.read_bytes(), type=_Settings).settings
        except (OSError, msgspec.MsgspecError, RecursionError):
            return {}

    def read(self) -> Iterator[tuple[str, dict[str, Any], str]]:
        """Yield the URL of each page, or its place if the URL is unknown, with its item and the text of the item.

        If a page has several items, the first counts.
        """
        seen: set[str] = set()
        self.skipped.clear()
        for _, item in read_items(self._feed):
            page, text = _find_key(item), self._find_text(item)
            if page is None:
                self.skipped["without a URL or path"] += 1
            elif page in seen:
                self.skipped["duplicates"] += 1
            elif text is None:
                self.skipped["without a text"] += 1
            else:
                seen.add(page)
                yield page, item, text

    def _find_text(self, item: Mapping[str, Any]) -> str | None:
        """Return the text of an item; None if the item lacks the fields. A value of None is an empty text."""
        for field in self.text_fields:
            if isinstance(item.get(field, 0), str | None):
                return item[field] or ""
        return None


def _find_key(item: Mapping[str, Any]) -> str | None:
    """Return the URL of an item's page, or else its path, with its place in an archive; None if it has neither."""
    url, path, record = (item.get(name) for name in ("url", "path", "record"))
    if isinstance(url, str) and url:
        return url
    if not isinstance(path, str) or not path:
        return None
    return path if record is None else f"{path}#{record}"


def compare_settings(before: Side, after: Side) -> dict[str, list[Any]]:
    """Return the options that differ between both sides: name -> both values, or "default".

    Nothing is returned if the options of a side are unknown.
    """
    first, second = before.read_settings(), after.read_settings()
    names = first | second if first and second else ()
    return {
        name: [first.get(name, "default"), second.get(name, "default")]
        for name in names
        if first.get(name) != second.get(name)
    }


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
    first, second = ({page: (item, text) for page, item, text in side.read() if page in wanted} for side in sides)
    names = [side.name for side in sides]
    pages = [compare_page(change, first[change.page], second[change.page], names) for change in changes.greatest]
    document = write_comparison(pages, f"{names[0]} and {names[1]}", totals)
    replace_file(path, document.encode())
    return f"{path}: {len(pages):,} page{'s' * (len(pages) != 1)}"
