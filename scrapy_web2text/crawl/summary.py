"""A summary of the answers for many pages, in one line."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

__all__ = ["Summary", "format_counts"]


class Summary:
    """Counts the answers for many pages, in constant memory."""

    def __init__(self) -> None:
        self.n_pages = 0
        self._methods: Counter[str] = Counter()
        self._fallbacks: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._n_by_percent = [0] * 101
        self._seconds = 0.0

    def add(self, method: str, reason: str | None, confidence: float | None, seconds: float) -> None:
        """Count one page.

        :param reason: why the model did not answer; None if it did.
        :param seconds: CPU time of the page.
        """
        self.n_pages += 1
        self._methods[method] += 1
        if reason is not None:
            (self._failures if method == "none" else self._fallbacks)[reason] += 1
        if confidence is not None:
            self._n_by_percent[round(100 * min(max(confidence, 0.0), 1.0))] += 1
        self._seconds += seconds

    @property
    def median_confidence(self) -> float | None:
        """The median confidence, to two digits (of two medians, the lower); None if no page has one."""
        counts = [*accumulate(self._n_by_percent)]
        half = (counts[-1] + 1) // 2
        return next(percent / 100 for percent, count in enumerate(counts) if count >= half) if half else None

    def __str__(self) -> str:
        """Return the line: numbers of pages, methods, fallbacks and failures by reason; confidence and time."""
        pages = "page" if self.n_pages == 1 else "pages"
        parts = [f"{self.n_pages:,} {pages}"]
        parts += [f"{what}{format_counts(counts)}" for what, counts in self._groups() if counts]
        if self.median_confidence is not None:
            parts.append(f"median confidence {self.median_confidence:.2f}")
        if self.n_pages:
            parts.append(f"{1000 * self._seconds / self.n_pages:,.1f} ms per page")
        return "; ".join(parts)

    def _groups(self) -> list[tuple[str, Counter[str]]]:
        return [("methods: ", self._methods), ("fallbacks: ", self._fallbacks), ("no answer: ", self._failures)]


def format_counts(counts: Counter[str]) -> str:
    """Return the names with their counts, the most frequent first."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.most_common())
