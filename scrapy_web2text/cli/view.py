"""``web2text view``: writes an HTML file that shows what the extractor sees of pages."""

from __future__ import annotations

import argparse
import heapq
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options, page_sources, whole_number
from scrapy_web2text.cli.output import check_viewer, show_progress
from scrapy_web2text.common.files import replace_file
from scrapy_web2text.exceptions import say
from scrapy_web2text.sources.archives import is_feed
from scrapy_web2text.sources.pages import PageSources
from scrapy_web2text.sources.tables import read_items

_MOST_PAGES: Final = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Write an HTML file that shows pages, as outlines and as they look, with the labels of their blocks, beside "
        "the text that comes out. It needs no network, and scripts of the pages never run."
    )
    parser.add_argument(
        "page",
        metavar="PAGE|URL|FEED|DIR",
        help="an HTML file, an http(s) URL, - for standard input, a feed in JSON Lines, or a folder of HTML files",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("view.html"),
        metavar="FILE",
        help="HTML file to write (default: %(default)s)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite the file of --out, whatever wrote it")
    parser.add_argument(
        "--limit",
        type=whole_number,
        default=_MOST_PAGES,
        metavar="N",
        help="show no more than the N pages of a feed or folder with the lowest confidence (default: %(default)s)",
    )
    add_option_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write the viewer and return the exit status."""
    from scrapy_web2text.view.document import confidence_key, write_view

    sources = page_sources(args, arguments_to_options(args))
    check_viewer(args.out, may_overwrite=args.force)
    shown = heapq.nsmallest(
        args.limit,
        show_progress(_show_pages(sources, args.page), None),
        key=lambda page: confidence_key(page["facts"]),
    )
    if not shown:
        raise ValueError(f"{args.page}: expected pages, found none")
    replace_file(args.out, write_view(shown).encode())
    say(f"web2text view: {args.out}: {len(shown):,} page{'s' * (len(shown) > 1)}")
    return 0


def _show_pages(sources: PageSources, page: str) -> Iterator[dict[str, Any]]:
    """Yield what the viewer shows of each page, or of each item of a feed."""
    from scrapy_web2text.view.seen import (
        facts_of_item,  # loads numpy
        see_page,
    )

    if is_feed(page):
        for name, item in read_items(Path(page)):
            yield facts_of_item(item, name)
        return
    for source in sources.list_pages(page):
        loaded = sources.load(source)
        if page == "-" and loaded.source.markup.lstrip().startswith("{"):
            raise ValueError("- is one HTML page; name the feed as a file")
        yield see_page(loaded.source, source.name, loaded.options, url=loaded.url)
