"""Progress of long commands on the console."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

__all__ = ["show_progress"]

_T = TypeVar("_T")
_SECONDS_BETWEEN = 0.1


def show_progress(pages: Iterable[_T], n_pages: int, *, file: TextIO | None = None) -> Iterable[_T]:
    """Return *pages*, and show on *file* how many of them were taken: by a bar of tqdm if it is installed.

    :param file: default: standard error. Nothing is shown if it is not a terminal.
    """
    file = file or sys.stderr
    if not file.isatty():
        return pages
    try:
        from tqdm import tqdm  # noqa: PLC0415
    except ModuleNotFoundError:
        return _count(pages, n_pages, file)
    bar: Iterable[_T] = tqdm(pages, total=n_pages, unit=" pages", file=file)
    return bar


def _count(pages: Iterable[_T], n_pages: int, file: TextIO) -> Iterator[_T]:
    n_done = 0
    shown = 0.0
    try:
        for page in pages:
            yield page
            n_done += 1
            now = time.monotonic()
            if now - shown >= _SECONDS_BETWEEN:
                shown = now
                _show(n_done, n_pages, file)
    finally:
        _show(n_done, n_pages, file)
        file.write("\n")


def _show(n_done: int, n_pages: int, file: TextIO) -> None:
    file.write(f"\r{n_done:,} of {n_pages:,} pages")
    file.flush()
