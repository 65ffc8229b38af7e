"""``web2text labels``: checks, merges and compares files of labels."""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy_web2text.common.files import check_out_file
from scrapy_web2text.exceptions import escape_line, say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_web2text.labels.files import PageLabels
    from scrapy_web2text.labels.fit import Agreement

_FILE: Final = "labels in JSON Lines, optionally with .xz"
_MOST_LINES: Final = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = "Check, merge or compare labels of blocks, as web2text label writes them."
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="report labels that no longer fit their pages")
    check.add_argument("labels", nargs="+", type=Path, metavar="FILE", help=_FILE)
    check.add_argument("--pages", type=Path, metavar="DIR", help="folder of the pages; default: folder of each FILE")
    merge = actions.add_parser("merge", help="write one file; of two labels of a page, the more certain or later one")
    merge.add_argument("labels", nargs="+", type=Path, metavar="FILE", help=_FILE)
    merge.add_argument("--out", type=Path, required=True, metavar="FILE", help="file to write")
    merge.add_argument("--force", action="store_true", help="overwrite the file of --out if it exists")
    agree = actions.add_parser("agree", help="compare the labels of two readers")
    agree.add_argument("labels", nargs=2, type=Path, metavar="FILE", help=_FILE)


def run(args: argparse.Namespace) -> int:
    """Run the action and return the exit status: 1 if `check` finds labels that do not fit."""
    actions = {"check": _check, "merge": _merge, "agree": _agree}
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


def _agree(args: argparse.Namespace) -> int:
    from scrapy_web2text.labels.files import read_labels
    from scrapy_web2text.labels.fit import compare_labels, kappa

    first, second = map(read_labels, args.labels)
    both = [key for key in first if key in second]
    if not both:
        raise ValueError(f"{args.labels[0]} and {args.labels[1]}: expected pages that are in both, found none")
    found = {key: compare_labels(first[key], second[key]) for key in both}
    f1 = [agreement.f1 for agreement in found.values() if agreement.f1 is not None]
    value = kappa(agreement.counts for agreement in found.values())
    n_blocks = sum(int(agreement.counts.sum()) for agreement in found.values())
    if not n_blocks:
        raise ValueError(f"{args.labels[0]} and {args.labels[1]}: expected pages with blocks in both, found none")
    print(f"pages in both      {len(both):,}")
    if f1:
        words = f"mean {statistics.fmean(f1):.3f}, median {statistics.median(f1):.3f}"
        print(f"F1 by words        {words}{f' (of {len(f1):,} pages)' * (len(f1) < len(both))}")
    else:
        print("F1 by words        unknown: the labels have no numbers of words")
    print(f"kappa by blocks    {'unknown: all labels are equal' if value is None else f'{value:.3f}'}")
    print(f"different blocks   {sum(agreement.n_different for agreement in found.values()):,} of {n_blocks:,}")
    print(f"not compared       {sum(agreement.n_unmatched for agreement in found.values()):,} blocks of changed pages")
    _print_worst(first, found)
    return 0


def _print_worst(readings: Mapping[tuple[str, str], PageLabels], found: Mapping[tuple[str, str], Agreement]) -> None:
    worst: Sequence[tuple[str, str]] = sorted(found, key=lambda key: -found[key].n_different)
    for key in worst[:_MOST_LINES]:
        if found[key].n_different:
            f1 = found[key].f1
            score = "" if f1 is None else f", F1 {f1:.3f}"
            print(escape_line(f"  {_name(readings[key])}: {found[key].n_different:,} blocks{score}"))


def _name(reading: PageLabels) -> str:
    return f"{reading.corpus}/{reading.id}" if reading.corpus else reading.id
