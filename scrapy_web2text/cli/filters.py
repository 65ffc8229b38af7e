"""Which answers ``web2text batch`` leaves out of its feed."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_web2text.cli.arguments import whole_number
from scrapy_web2text.verdicts.kinds import PAGE_KINDS

if TYPE_CHECKING:
    from scrapy_web2text.cli.lines import Line

__all__ = ["Filters", "add_filter_arguments", "read_filters"]


@dataclass(frozen=True, slots=True)
class Filters:
    """What an answer needs to have a line.

    :param min_words: least number of words of the text.
    :param kinds: kinds of pages; None for all.
    """

    min_words: int = 0
    kinds: tuple[str, ...] | None = None

    def find_reason(self, line: Line) -> str | None:
        """Return the argument by which *line* is left out; None if it is kept, as are pages without an answer."""
        if line.method == "none" or line.is_left_out:
            return None
        if self.kinds is not None and (line.kind or "content") not in self.kinds:
            return "--page"
        return "--min-words" if line.n_words < self.min_words else None


def add_filter_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to *parser*."""
    parser.add_argument("--min-words", type=whole_number, default=0, metavar="N", help="leave out texts of fewer words")
    parser.add_argument(
        "--page",
        type=_read_kinds,
        metavar="KINDS",
        help=f"leave out pages of other kinds; some of {', '.join(PAGE_KINDS)}, with commas",
    )


def read_filters(args: argparse.Namespace) -> Filters:
    """Return what the parsed arguments ask for."""
    return Filters(args.min_words, args.page)


def _read_kinds(text: str) -> tuple[str, ...]:
    kinds = tuple(name.strip() for name in text.split(","))  # in order, as the manifest of a run needs it
    if not {*kinds} <= {*PAGE_KINDS}:
        raise argparse.ArgumentTypeError(f"expected some of {', '.join(PAGE_KINDS)}, got {text!r}")
    return kinds
