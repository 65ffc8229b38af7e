"""What ``web2text batch`` counts over all pages, and the last line that it prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.crawl.summary import Summary, format_counts

if TYPE_CHECKING:
    from scrapy_web2text.cli.lines import Line

__all__ = ["Tally", "write_time"]

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

    def add(self, line: Line, filtered: str | None = None) -> None:
        """Count the answer for a page.

        :param filtered: the argument by which it is left out.
        """
        self._methods[line.method] += 1
        self._kinds[line.kind or "unknown"] += 1
        if filtered is not None:
            self._filtered[filtered] += 1
        self.summary.add(line.method, line.reason, line.confidence, line.seconds, page=line.page)
        if line.is_unmatched:
            self.summary.add_unmatched()
        if line.is_left_out:
            self._n_left_out += 1
        if line.damage is not None:
            self._damaged[line.damage] += 1
        if line.gap is not None:
            self._gaps[line.gap] += 1

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
