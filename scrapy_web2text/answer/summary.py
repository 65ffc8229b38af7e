"""A summary of the answers for many pages, in one line."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from scrapy_web2text.common.compiled import is_compiled
from scrapy_web2text.common.display import format_share

if TYPE_CHECKING:
    from scrapy_web2text.extraction import Extraction

# Confidences below this count as low if ``min_confidence`` is None.
_LOW_CONFIDENCE: Final = 0.5
_GROUPS: Final = ("no content", "no answer", "skipped", "errors", "fallbacks")


class Summary(Struct):
    """Counts the answers for many pages, in constant memory.

    :param min_confidence: the confidence below which an answer counts as low; None for 0.5.
    :param n_by_percent: the number of pages by their confidence, in percent.
    """

    min_confidence: float | None = None
    n_pages: int = 0
    n_low: int = 0
    n_unmatched: int = 0
    causes: dict[str, Counter[str]] = field(default_factory=lambda: {group: Counter() for group in _GROUPS})
    n_by_percent: list[int] = field(default_factory=lambda: [0] * 101)
    seconds: float = 0.0

    @property
    def least_confidence(self) -> float:
        """The confidence below which an answer counts as low."""
        return _LOW_CONFIDENCE if self.min_confidence is None else self.min_confidence

    def add(
        self,
        method: str,
        reason: str | None,
        confidence: float | None,
        seconds: float,
        *,
        no_content: str | None = None,
        is_low: bool = False,
    ) -> bool:
        """Count one page, and return whether its answer has a low confidence.

        :param no_content: the kind of the page if the answer says that it has no main content, else None.
        :param is_low: whether the confidence counts as low whatever its value.
        """
        self.n_pages += 1
        if method == "none":
            self.causes["no answer"][reason or "error"] += 1
        elif reason is not None:
            self.causes["fallbacks"][reason] += 1
        if no_content is not None:
            self.causes["no content"][no_content] += 1
        if confidence is not None:
            self.n_by_percent[round(100 * min(max(confidence, 0.0), 1.0))] += 1
            is_low = is_low or confidence < self.least_confidence
        self.n_low += is_low
        self.seconds += seconds
        return is_low

    def add_unmatched(self) -> None:
        """Count a page on which the selectors of the option ``include`` find no text."""
        self.n_unmatched += 1

    def count(self, group: str, cause: str) -> None:
        """Count a ``skipped`` page by its reason, or an error by its class. Callers also `add` a page with an error."""
        self.causes[group][cause] += 1

    def __bool__(self) -> bool:
        """Return whether anything has been counted."""
        return bool(self.n_pages or self.causes["skipped"] or self.causes["errors"])

    @property
    def median_confidence(self) -> float | None:
        """The median confidence, to two digits (of two medians, the lower); None if no page has a confidence."""
        counts = [*accumulate(self.n_by_percent)]
        half = (counts[-1] + 1) // 2
        return next(percent / 100 for percent, count in enumerate(counts) if count >= half) if half else None

    def __str__(self) -> str:
        """Return the line: numbers of pages, causes in parentheses, confidence, time, and a note on a slow reader."""
        parts = [f"{self.n_pages:,} {'page' if self.n_pages == 1 else 'pages'}"]
        if self.n_pages:
            n_content = self.n_pages - self.causes["no content"].total() - self.causes["no answer"].total()
            parts.append(f"content {n_content:,}")
        parts += [
            f"{what} {counts.total():,} ({format_counts(counts)})" for what, counts in self.causes.items() if counts
        ]
        if self.n_unmatched:
            parts.append(f"no match for include {self.n_unmatched:,}")
        if self.n_low:
            parts.append(f"low confidence {self.n_low:,} (below {format_share(self.least_confidence, 'g')})")
        if self.median_confidence is not None:
            parts.append(f"median confidence {format_share(self.median_confidence, '.2f')}")
        if self.n_pages:
            reader = "" if is_compiled("scrapy_web2text.page.reader") else " with the reader in Python"
            parts.append(f"{1000 * self.seconds / self.n_pages:,.1f} ms per page{reader}")
        return "; ".join(parts)


def page_without_content(extraction: Extraction) -> str | None:
    """Return the kind of the page if the answer says that it has no main content, else None."""
    if not extraction.no_main_content:
        return None
    # A page may be of no special kind and still have no block that was labeled as content.
    return "no_main_content" if extraction.page_kind in (None, "content") else extraction.page_kind


def is_unmatched(extraction: Extraction, include: tuple[str, ...]) -> bool:
    """Return whether the option *include* is set but its selectors find no text, so that another method answers."""
    return bool(include) and extraction.method not in ("selector", "none")


def format_counts(counts: Counter[str]) -> str:
    """Return the names with their counts, the most frequent first."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.most_common())
