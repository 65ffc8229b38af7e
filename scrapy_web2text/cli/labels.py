"""``web2text labels``: checks and merges files of labels."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy_web2text.common.files import check_out_file
from scrapy_web2text.exceptions import escape_line, say

if TYPE_CHECKING:
    from scrapy_web2text.labels.files import PageLabels

_FILE: Final = "labels in JSON Lines, optionally with .xz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = "Check or merge labels of blocks, as web2text label writes them."
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="report labels that no longer fit their pages")
    check.add_argument("labels", nargs="+", type=Path, metavar="FILE", help=_FILE)
    check.add_argument("--pages", type=Path, metavar="DIR", help="folder of the pages; default: folder of each FILE")
    merge = actions.add_parser("merge", help="write one file; of two labels of a page, the more certain or later one")
    merge.add_argument("labels", nargs="+", type=Path, metavar="FILE", help=_FILE)
    merge.add_argument("--out", type=Path, required=True, metavar="FILE", help="file to write")
    merge.add_argument("--force", action="store_true", help="overwrite the file of --out if it exists")


def run(args: argparse.Namespace) -> int:
    """Run the action and return the exit status: 1 if `check` finds labels that do not fit."""
    actions = {"check": _check, "merge": _merge}
    return actions[args.action](args)


def _check(args: argparse.Namespace) -> int:
    from scrapy_web2text.labels.files import read_labels
    from scrapy_web2text.labels.pages import find_problem  # loads numpy

    n_pages = n_fit = 0
    for path in args.labels:
        for reading in read_labels(path).values():
            n_pages += 1
            problem = find_problem(reading, args.pages or path.parent)
            n_fit += not problem
            if problem:
                print(escape_line(f"{path}: {_name(reading)}: {problem}"))
    print(f"{n_fit:,} of {n_pages:,} pages fit their labels")
    return int(n_fit < n_pages)


def _merge(args: argparse.Namespace) -> int:
    from scrapy_web2text.labels.files import merge_files

    check_out_file(args.out, may_overwrite=args.force)
    n_pages, n_both, n_different = merge_files(args.labels, args.out)
    more = f"; {n_both:,} more labels of the same pages, {n_different:,} of them different" if n_both else ""
    say(f"web2text labels: {args.out}: {n_pages:,} pages{more}")
    return 0


def _name(reading: PageLabels) -> str:
    return f"{reading.corpus}/{reading.id}" if reading.corpus else reading.id
