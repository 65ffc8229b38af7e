"""Progress of long commands on the console."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

__all__ = ["show_progress"]

_T = TypeVar("_T")
_SECONDS_BETWEEN = 0.1


def show_progress(
    items: Iterable[_T], n_items: int | None, /, *, title: str = "", unit: str = "pages", file: TextIO | None = None
) -> Iterable[_T]:
    """Return *items*, and show how many have been taken: as a bar if tqdm is installed, else as a count.

    :param n_items: how many there are; None if that is not known.
    :param title: name of the loop.
    :param unit: name of the items, in the plural.
    :param file: default: standard error. Nothing is shown if it is not a terminal.
    """
    file = file or sys.stderr
    if not file.isatty():
        return items
    try:
        from tqdm import tqdm  # noqa: PLC0415
    except ModuleNotFoundError:
        total = unit if n_items is None else f"of {n_items:,} {unit}"
        return _count(items, total, title and f"{title}: ", file)
    bar: Iterable[_T] = tqdm(items, total=n_items, desc=title or None, unit=f" {unit}", file=file)
    return bar


def _count(items: Iterable[_T], total: str, prefix: str, file: TextIO) -> Iterator[_T]:
    n_done = 0
    shown = 0.0
    try:
        for item in items:
            yield item
            n_done += 1
            now = time.monotonic()
            if now - shown >= _SECONDS_BETWEEN:
                shown = now
                _show(f"{prefix}{n_done:,} {total}", file)
    finally:
        _show(f"{prefix}{n_done:,} {total}", file)
        file.write("\n")


def _show(count: str, file: TextIO) -> None:
    file.write(f"\r{count}")
    file.flush()
