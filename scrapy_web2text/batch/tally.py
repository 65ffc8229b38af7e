"""What ``web2text batch`` counts: the last line that it prints, and its progress on a terminal."""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, TypeVar

from scrapy_web2text.batch.page_answers import PageAnswer
from scrapy_web2text.crawl.summary import Summary, format_counts
from scrapy_web2text.sources.inputs import BatchInput, count_pages
from scrapy_web2text.sources.records import Meter, count_name

_T = TypeVar("_T")
_SECONDS_BETWEEN: Final = 0.5
_SECONDS_BEFORE: Final = 3.0  # of measured speed before the time that is left is shown
# Counter -> what the last line calls it.
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
    """Return a time as minutes and seconds; from one hour on, with hours."""
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


class Tally:
    """Counts the answers of a run; a manifest can keep the counts, so that a resumed run continues them."""

    def __init__(self, least_confidence: float | None) -> None:
        self.summary = Summary(least_confidence)
        self.seconds = 0.0  # of wall-clock time, with those before the run was resumed
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in _DETAILS}

    def add(self, answer: PageAnswer, filtered: str | None = None) -> None:
        """Count the answer for a page; *filtered* is the argument by which it is left out."""
        self.summary.add(answer.method, answer.reason, answer.confidence, answer.seconds, no_content=answer.no_content)
        if answer.is_unmatched:
            self.summary.add_unmatched()
        found = {
            "methods": answer.method,
            "kinds": answer.page_kind or "unknown",
            "filtered": filtered,
            "damaged": answer.damage,
            "gaps": answer.gap,
        }
        for name, what in found.items():
            if what is not None:
                count_name(self.counts[name], what)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-ready data."""
        counts = {name: dict(counter) for name, counter in self.counts.items()}
        return {"summary": self.summary.to_dict(), "seconds": self.seconds, **counts}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Set the counts to those of :meth:`to_dict`."""
        self.summary.restore(data["summary"])
        self.seconds = data["seconds"]
        self.counts = {name: Counter(data[name]) for name in _DETAILS}

    def __str__(self) -> str:
        parts = [str(self.summary)]
        if self.summary.n_pages and self.seconds:
            parts.append(f"in {write_time(self.seconds)}, {self.summary.n_pages / self.seconds:,.1f} pages/s")
        for name, counter in self.counts.items():
            if counter:
                counts = format_counts(counter)
                shown = counts if name in _WITHOUT_TOTAL else f"{counter.total():,} ({counts})"
                parts.append(f"{_DETAILS[name]}: {shown}")
        return "; ".join(parts)


def show_run(outcomes: Iterable[_T], inputs: Sequence[BatchInput], tally: Tally, meter: Meter) -> Iterator[_T]:
    """Yield *outcomes*, and show what *tally* has counted on one line of standard error, if it is a terminal."""
    if not sys.stderr.isatty():
        yield from outcomes
        return
    line, shown = _ProgressLine(inputs, tally, meter), time.monotonic()
    try:
        for outcome in outcomes:
            yield outcome
            if time.monotonic() - shown >= _SECONDS_BETWEEN:
                shown = time.monotonic()
                _show(str(line))
    finally:
        _show(str(line))
        sys.stderr.write("\n")


class _ProgressLine:
    """How far a run is: by the number of pages, or, where that is unknown, by the bytes of the inputs."""

    def __init__(self, inputs: Sequence[BatchInput], tally: Tally, meter: Meter) -> None:
        self._tally, self._meter = tally, meter
        self._n_pages = count_pages(inputs)
        sizes = [each.n_bytes for each in inputs] if self._n_pages is None else []
        self._ends = [0, *accumulate(size or 0 for size in sizes)]
        self._has_sizes = None not in sizes
        self._began = time.monotonic()
        self._first_page, self._first_share = tally.summary.n_pages, self._find_share()

    def _find_share(self) -> float | None:
        if self._n_pages is not None:
            return self._tally.summary.n_pages / max(self._n_pages, 1)
        stream = self._meter.stream
        n_bytes = self._ends[self._meter.n_inputs] + (0 if stream is None else stream.tell())
        return n_bytes / max(self._ends[-1], 1) if self._has_sizes else None

    def __str__(self) -> str:
        n_pages, share = self._tally.summary.n_pages, self._find_share()
        seconds = max(time.monotonic() - self._began, 1e-9)
        shown = f"{n_pages:,} {'page' if n_pages == 1 else 'pages'}"
        if self._n_pages is not None:
            shown = f"{n_pages:,} of {self._n_pages:,} pages"
        elif share is not None:
            shown += f", {share:.1%}"
        parts = [shown, f"{(n_pages - self._first_page) / seconds:,.1f} pages/s"]
        if share is not None and self._first_share is not None and seconds >= _SECONDS_BEFORE:
            left = (1 - share) * seconds / max(share - self._first_share, 1e-9)
            parts.append(f"{write_time(left)} left")
        return "; ".join([*parts, format_counts(self._tally.counts["kinds"])])


def _show(line: str) -> None:
    """Write a line over the one before, no longer than the terminal is wide."""
    sys.stderr.write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}")
    sys.stderr.flush()
