"""What ``web2text batch`` counts, for the last line that it prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from scrapy_web2text.batch.page_answers import PageAnswer
from scrapy_web2text.crawl.summary import Summary, format_counts
from scrapy_web2text.sources.records import count_name

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

    def add(self, answer: PageAnswer) -> None:
        """Count the answer for a page."""
        self.summary.add(answer.method, answer.reason, answer.confidence, answer.seconds, no_content=answer.no_content)
        if answer.is_unmatched:
            self.summary.add_unmatched()
        found = {
            "methods": answer.method,
            "kinds": answer.page_kind or "unknown",
            "filtered": None if answer.json else "--min-confidence",
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
