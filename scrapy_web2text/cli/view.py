"""``web2text view``: writes an HTML file that shows what the extractor sees of pages."""

from __future__ import annotations

import argparse
import heapq
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options, load_sites, whole_number
from scrapy_web2text.exceptions import say
from scrapy_web2text.sources.pages import PageSources
from scrapy_web2text.view.pages import check_out, show_pages, write_out

_MOST_PAGES: Final = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Write an HTML file that shows pages, as outlines and as they look, with the labels of their blocks, beside "
        "the text that comes out. It needs no network, and scripts of the pages never run."
    )
    what = "an HTML file, an http(s) URL, - for standard input, a feed in JSON Lines, or a folder of HTML files"
    parser.add_argument("page", metavar="PAGE|URL|FEED|DIR", help=what)
    parser.add_argument("--out", default="view.html", metavar="FILE", help="HTML file to write (%(default)s)")
    parser.add_argument("--force", action="store_true", help="overwrite the file of --out, whatever wrote it")
    most = "show no more than the N pages of a feed or folder with the lowest confidence (%(default)s)"
    parser.add_argument("--limit", type=whole_number, default=_MOST_PAGES, metavar="N", help=most)
    add_option_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write the viewer and return the exit status."""
    from scrapy_web2text.extractor import Extractor
    from scrapy_web2text.view.document import least_sure

    options = arguments_to_options(args)
    Extractor(options)  # so that errors come before pages are read
    out = Path(args.out)
    check_out(out, may_overwrite=args.force)
    sources = PageSources(options, *load_sites(args, options))
    n_found = 0

    def find_pages() -> Iterator[dict[str, Any]]:
        nonlocal n_found
        for page in show_pages(sources, args.page):
            n_found += 1
            yield page

    shown = heapq.nsmallest(args.limit, find_pages(), key=lambda page: least_sure(page["facts"]))
    if not shown:
        raise ValueError(f"{args.page}: expected pages, found none")
    more = f", the least sure of {n_found:,}" if n_found > len(shown) else ""
    say(f"web2text view: {write_out(out, shown)}{more}")
    return 0
