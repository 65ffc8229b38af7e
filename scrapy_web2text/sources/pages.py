"""The pages that a command reads: a file, a URL, standard input, or a folder."""

from __future__ import annotations

import errno
import logging
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Final

from scrapy_web2text.exceptions import warn_once
from scrapy_web2text.options import Options
from scrapy_web2text.sources.archives import archive_kind
from scrapy_web2text.sources.files import bytes_to_read, list_files, read_kept_url, read_page_file
from scrapy_web2text.sources.sites import SiteIndex
from scrapy_web2text.sources.source import Source
from scrapy_web2text.sources.urls import find_url

# A mark in the first bytes of each file that the viewer writes.
_SIGN: Final = b'content="web2text view"'
_N_FIRST: Final = 1_000  # bytes
# A scheme, or a host that no suffix of a file ends.
_LIKE_URL: Final = re.compile(
    r"\w+:/|localhost\b|(?:[\w-]+\.)+(?!(?:\w?html?|php|aspx?|jsp|xml|gz|zst|txt|md|pdf|zip|json\w*|jl|parquet|warc)$)"
    r"[a-z]{2,}(?:[/:?#]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class LocatedPage:
    """A page that was read, its URL if it is known, and the options of its site."""

    source: Source
    url: str | None
    options: Options


@dataclass(frozen=True, slots=True)
class PageSource:
    """The place of a page.

    :param name: its path as the user gave it or, for a file of a folder, its path in the folder; a URL; or ``-`` for
        standard input.
    :param file: None for a page that is not a file.
    """

    name: str
    file: Path | None = None

    def read(self, max_bytes: int | None) -> Source:
        """Return the page, with its URL if a snapshot or a server states it.

        :param max_bytes: length of the longest page that is read completely, in bytes. Of a longer file or input, one
            byte more is read, which shows that it is longer. None for no limit.
        :raises PageError: if the response of a URL cannot be extracted.
        """
        if self.file is not None:
            return Source(read_page_file(self.file, max_bytes), read_kept_url(self.file))
        if self.name == "-":
            return Source(sys.stdin.buffer.read(bytes_to_read(max_bytes)))
        from scrapy_web2text.sources.responses import fetch_page  # loads Scrapy

        return fetch_page(self.name, max_bytes)


@dataclass(frozen=True, slots=True)
class PageSources:
    """Lists and loads pages, with their URLs and with the options of their sites, which replace *options*.

    :param url_sources: sources of the URLs of pages for which no snapshot or server states a URL, see `find_url`.
    """

    options: Options
    sites: SiteIndex = field(default_factory=lambda: SiteIndex({}))
    url_sources: Sequence[str] = ()

    def list_pages(self, page: str) -> Iterator[PageSource]:
        """Yield the place of each page. In a folder, files that the viewer wrote are skipped.

        :param page: a folder, a file, a URL, or ``-`` for standard input.
        :raises OSError: if a file that does not exist has a name like a URL or a domain.
        """
        path = Path(page)
        if path.is_dir():
            for file in list_files(path):
                if not is_view(path / file):
                    yield PageSource(file.as_posix(), path / file)
        elif page == "-" or page.startswith(("http://", "https://")):
            yield PageSource(page)
        elif _LIKE_URL.match(page) and not path.exists():
            raise FileNotFoundError(
                errno.ENOENT, "No such file or directory; a URL begins with http:// or https://", page
            )
        elif archive_kind(page) is not None:
            raise ValueError(
                f"{page}: expected HTML files, as WEB2TEXT_SNAPSHOT_DIR keeps them, got an archive: see web2text batch"
            )
        else:
            yield PageSource(page, path)

    def load(self, place: PageSource, encoding: str | None = None) -> LocatedPage:
        """Return the page at *place*; *encoding* overrides the encoding that its server states.

        :raises PageError: if the response of a URL cannot be extracted.
        """
        page = place.read(self.options.max_bytes)
        page = replace(page, encoding=encoding or page.encoding)
        loaded = self.locate(page, None if place.file is None else PurePath(place.name))
        if loaded.url is None and self.sites.by_host:
            warn_once(logging.getLogger(__name__), "A page has no URL, so no rule of --sites applies; see --url-from")
        return loaded

    def locate(self, page: Source, path: PurePath | None) -> LocatedPage:
        """Return *page* with its URL and the options of its site.

        :param path: the path of its file, for templates of URLs; None for a page that is not a file.
        """
        url = find_url(self.url_sources, path, page, self.options) if page.url is None else page.url
        return LocatedPage(page, url, self.sites.find(url) or self.options)


def is_view(path: Path) -> bool:
    """Return whether the viewer wrote the file at *path*; False if it cannot be read, which is reported later."""
    try:
        with path.open("rb") as file:
            return _SIGN in file.read(_N_FIRST)
    except OSError:
        return False
