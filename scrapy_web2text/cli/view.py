"""``web2text view``: writes an HTML file that shows what the extractor sees of pages."""

from __future__ import annotations

import argparse
import heapq
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options, whole_number
from scrapy_web2text.cli.out_file import check_out_file
from scrapy_web2text.cli.sites import add_sites_argument, load_sites
from scrapy_web2text.cli.sources import PageSources, is_view
from scrapy_web2text.cli.urls import add_url_argument
from scrapy_web2text.replacement import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_web2text.crawl.sites import SiteIndex
    from scrapy_web2text.options import Options

__all__ = ["add_arguments", "check_out", "run", "write_out"]

_MOST_PAGES: Final = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Write an HTML file that shows pages with the labels of their blocks, beside the text that comes out. It needs "
        "no network, and scripts of the pages never run."
    )
    what = "an HTML file, an http(s) URL, - for standard input, a feed in JSON Lines, or a folder of HTML files"
    parser.add_argument("page", metavar="PAGE|URL|FEED|DIR", help=what)
    parser.add_argument("--out", default="view.html", metavar="FILE", help="HTML file to write (%(default)s)")
    parser.add_argument("--force", action="store_true", help="overwrite FILE, even if it is not from this command")
    parser.add_argument(
        "--most",
        type=whole_number,
        default=_MOST_PAGES,
        metavar="N",
        help="show no more than the N pages of a feed or folder with the lowest confidence (%(default)s)",
    )
    parser.add_argument(
        "--pages",
        type=Path,
        metavar="DIR",
        help="folder of the pages that a feed names in path; they are extracted again, and shown themselves",
    )
    add_url_argument(parser)
    add_sites_argument(parser)
    add_option_arguments(parser, blocks="all")


def run(args: argparse.Namespace) -> int:
    """Write the viewer and return the exit status.

    :raises PageError: if a URL cannot be extracted.
    :raises OSError: if the page cannot be read or fetched, or the file cannot be written.
    :raises ValueError: if an option is impossible, the feed has no pages, or the file may not be overwritten.
    """
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415
    from scrapy_web2text.view.document import least_sure  # noqa: PLC0415

    options = arguments_to_options(args)
    Extractor(options)  # so that errors come before pages are read
    out = Path(args.out)
    check_out(out, may_overwrite=args.force)
    sites = load_sites(args, options)
    pages = _Counted(_see(args, options, sites))
    shown = heapq.nsmallest(args.most, pages, key=least_sure)
    if not shown:
        raise ValueError(f"{args.page}: expected pages, found none")
    more = f", the least sure of {pages.n:,}" if pages.n > len(shown) else ""
    print(f"web2text view: {write_out(out, shown)}{more}", file=sys.stderr)
    return 0


def write_out(path: Path, pages: Sequence[Mapping[str, Any]]) -> str:
    """Write the viewer of *pages*, and return a message."""
    from scrapy_web2text.view.document import write_view  # noqa: PLC0415

    replace_file(path, write_view(pages).encode())
    return f"{path}: {len(pages):,} page{'s' * (len(pages) > 1)}"


class _Counted:
    """An iterator that counts its items."""

    def __init__(self, pages: Iterator[dict[str, Any]]) -> None:
        self._pages = pages
        self.n = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the items."""
        for page in self._pages:
            self.n += 1
            yield page


def check_out(path: Path, *, may_overwrite: bool) -> None:
    """Raise an OSError if *path* cannot be written.

    A file that another program wrote cannot, unless it may be overwritten.
    """
    check_out_file(path, may_overwrite=may_overwrite or (path.is_file() and is_view(path)))


def _see(args: argparse.Namespace, options: Options, sites: SiteIndex) -> Iterator[dict[str, Any]]:
    """Yield what the viewer shows of each page."""
    from scrapy_web2text.cli.seen import see_page  # noqa: PLC0415

    sources = PageSources(args, options, sites)
    for source in sources.list_pages(args.page, args.pages):
        page = sources.load(source)
        if page is None:
            yield _see_item(source.item or {}, source.name)
        else:
            yield see_page(page.body, source.name, page.options, url=page.url, encoding=page.encoding)


def _see_item(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    from scrapy_web2text.view.facts import facts_of_item  # noqa: PLC0415  loads numpy

    return facts_of_item(item, name)
