"""What ``web2text batch`` counts: the last line that it prints, and its progress on a terminal."""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar

from scrapy_web2text.batch.inputs import count_bytes, count_pages
from scrapy_web2text.crawl.summary import Summary, format_counts

if TYPE_CHECKING:
    from scrapy_web2text.batch.inputs import BatchInput
    from scrapy_web2text.batch.page_answers import PageAnswer
    from scrapy_web2text.batch.records import Meter


_T = TypeVar("_T")
_SECONDS_BETWEEN: Final = 0.5
_SECONDS_BEFORE: Final = 3.0  # of a rate that says something about the time that is left
_UNITS: Final = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
# Counters by what the last line calls them.
_DETAILS: Final = {
    "methods": "methods",
    "kinds": "kinds",
    "duplicates": "duplicates",
    "filtered": "left out by filters",
    "other": "not HTML pages",
    "damaged": "damaged pages",
    "lost": "lost worker processes",
    "gaps": "archives with parts that cannot be read",
}
_WITHOUT_TOTAL: Final = {"methods", "kinds", "lost"}


def write_time(seconds: float) -> str:
    """Return a time as minutes and seconds, and hours, if it is so long."""
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


class Tally:
    """Counts the answers of a run; it can be written to a manifest and be continued.

    :param least_confidence: as for :class:`~scrapy_web2text.crawl.summary.Summary`.
    """

    def __init__(self, least_confidence: float | None) -> None:
        self.summary = Summary(least_confidence)
        self.lost: Counter[str] = Counter()
        self._n_left_out = 0
        self.seconds = 0.0  # by the clock, of all processes of the run
        self._methods: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        self._duplicates: Counter[str] = Counter()
        self._filtered: Counter[str] = Counter()
        self._other: Counter[str] = Counter()
        self._damaged: Counter[str] = Counter()
        self._gaps: Counter[str] = Counter()

    @property
    def has_gaps(self) -> bool:
        """Whether a part of an archive could not be read."""
        return bool(self._gaps)

    @property
    def n_pages(self) -> int:
        """The number of pages."""
        return self.summary.n_pages

    def add_duplicate(self, kind: str) -> None:
        """Count a text that an earlier page has."""
        self._duplicates[kind] += 1

    def describe_kinds(self) -> str:
        """Return how many pages of each kind there are."""
        return format_counts(self._kinds)

    def add(self, answer: PageAnswer, filtered: str | None = None) -> None:
        """Count the answer for a page.

        :param filtered: the argument by which it is left out.
        """
        self._methods[answer.method] += 1
        self._kinds[answer.kind or "unknown"] += 1
        if filtered is not None:
            self._filtered[filtered] += 1
        self.summary.add(answer.method, answer.reason, answer.confidence, answer.seconds, page=answer.page)
        if answer.is_unmatched:
            self.summary.add_unmatched()
        if answer.is_left_out:
            self._n_left_out += 1
        if answer.damage is not None:
            self._damaged[answer.damage] += 1
        if answer.gap is not None:
            self._gaps[answer.gap] += 1

    def add_other(self, kinds: Mapping[str, int]) -> None:
        """Count records that are not pages, by their types."""
        self._other.update(kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-ready data."""
        counters = {name: dict(counter) for name, counter in self._counters().items()}
        return {"summary": self.summary.to_dict(), "left_out": self._n_left_out, "seconds": self.seconds, **counters}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Set the counts to those of :meth:`to_dict`."""
        self.summary.restore(data["summary"])
        self._n_left_out = data["left_out"]
        self.seconds = data["seconds"]
        for name, counter in self._counters().items():
            counter.clear()
            counter.update(data[name])

    def _counters(self) -> dict[str, Counter[str]]:
        answers = self._methods, self._kinds, self._duplicates, self._filtered
        return dict(zip(_DETAILS, (*answers, self._other, self._damaged, self.lost, self._gaps), strict=True))

    def __str__(self) -> str:
        parts = [str(self.summary)]
        if self.n_pages and self.seconds:
            parts.append(f"in {write_time(self.seconds)}, {self.n_pages / self.seconds:,.1f} pages/s")
        for name, counter in self._counters().items():
            if name == "duplicates" and self._n_left_out:  # the first of those that are about the output
                parts.append(f"left out for low confidence: {self._n_left_out:,}")
            if counter:
                total = "" if name in _WITHOUT_TOTAL else f"{counter.total():,} "
                counts = format_counts(counter)
                parts.append(f"{_DETAILS[name]}: {f'{total}({counts})' if total else counts}")
        return "; ".join(parts)


def show_run(
    outcomes: Iterable[_T],
    inputs: Sequence[BatchInput],
    tally: Tally,
    meter: Meter,
    *,
    n_done: int = 0,
    file: TextIO | None = None,
) -> Iterator[_T]:
    """Yield *outcomes*, and show on one line what *tally* has counted.

    The time that is left is estimated by the number of pages, or, where that is unknown, by the size of the inputs.

    :param meter: has counted the bytes that have been read of the inputs after the first *n_done*.
    :param file: default: standard error. Nothing is shown if it is not a terminal.
    """
    file = file or sys.stderr
    if not file.isatty():
        yield from outcomes
        return
    n_pages = count_pages(inputs)
    n_bytes = count_bytes(inputs) if n_pages is None else None
    meter.add(0 if n_bytes is None else count_bytes(inputs[:n_done]) or 0)
    shown = None
    try:
        for outcome in outcomes:
            if shown is None:
                line = _ProgressLine(tally, meter, n_pages, n_bytes)
                shown = time.monotonic()
            yield outcome
            if time.monotonic() - shown >= _SECONDS_BETWEEN:
                shown = time.monotonic()
                _show(str(line), file)
    finally:
        if shown is not None:
            _show(str(line), file)
            file.write("\n")


class _ProgressLine:
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
