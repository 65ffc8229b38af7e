"""The stats and log messages of a crawl, with a summary at intervals and at the end, and a watch on confidences."""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, get_args
from weakref import proxy

from scrapy.utils.asyncio import create_looping_call

from scrapy_web2text.answer.summary import Summary, page_without_content
from scrapy_web2text.crawl.addresses import find_host
from scrapy_web2text.crawl.setting_values import setting_name
from scrapy_web2text.exceptions import escape_line
from scrapy_web2text.reasons import MARKED_REASONS, Reason, SkipReason, name_options

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall

    from scrapy_web2text.exceptions import WorkerNotStarted
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.workers.process import Loss

# Stat -> what its second part names; None if the stat has no second part. docs/fields.md explains each.
STATS: Final[Mapping[str, str | None]] = {
    "pages": None,
    "method": "method",
    "page_kind": "kind",
    "fallback": "reason",
    "skipped": "reason",
    "no_main_content": None,
    "low_confidence": None,
    "confidence_drops": None,
    "extraction_seconds": None,
    "encodings_detected": None,
    "errors": "class",
    "ignored_options": None,
    "missing_fields": "field",
    "empty_html_fields": None,
    "kept_fields": "field",
    "left_out": "cause",
    "missing_paths": None,
    "sites": "kind",
    "lost_workers": "cause",
    "snapshots": "outcome",
}

# docs/fields.md has the same sentences.
_WHY_LOST: Final[Mapping[Loss, str]] = {
    "died": "it died",
    "timeout": "a page took too long",
    "answer": "it sent something other than an answer, or too much",
    "memory": "it kept more than half of WEB2TEXT_WORKER_MEMORY after a page",
    "start": "it did not start",
}

_INCOMPLETE: Final[Mapping[Reason, str]] = {
    "simplified": "The structure is incomplete",
    **dict.fromkeys(("lost_text", "too_deep"), "The text is incomplete"),
}
_SKIP_REASONS: Final = get_args(SkipReason)

logger = logging.getLogger(__name__)

_MOST_TOPICS: Final = 1_000  # a broad crawl may have any number of hosts

# Number of pages in the mean of a host's first pages, and in the mean of its latest pages.
_N_PAGES: Final = 50
_LEAST_DROP: Final = 0.2
# Hosts that are watched at a time; each takes about 2 kB.
_MOST_HOSTS: Final = 1_000


class Journal:
    """Counts and logs the extractions of one crawl. The journal does not keep the crawler alive.

    :param least_confidence: the confidence below which an answer counts as low; None for 0.5.
    """

    def __init__(self, crawler: Crawler, least_confidence: float | None = None) -> None:
        self._crawler: Crawler = proxy(crawler)
        self._logged: set[str] = set()
        self._summary = Summary(least_confidence)
        self._watch = ConfidenceWatch()
        self._timer: AsyncioLoopingCall | LoopingCall | None = None
        self._latest_line = ""

    def start(self, seconds: float | None) -> None:
        """Log the summary every *seconds* from now on; never if *seconds* is None or 0.

        Like Scrapy's LogStats, this needs the event loop, so a coroutine has to call it. Only the first call counts.
        """
        if seconds and self._timer is None:
            self._timer = create_looping_call(self._log_summary)
            self._timer.start(seconds, now=False)

    def count(self, stat: str, detail: str | None = None, amount: float = 1) -> None:
        """Add *amount* to the stat ``web2text/<stat>``, or ``web2text/<stat>/<detail>``.

        :param stat: one of :data:`STATS`, which says whether the stat has a detail.
        """
        name = f"web2text/{stat}" if STATS[stat] is None else f"web2text/{stat}/{detail}"
        # Scrapy's own stats count seconds too, but its annotation says int.
        self._crawler.stats.inc_value(name, amount)  # type: ignore[arg-type]
        if detail is not None and stat in ("skipped", "errors"):
            self._summary.count(stat, detail)

    def log_once(
        self, topic: str, message: str, *args: Any, level: int = logging.WARNING, exc_info: bool = False
    ) -> None:
        """Log *message* at *level* when *topic* occurs for the first time in this crawl, and at DEBUG after that."""
        is_first = topic not in self._logged and len(self._logged) < _MOST_TOPICS
        if is_first:
            self._logged.add(topic)
        self.log(level if is_first else logging.DEBUG, message, *args, exc_info=exc_info and is_first)

    def add(self, extraction: Extraction, *, has_paths: bool = False) -> None:
        """Count and log the answer for one page.

        :param has_paths: whether items get the paths of its blocks.
        """
        method, reason = extraction.method, extraction.reason
        # HTML from an item is not checked before it is extracted; the extractor itself skips it.
        if method == "none" and reason in _SKIP_REASONS:
            self.count("skipped", reason)
            if reason == "language":  # the language is known only after the extraction
                self.count("extraction_seconds", amount=extraction.elapsed)
            return
        self.count("pages")
        self.count("method", method)
        self.count("extraction_seconds", amount=extraction.elapsed)
        for stat, detail in (("page_kind", extraction.page_kind), ("fallback", reason), ("errors", extraction.error)):
            if detail is not None:
                self.count(stat, detail)
        is_low = self._summary.add(
            method,
            reason,
            extraction.confidence,
            extraction.elapsed,
            no_content=page_without_content(extraction),
            is_low=extraction.low_confidence or reason == "low_confidence",
        )
        amounts = {
            "missing_paths": sum(block.path is None for block in extraction.blocks) if has_paths else 0,
            "no_main_content": int(extraction.no_main_content),
            "encodings_detected": int(extraction.encoding_source in ("detected", "default")),
            "low_confidence": int(is_low),
        }
        for stat, amount in amounts.items():
            if amount:
                self.count(stat, amount=amount)
        if reason is not None:
            self._log_fallback(extraction, reason)
        self._watch_confidence(extraction)
        self.log(
            logging.DEBUG,
            "Extracted %s by %s: %d of %d blocks in %.3f s",
            extraction.url,
            method,
            extraction.n_content,
            extraction.n_blocks,
            extraction.elapsed,
        )

    def _log_fallback(self, extraction: Extraction, reason: Reason) -> None:
        """Log why the model did not answer, or answered incompletely."""
        usual = "The answer is incomplete" if extraction.method == "model" else "The model did not answer"
        self.log_once(
            f"fallback/{reason}",
            f"{_INCOMPLETE.get(reason, usual)} for %s: %s. Such pages are counted as web2text/fallback/%s",
            extraction.url,
            name_options(MARKED_REASONS[reason], setting_name),
            reason,
            level=logging.INFO,
        )

    def _watch_confidence(self, extraction: Extraction) -> None:
        """Count and log the first drop of the confidence for the pages of a host."""
        host = None if extraction.url is None else find_host(extraction.url)
        means = None if host is None or extraction.confidence is None else self._watch.add(host, extraction.confidence)
        if means is not None:
            self.count("confidence_drops")
            self.log(
                logging.WARNING,
                "The mean confidence for %s fell from %.2f for its first %d pages to %.2f for its latest %d. Has the "
                "site changed its pages? The latest is %s",
                host,
                means[0],
                _N_PAGES,
                means[1],
                _N_PAGES,
                extraction.url,
            )

    def add_unmatched(self, include: tuple[str, ...], url: str | None) -> None:
        """Count and log a page on which the selectors of the option ``include`` find no text."""
        self.count("sites", "unmatched")
        self._summary.add_unmatched()
        self.log_once(
            f"include {include}",
            "The selectors of include (%s) find no text on %s; it is answered without them. Such pages are counted "
            "as web2text/sites/unmatched",
            ", ".join(include),
            url,
            level=logging.INFO,
        )

    def add_error(self, error: Exception, url: str | None) -> None:
        """Count and log an unexpected *error*; call this in the ``except`` block that handles it."""
        name = type(error).__name__
        self.count("errors", name)
        self.log_once(f"errors/{name}", "Error extracting %s: %r", url, error, level=logging.ERROR, exc_info=True)

    def add_losses(self, losses: Iterable[Loss], start_error: WorkerNotStarted | None) -> None:
        """Count worker processes that were lost. *start_error* says why none can start, so threads extract instead."""
        for loss in losses:
            self.count("lost_workers", loss)
            self.log_once(
                f"lost_workers/{loss}",
                "A worker process was lost: %s. Such processes are replaced and counted as web2text/lost_workers/%s",
                _WHY_LOST[loss],
                loss,
                level=logging.INFO,
            )
        if start_error is not None and "start_error" not in self._logged:
            self.log_once(
                "start_error",
                "%s. Pages are extracted in threads, which no limit of time or memory can stop",
                start_error,
            )

    def close(self) -> None:
        """Log the summary for the last time."""
        if self._timer is not None and self._timer.running:
            self._timer.stop()
        self._latest_line = ""
        self._log_summary()

    def _log_summary(self) -> None:
        """Log the summary, unless it is empty or has not changed."""
        line = str(self._summary) if self._summary else ""
        if line != self._latest_line:
            self.log(logging.INFO, "Main content of %s: %s", getattr(self._crawler.spider, "name", None), line)
        self._latest_line = line

    def log(self, level: int, message: str, *args: Any, exc_info: bool = False) -> None:
        """Log *message* at *level*, with the spider. Strings in *args*, such as a URL in an item, stay on the line."""
        args = tuple(escape_line(each) if isinstance(each, str) else each for each in args)
        logger.log(level, message, *args, exc_info=exc_info, extra={"spider": self._crawler.spider})


class ConfidenceWatch:
    """Compares the confidences for the latest pages of each host with the confidences for its first pages.

    The number of hosts is bounded. The host without pages for the longest time is forgotten, and starts anew if it
    returns.
    """

    def __init__(self) -> None:
        # Host -> the mean for its first pages, None while they are too few, 0 after a drop; and the latest pages.
        self._hosts: OrderedDict[str, tuple[float | None, deque[float]]] = OrderedDict()

    def add(self, host: str, confidence: float) -> tuple[float, float] | None:
        """Count a page. If it is the first page of *host* that shows a drop, return the means before and after it."""
        first_mean, latest = self._hosts.pop(host, (None, deque(maxlen=_N_PAGES)))
        latest.append(confidence)
        mean = fmean(latest)
        if first_mean is None and len(latest) == _N_PAGES:
            first_mean = mean
        drop = None if first_mean is None or first_mean - mean < _LEAST_DROP else (first_mean, mean)
        self._hosts[host] = (0 if drop else first_mean), latest
        if len(self._hosts) > _MOST_HOSTS:
            self._hosts.popitem(last=False)
        return drop
