"""``web2text serve``: serves a page to the browser of this machine, where the extractor can be tried."""

from __future__ import annotations

import argparse

from scrapy_web2text.cli.arguments import port_number
from scrapy_web2text.cli.output import serve
from scrapy_web2text.exceptions import say
from scrapy_web2text.options import DEFAULT_MODEL, Options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = "Try the extractor in the browser: paste HTML or drop a file, change options, copy the text."
    parser.add_argument(
        "--model", default=DEFAULT_MODEL, metavar="MODEL", help="the model that is chosen first (default: %(default)s)"
    )
    parser.add_argument(
        "--port", type=port_number, default=0, metavar="N", help="port on this machine; default: any free one"
    )
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="print the address, open nothing")


def run(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, and return the exit status."""
    from scrapy_web2text.view.server import EditorServer
    from scrapy_web2text.view.trial import TrialHandler, Trials

    trials = Trials(Options(model=args.model))
    with EditorServer(trials, args.port, TrialHandler) as server, trials.workers:
        serve(server, "web2text serve: ", opens_browser=args.browser)
    say("web2text serve: ended")
    return 0
