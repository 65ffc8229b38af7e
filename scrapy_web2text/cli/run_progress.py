"""The progress of ``web2text batch`` on a terminal: how far the run is, how fast, until when, and with what answers."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TextIO, TypeVar

from scrapy_web2text.cli.inputs import count_bytes, count_pages
from scrapy_web2text.cli.tally import Tally, write_time

if TYPE_CHECKING:
    from scrapy_web2text.archives.meter import Meter
    from scrapy_web2text.cli.inputs import Source

__all__ = ["show_run"]

_T = TypeVar("_T")
_SECONDS_BETWEEN: Final = 0.5
_SECONDS_BEFORE: Final = 3.0  # of a rate that says something about the time that is left
_UNITS: Final = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def show_run(
    steps: Iterable[_T], sources: Sequence[Source], tally: Tally, meter: Meter, file: TextIO | None = None
) -> Iterator[_T]:
    """Yield *steps*, and show on one line what *tally* has counted.

    The time that is left is estimated by the number of pages, or, where that is unknown, by the size of the inputs.

    :param meter: has counted the bytes that have been read.
    :param file: default: standard error. Nothing is shown if it is not a terminal.
    """
    file = file or sys.stderr
    if not file.isatty():
        yield from steps
        return
    n_pages = count_pages(sources)
    n_bytes = count_bytes(sources) if n_pages is None else None
    shown = None
    try:
        for step in steps:
            if shown is None:  # after the pages that a resumed run passes by
                line = _Line(tally, meter, n_pages, n_bytes)
                shown = time.monotonic()
            yield step
            if time.monotonic() - shown >= _SECONDS_BETWEEN:
                shown = time.monotonic()
                _show(str(line), file)
    finally:
        if shown is not None:
            _show(str(line), file)
            file.write("\n")


class _Line:
    def __init__(self, tally: Tally, meter: Meter, n_pages: int | None, n_bytes: int | None) -> None:
        self._tally, self._meter = tally, meter
        self._n_pages, self._n_bytes = n_pages, n_bytes
        self._began = time.monotonic()
        self._first_page, self._first_byte = tally.n_pages, meter.n_bytes

    def __str__(self) -> str:
        n_pages, n_bytes = self._tally.n_pages, self._meter.n_bytes
        seconds = max(time.monotonic() - self._began, 1e-9)
        rate = (n_pages - self._first_page) / seconds
        if self._n_pages is not None:
            parts, left = [f"{n_pages:,} of {self._n_pages:,} pages"], (self._n_pages - n_pages) / (rate or 1e-9)
        elif self._n_bytes is not None:
            of_all = f"{_write_bytes(n_bytes)} of {_write_bytes(self._n_bytes)}"
            parts = [f"{_write_pages(n_pages)}, {of_all}"]
            left = (self._n_bytes - n_bytes) * seconds / max(n_bytes - self._first_byte, 1)
        else:
            parts, left = [_write_pages(n_pages)], None
        parts.append(f"{rate:,.1f} pages/s")
        if left is not None and seconds >= _SECONDS_BEFORE:
            parts.append(f"{write_time(left)} left")
        return "; ".join([*parts, self._tally.describe_kinds()])


def _write_pages(number: int) -> str:
    return f"{number:,} {'page' if number == 1 else 'pages'}"


def _write_bytes(number: int) -> str:
    for size, unit in _UNITS:
        if number >= size:
            return f"{number / size:,.1f} {unit}"
    return f"{number} bytes"


def _show(line: str, file: TextIO) -> None:
    """Write a line over the one before, no longer than the terminal is wide."""
    file.write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}")
    file.flush()
