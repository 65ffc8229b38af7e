"""``web2text label``: serves pages to the browser of this machine, where their labels are corrected."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options
from scrapy_web2text.cli.labelable import load_labels, read_summary
from scrapy_web2text.cli.progress import show_progress
from scrapy_web2text.cli.sites import add_sites_argument, load_sites
from scrapy_web2text.cli.sources import PageSources
from scrapy_web2text.cli.urls import add_url_argument
from scrapy_web2text.exceptions import PageError

if TYPE_CHECKING:
    from scrapy_web2text.editor.session import PageEntry, Session
    from scrapy_web2text.editor.store import LabelStore
    from scrapy_web2text.options import Options

__all__ = ["add_arguments", "open_session", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Correct the labels of pages in the browser, and save them as JSON Lines. The pages are served to this machine "
        "only."
    )
    what = "a folder of HTML files, a feed in JSON Lines, or one HTML file"
    parser.add_argument("page", metavar="DIR|FEED|FILE", help=what)
    out = "labels to write; pages that it has are labeled already (%(default)s)"
    parser.add_argument("--out", type=Path, default=Path("labels.jsonl"), metavar="FILE", help=out)
    parser.add_argument("--reader", default="", metavar="NAME", help="who labels the pages, in free text")
    compare = "labels of another reader, which are shown for comparison"
    parser.add_argument("--compare", type=Path, metavar="FILE", help=compare)
    pages = "folder of the pages that a feed names in path"
    parser.add_argument("--pages", type=Path, metavar="DIR", help=pages)
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port on this machine; default: any free one")
    parser.add_argument(
        "--no-browser", dest="browser", action="store_false", help="print the address, but open nothing"
    )
    add_url_argument(parser)
    add_sites_argument(parser)
    add_option_arguments(parser, blocks="all")


def run(args: argparse.Namespace) -> int:
    """Serve the label editor until Ctrl-C, and return the exit status.

    :raises OSError: if a page, a file of labels or the port cannot be used.
    :raises ValueError: if an option is impossible, a file has no labels, or no page can be labeled.
    """
    from scrapy_web2text.editor.server import EditorServer  # noqa: PLC0415
    from scrapy_web2text.editor.store import LabelStore  # noqa: PLC0415
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415

    options = arguments_to_options(args)
    Extractor(options)  # so that errors come before pages are read
    if not 0 <= args.port < 65536:
        raise ValueError(f"--port: expected a number from 0 to 65535, got {args.port}")
    store = LabelStore(args.out)
    session = open_session(args, options, store)
    with EditorServer(session, args.port) as server:
        print(f"web2text label: {_count(len(session), 'page')}; open {server.url} (Ctrl-C ends)", flush=True)
        if args.browser:
            _open_browser(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(file=sys.stderr)
    print(f"web2text label: {args.out}: {_count(store.n_done(), 'labeled page')}", file=sys.stderr)
    return 0


def open_session(args: argparse.Namespace, options: Options, store: LabelStore) -> Session:
    """Return the pages that the arguments name, with the labels of *store*."""
    from scrapy_web2text.editor.session import Session  # noqa: PLC0415
    from scrapy_web2text.readings.files import read_readings  # noqa: PLC0415

    other = read_readings(args.compare) if args.compare else None
    entries = _list_entries(args, options, store)
    name = args.compare.name if args.compare else ""
    return Session(entries, store, args.out, reader=args.reader, other=other, other_name=name)


def _list_entries(args: argparse.Namespace, options: Options, store: LabelStore) -> list[PageEntry]:
    """Return the pages that can be labeled; others are reported."""
    from scrapy_web2text.editor.session import PageEntry  # noqa: PLC0415

    sources = PageSources(args, options, load_sites(args, options))
    listed = [*sources.list_pages(args.page, args.pages)]
    entries: dict[str, PageEntry] = {}
    for source in show_progress(listed, len(listed)):
        try:
            facts = read_summary(sources, source)
        except (OSError, PageError) as error:
            print(f"web2text label: skipped {source.name}: {error}", file=sys.stderr)
            continue
        if facts is None:
            print(f"web2text label: skipped {source.name}: no blocks", file=sys.stderr)
            continue
        url = facts.get("url")
        file = source.file and source.file.resolve()
        name = _name_file(source.name, file, args.out, store) if url is None or url in entries else url
        if name in entries:  # items of a feed; it has labels for one
            print(f"web2text label: skipped {source.name}: an earlier item is about the same page", file=sys.stderr)
            continue
        load = partial(load_labels, sources, source)
        entries[name] = PageEntry(name, source.name, facts, load, url, file)
    if not entries:
        raise ValueError(f"{args.page}: expected pages with blocks, found none")
    return [*entries.values()]


def _name_file(name: str, file: Path | None, out: Path, store: LabelStore) -> str:
    """Return the id of a page without a URL: *name*, unless a file of another folder was labeled under this name."""
    reading, _ = store.find(("", name))
    if file is None or reading is None or reading.file is None:
        return name
    labeled = out.resolve().parent / reading.file
    is_other = os.path.isfile(labeled) and labeled.resolve() != file  # noqa: PTH113  any name can be asked for
    return file.as_posix() if is_other else name


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _open_browser(url: str) -> None:
    import webbrowser  # noqa: PLC0415

    webbrowser.open(url)
