"""``web2text label``: serves pages to the browser of this machine, where their labels are corrected."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options, page_sources, port_number
from scrapy_web2text.cli.output import serve, show_progress
from scrapy_web2text.exceptions import say

if TYPE_CHECKING:
    from scrapy_web2text.view.session import Session
    from scrapy_web2text.view.store import LabelStore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Correct the labels of pages in the browser, and save them as JSON Lines. The pages are served to this machine "
        "only."
    )
    add = parser.add_argument
    add("page", metavar="DIR|FILE", help="a folder of HTML files, or one HTML file")
    add(
        "--out",
        type=Path,
        default=Path("labels.jsonl"),
        metavar="FILE",
        help="labels to write; pages already in it count as labeled (default: %(default)s)",
    )
    add("--reader", default="", metavar="NAME", help="name of the reader who labels the pages, in free text")
    add(
        "--port",
        type=port_number,
        metavar="N",
        help="port on this machine; 0 for any free one; default: the same for a file of labels at each start",
    )
    add("--no-browser", dest="browser", action="store_false", help="print the address, but open nothing")
    add_option_arguments(parser, has_text=False)


def run(args: argparse.Namespace) -> int:
    """Serve the label editor until Ctrl-C, and return the exit status."""
    from scrapy_web2text.view.server import EditorServer
    from scrapy_web2text.view.store import LabelStore

    # A browser keeps what is not saved for an address, so the same file has the same one at each start.
    port = 20_000 + crc32(os.fsencode(args.out.resolve())) % 10_000 if args.port is None else args.port
    store = LabelStore(args.out)
    session = open_session(args, store)
    with EditorServer(session, port) as server:
        serve(server, f"web2text label: {_count(len(session), 'page')}; ", opens_browser=args.browser)
    say(f"web2text label: {args.out}: {_count(store.n_done(), 'labeled page')}; next: {session.describe()['next']}")
    return 0


def open_session(args: argparse.Namespace, store: LabelStore) -> Session:
    """Return the pages that the arguments name, with the labels of *store*."""
    from scrapy_web2text.view.session import Session, list_entries

    sources = page_sources(args, arguments_to_options(args))
    entries = list_entries(sources, [*sources.list_pages(args.page)], store, args.out, show_progress)
    if not entries:
        raise ValueError(f"{args.page}: expected pages with blocks, found none")
    return Session(entries, store, args.out, reader=args.reader)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
