"""The pages that a command reads: a file, a URL, standard input, a feed, or a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final, Protocol

from scrapy_web2text.options import Options
from scrapy_web2text.sources.archives import is_feed
from scrapy_web2text.sources.files import list_files, read_page_file, read_url
from scrapy_web2text.sources.source import Source
from scrapy_web2text.sources.tables import read_items
from scrapy_web2text.sources.urls import find_url

# A mark in the first bytes of each file that the viewer writes.
_SIGN: Final = b'content="web2text view"'
_N_FIRST: Final = 1_000  # bytes


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """A page that was read, its URL if it is known, and the options of its site."""

    source: Source
    url: str | None
    options: Options


@dataclass(frozen=True, slots=True)
class PageSource:
    """The place of a page.

    :param given: the argument of the command, for a page that is not a file.
    :param path: the path of the file in the folder of the pages.
    :param item: the item of a feed; None for a page that is not from a feed. Without *file*, only the item is known.
    """

    name: str
    given: str | None = None
    file: Path | None = None
    path: PurePath | None = None
    item: Mapping[str, Any] | None = None


def read_page(page: str, max_bytes: int | None) -> Source:
    """Return the page of a file, of an http(s) URL or, for ``-``, of standard input.

    :param max_bytes: length of the longest page that is read completely, in bytes. Of a longer file or input, one byte
        more is read, which shows that it is longer. None for no limit.
    """
    if page == "-":
        return Source(sys.stdin.buffer.read(-1 if max_bytes is None else max_bytes + 1))
    if page.startswith(("http://", "https://")):
        from scrapy_web2text.sources.fetching import fetch_page  # loads Scrapy

        return fetch_page(page, max_bytes)
    return Source(read_page_file(Path(page), max_bytes))


class Sites(Protocol):
    """The options of sites."""

    def find(self, url: str | None) -> Options | None:
        """Return the options for the page at *url*; None if its site has none."""


class PageSources:
    """The pages that a user names, with the options of their sites in place of *options*."""

    def __init__(self, options: Options, sites: Sites, url_sources: Sequence[str]) -> None:
        self.options = options
        self._sites = sites
        self._urls = url_sources

    def list_pages(self, page: str, folder: Path | None = None) -> Iterator[PageSource]:
        """Yield the place of each page. In a folder, files that the viewer wrote are skipped.

        :param page: a folder, a feed, a file, a URL, or ``-`` for standard input.
        :param folder: folder of the pages that a feed names in ``path``.
        """
        path = Path(page)
        if path.is_dir():
            for file in list_files(path):
                if not is_view(path / file):
                    yield PageSource(file.as_posix(), file=path / file, path=file)
        elif is_feed(page):
            for name, item in read_items(path):
                found = _find_file(item, folder)
                yield PageSource(name, file=found, path=found and PurePath(str(item["path"])), item=item)
        elif page == "-" or page.startswith(("http://", "https://")):
            yield PageSource(page, given=page)
        else:
            yield PageSource(page, file=path, path=PurePath(path.name))

    def load(self, source: PageSource) -> LoadedPage | None:
        """Return the page of *source*; None if only its item is known.

        :raises PageError: if the response of a URL cannot be extracted.
        """
        kept = None
        if source.file is not None:
            page = Source(read_page_file(source.file, self.options.max_bytes))
            kept = read_url(source.file)
        elif source.given is not None:
            page = read_page(source.given, self.options.max_bytes)
        else:
            return None
        stated = source.item.get("url") if source.item else None
        known = page.url or (stated if isinstance(stated, str) else None)
        url = kept or find_url(self._urls, source.path, page, self.options) or known
        return LoadedPage(page, url, self._sites.find(url) or self.options)


def is_view(path: Path) -> bool:
    """Return whether the viewer wrote the file at *path*; False if it cannot be read, which is reported later."""
    try:
        with path.open("rb") as file:
            return _SIGN in file.read(_N_FIRST)
    except OSError:
        return False


def _find_file(item: Mapping[str, Any], folder: Path | None) -> Path | None:
    """Return the file in *folder* with the page of an item; None if there is no such file."""
    name = item.get("path")
    if folder is None or not isinstance(name, str) or not name:
        return None
    path, root = (folder / name).resolve(), folder.resolve()
    return path if root in path.parents and path.is_file() else None
