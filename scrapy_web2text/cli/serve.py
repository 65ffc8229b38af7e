"""``web2text serve``: serves a page to the browser of this machine, where the extractor can be tried."""

from __future__ import annotations

import argparse
import webbrowser

from scrapy_web2text.exceptions import say
from scrapy_web2text.options import DEFAULT_MODEL, Options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = "Try the extractor in the browser of this machine: paste HTML, change options, copy the text."
    add = parser.add_argument
    add("--fetch", action="store_true", help="take URLs, too, of public addresses only")
    add("--model", default=DEFAULT_MODEL, help="the model that is chosen first (%(default)s)")
    add("--port", type=int, default=0, metavar="N", help="port on this machine; default: any free one")
    add("--no-browser", dest="browser", action="store_false", help="print the address, but open nothing")


def run(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, and return the exit status."""
    from scrapy_web2text.view.server import EditorServer
    from scrapy_web2text.view.trial import TrialHandler, Trials

    if not 0 <= args.port < 65536:
        raise ValueError(f"--port: expected a number from 0 to 65535, got {args.port}")
    trials = Trials(Options(model=args.model), may_fetch=args.fetch)
    with trials.workers, EditorServer(trials, args.port, TrialHandler) as server:
        print(f"web2text serve: open {server.url} (Ctrl-C ends)", flush=True)
        if args.browser:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say("web2text serve: ended")
    return 0
