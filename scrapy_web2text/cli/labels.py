"""``web2text labels``: reports labels that no longer fit their pages."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy_web2text.exceptions import escape_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = "Report labels of blocks, as web2text label writes them, that no longer fit their pages."
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="report labels that no longer fit their pages")
    check.add_argument("labels", nargs="+", type=Path, metavar="FILE", help="labels in JSON Lines, optionally with .xz")
    check.add_argument("--pages", type=Path, metavar="DIR", help="folder of the pages; default: folder of each FILE")


def run(args: argparse.Namespace) -> int:
    """Report the labels that do not fit, and return the exit status: 1 if there are such labels."""
    from scrapy_web2text.labels.files import read_labels
    from scrapy_web2text.labels.pages import find_problem  # loads numpy

    n_pages = n_fit = 0
    for path in args.labels:
        for labels in read_labels(path).values():
            n_pages += 1
            problem = find_problem(labels, args.pages or path.parent)
            n_fit += not problem
            if problem:
                name = f"{labels.corpus}/{labels.id}" if labels.corpus else labels.id
                print(escape_line(f"{path}: {name}: {problem}"))
    print(f"{n_fit:,} of {n_pages:,} pages fit their labels")
    return int(n_fit < n_pages)
