"""What the commands share that read a file of labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scrapy_web2text.cli.output import show_progress
from scrapy_web2text.exceptions import PageError, say

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from scrapy_web2text.labels.files import PageLabels

_Page = TypeVar("_Page")


def add_label_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the file of labels and the folder of its pages to *parser*."""
    parser.add_argument("labels", type=Path, metavar="FILE", help="labels in JSON Lines, as web2text label writes them")
    parser.add_argument(
        "--pages", type=Path, metavar="DIR", help="folder of the pages that FILE names; default: the folder of FILE"
    )


def read_labeled_pages(
    args: argparse.Namespace, read: Callable[[bytes, PageLabels], _Page]
) -> list[tuple[PageLabels, _Page]]:
    """Return the labels of each page, and what *read* returns for it. Pages that cannot be used are reported."""
    from scrapy_web2text.labels.files import read_labels  # loads numpy
    from scrapy_web2text.labels.pages import read_labeled_page

    folder = args.pages or args.labels.parent
    given = [*read_labels(args.labels).values()]
    found = []
    for labels in show_progress(given, len(given)):
        try:
            found.append((labels, read(read_labeled_page(labels, folder), labels)))
        except (ValueError, PageError) as error:
            say(f"web2text {args.command}: skipped {labels.url or labels.id}: {error}")
    if not found:
        raise ValueError(f"{args.labels}: expected labels that fit their pages, found none")
    return found
