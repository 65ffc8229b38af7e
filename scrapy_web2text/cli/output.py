"""Prints answers, and ends a command when its output is closed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from scrapy_web2text.reasons import REASONS

if TYPE_CHECKING:
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.reasons import FallbackReason

__all__ = [
    "BROKEN_PIPE",
    "INTERRUPTED",
    "describe_failure",
    "escape_line",
    "print_answer",
    "report_unmatched",
    "run_until_closed",
]

# Exit status of a command that was ended by Ctrl-C or by a closed pipe, as shells report it.
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141


def print_answer(command: str, page: str, extraction: Extraction, text: str) -> None:
    """Print *text*, a form of the answer for *page*; a page without main content is reported on standard error."""
    if text:
        print(text)
    if extraction.no_main_content:
        kind = "" if extraction.page in (None, "content") else f" ({extraction.page})"
        print(f"{command}: {page}: no main content{kind}", file=sys.stderr)


def report_unmatched(command: str, page: str, extraction: Extraction, include: tuple[str, ...]) -> None:
    """Report on standard error that the selectors *include*, an option, find no text on *page*."""
    from scrapy_web2text.crawl.summary import is_unmatched  # noqa: PLC0415

    if is_unmatched(extraction, include):
        what = f"no text in the elements of include ({', '.join(include)})"
        print(f"{command}: {page}: {what}, so it is answered without them", file=sys.stderr)


def describe_failure(reason: FallbackReason) -> str:
    """Return the message for a page that has no answer."""
    return f"no answer: {REASONS[reason]} ({reason})"


def escape_line(text: str) -> str:
    """Return *text* with escapes for what a terminal could take as a command: names may be from other people."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def run_until_closed(run: Callable[[], int]) -> int:
    """Return the exit status of *run*; BROKEN_PIPE if the reader of its output, such as ``head``, has closed it."""
    try:
        status = run()
        sys.stdout.flush()  # so that a closed pipe is noticed here
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    return status


def _discard_output() -> None:
    """Discard the buffered output; otherwise Python would fail to flush it at exit and print an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
