"""The pages that a command reads: a file, a URL, standard input, or a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, Protocol

from scrapy_web2text.options import Options
from scrapy_web2text.sources.files import list_files, read_page_file, read_url
from scrapy_web2text.sources.source import Source
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
    """

    name: str
    given: str | None = None
    file: Path | None = None
    path: PurePath | None = None


def read_page(page: str, max_bytes: int | None) -> Source:
    """Return the page of a file, of an http(s) URL or, for ``-``, of standard input.

    :param max_bytes: length of the longest page that is read completely, in bytes. Of a longer file or input, one byte
        more is read, which shows that it is longer. None for no limit.
    """
    if page == "-":
        return Source(sys.stdin.buffer.read(-1 if max_bytes is None else max_bytes + 1))
    if page.startswith(("http://", "https://")):
        from scrapy_web2text.sources.responses import fetch_page  # loads Scrapy

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

    def list_pages(self, page: str) -> Iterator[PageSource]:
        """Yield the place of each page. In a folder, files that the viewer wrote are skipped.

        :param page: a folder, a file, a URL, or ``-`` for standard input.
        """
        path = Path(page)
        if path.is_dir():
            for file in list_files(path):
                if not is_view(path / file):
                    yield PageSource(file.as_posix(), file=path / file, path=file)
        elif page == "-" or page.startswith(("http://", "https://")):
            yield PageSource(page, given=page)
        else:
            yield PageSource(page, file=path, path=PurePath(path.name))

    def load(self, source: PageSource) -> LoadedPage:
        """Return the page of *source*.

        :raises PageError: if the response of a URL cannot be extracted.
        """
        page = read_page(source.given or str(source.file), self.options.max_bytes)
        kept = None if source.file is None else read_url(source.file)
        url = kept or find_url(self._urls, source.path, page, self.options) or page.url
        return LoadedPage(page, url, self._sites.find(url) or self.options)


def is_view(path: Path) -> bool:
    """Return whether the viewer wrote the file at *path*; False if it cannot be read, which is reported later."""
    try:
        with path.open("rb") as file:
            return _SIGN in file.read(_N_FIRST)
    except OSError:
        return False
