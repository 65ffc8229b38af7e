"""Stats and log messages of a crawl, with a one-line summary at its end."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, get_args
from weakref import proxy

from scrapy_web2text.crawl.summary import Summary
from scrapy_web2text.reasons import REASONS, SkipReason

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from scrapy_web2text.extraction import Extraction

__all__ = ["STATS", "Journal", "Stat"]

Stat = Literal[
    "pages",
    "method",
    "fallback",
    "skipped",
    "no_main_content",
    "extraction_seconds",
    "errors",
    "ignored_options",
    "missing_fields",
    "missing_paths",
]
# Stat -> what its second part names; None for a stat without one. docs/reference.md explains each.
STATS: Final[Mapping[Stat, str | None]] = {
    "pages": None,
    "method": "method",
    "fallback": "reason",
    "skipped": "reason",
    "no_main_content": None,
    "extraction_seconds": None,
    "errors": "class",
    "ignored_options": None,
    "missing_fields": "field",
    "missing_paths": None,
}

_SKIP_REASONS: Final = get_args(SkipReason)

logger = logging.getLogger(__name__)


class Journal:
    """Counts and logs the extractions of one crawl.

    :param crawler: the crawl; the journal does not keep it alive.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler: Crawler = proxy(crawler)
        self._logged: set[str] = set()
        self._summary = Summary()

    def count(self, stat: Stat, kind: str | None = None, amount: float = 1) -> None:
        """Add *amount* to the stat ``web2text/<stat>``, or ``web2text/<stat>/<kind>``."""
        name = f"web2text/{stat}" if kind is None else f"web2text/{stat}/{kind}"
        # Scrapy's own stats count seconds too, but its annotation says int.
        self._crawler.stats.inc_value(name, amount)  # type: ignore[arg-type]

    def log_once(
        self, topic: str, message: str, *args: Any, level: int = logging.WARNING, exc_info: bool = False
    ) -> None:
        """Log *message* at *level* when *topic* first comes up in this crawl, and at DEBUG from then on."""
        is_first = topic not in self._logged
        self._logged.add(topic)
        self._log(level if is_first else logging.DEBUG, message, *args, exc_info=exc_info and is_first)

    def add(self, extraction: Extraction) -> None:
        """Count and log the answer for one page."""
        method, reason = extraction.method, extraction.fallback_reason
        # HTML from an item does not pass the gates; the extractor itself skips it.
        if method == "none" and reason in _SKIP_REASONS:
            self.count("skipped", reason)
            return
        self.count("pages")
        self.count("method", method)
        if reason is not None:
            self.count("fallback", reason)
            what = "The answer is incomplete" if method == "model" else "The model did not answer"
            message = f"{what} for %s: %s. Such pages are counted as web2text/fallback/%s"
            self.log_once(f"fallback/{reason}", message, extraction.url, REASONS[reason], reason, level=logging.INFO)
        if extraction.error is not None:
            self.count("errors", extraction.error)
        n_missing = sum(block.path is None for block in extraction.blocks)
        if n_missing:
            self.count("missing_paths", amount=n_missing)
        if extraction.no_main_content:
            self.count("no_main_content")
        self.count("extraction_seconds", amount=extraction.elapsed)
        self._summary.add(method, reason, extraction.confidence, extraction.elapsed)
        n_content, n_blocks = extraction.n_content, extraction.n_blocks
        message = "Extracted %s by %s: %d of %d blocks in %.3f s"
        self._log(logging.DEBUG, message, extraction.url, method, n_content, n_blocks, extraction.elapsed)

    def add_error(self, error: Exception, url: str | None) -> None:
        """Count and log an unexpected *error*; call this in the ``except`` block that handles it."""
        name = type(error).__name__
        self.count("errors", name)
        message = "Error extracting %s: %r"
        self.log_once(f"errors/{name}", message, url, error, level=logging.ERROR, exc_info=True)

    def close(self) -> None:
        """Log the summary, if pages were extracted."""
        if self._summary.n_pages:
            self._log(logging.INFO, "Main content of %s", self._summary)

    def _log(self, level: int, message: str, *args: Any, exc_info: bool = False) -> None:
        logger.log(level, message, *args, exc_info=exc_info, extra={"spider": self._crawler.spider})
