"""The pages that a command is asked to show: a file, a URL, standard input, a feed, or a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.archives.snapshots import read_url
from scrapy_web2text.cli.extract import read_page
from scrapy_web2text.cli.files import read_page_file
from scrapy_web2text.cli.items import is_feed, read_items
from scrapy_web2text.cli.listing import list_files
from scrapy_web2text.cli.sites import url_sources
from scrapy_web2text.cli.urls import find_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from scrapy_web2text.crawl.sites import SiteIndex
    from scrapy_web2text.options import Options

__all__ = ["LoadedPage", "PageSource", "PageSources", "is_view"]

# In the first bytes of each file that the viewer writes.
_SIGN: Final = b'content="web2text view"'
_N_FIRST: Final = 1_000  # bytes


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """A page as it was read.

    :param options: the options for its site.
    """

    body: bytes
    url: str | None
    encoding: str | None
    options: Options


@dataclass(frozen=True, slots=True)
class PageSource:
    """Where a page is.

    :param name: what the page is called in lists.
    :param given: the argument of the command, for a page that is no file.
    :param file: the file that holds the page.
    :param path: its path in the folder of the pages.
    :param item: the item of a feed whose page is not at hand, or that names *file*.
    """

    name: str
    given: str | None = None
    file: Path | None = None
    path: PurePath | None = None
    item: Mapping[str, Any] | None = None


class PageSources:
    """The pages that the arguments of a command name.

    :param args: with ``url_from`` and ``sites``.
    """

    def __init__(self, args: argparse.Namespace, options: Options, sites: SiteIndex) -> None:
        self._options = options
        self._sites = sites
        self._urls = url_sources(args)

    def list_pages(self, page: str, folder: Path | None = None) -> Iterator[PageSource]:
        """Yield where each page is. In a folder, the files of the viewer are not pages.

        :param page: the argument that names the pages.
        :param folder: folder of the pages that a feed names in ``path``.
        :raises OSError: if a folder or feed cannot be read.
        :raises ValueError: if a feed is not one, or a folder has no pages.
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
        """Return the page of *source*; None if only its item is at hand.

        :raises PageError: if a URL cannot be extracted.
        :raises OSError: if the page cannot be read or fetched.
        """
        url = encoding = kept = None
        if source.file is not None:
            body = read_page_file(source.file, self._options.max_bytes)
            kept = read_url(source.file)
        elif source.given is not None:
            body, url, encoding = read_page(source.given, self._options.max_bytes)
        else:
            return None
        stated = source.item.get("url") if source.item else None
        url = url or (stated if isinstance(stated, str) else None)
        url = kept or find_url(self._urls, source.path, body, self._options, encoding=encoding) or url
        return LoadedPage(body, url, encoding, self._sites.find(url) or self._options)


def is_view(path: Path) -> bool:
    """Return whether the viewer wrote the file at *path*; False if it cannot be read, which its reader reports."""
    try:
        with path.open("rb") as file:
            return _SIGN in file.read(_N_FIRST)
    except OSError:
        return False


def _find_file(item: Mapping[str, Any], folder: Path | None) -> Path | None:
    """Return the file of an item's page in *folder*; None if it has none there."""
    name = item.get("path")
    if folder is None or not isinstance(name, str) or not name:
        return None
    path, root = (folder / name).resolve(), folder.resolve()
    return path if root in path.parents and path.is_file() else None
