"""What the components of one crawl share: settings, threads, the answers so far, and how they are counted."""

from __future__ import annotations

import logging
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, proxy

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.http import TextResponse

from scrapy_web2text.crawl.gates import skip_reason
from scrapy_web2text.crawl.pool import Pool, Semaphore, make_semaphore
from scrapy_web2text.crawl.responses import ResponseFinder
from scrapy_web2text.crawl.settings import META_KEY, Web2TextSettings
from scrapy_web2text.crawl.summary import Summary
from scrapy_web2text.exceptions import WorkerDied
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.options import OptionError, Options

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

    from scrapy_web2text.extractor import Extractor

__all__ = ["FINGERPRINT_META_KEY", "RESULT_META_KEY", "CrawlExtractor"]

RESULT_META_KEY = "web2text_result"
FINGERPRINT_META_KEY = "web2text_fingerprint"

_MOST_EXTRACTORS = 64
_MOST_WORKERS_PER_PAGE = 2  # the first may have died of something else
# HTML in an item has not passed the gates for responses; the extractor itself refuses it then.
_SKIPPED_BY_EXTRACTOR = ("max_bytes", "not_html")

logger = logging.getLogger(__name__)


class _Answers:
    """The answers for one response, and the lock that lets one extraction of it run at a time."""

    def __init__(self) -> None:
        self.lock: Semaphore = make_semaphore(1)
        self.by_options: dict[Options, Extraction] = {}


class CrawlExtractor:
    """The extractor of one crawl: no page is extracted twice, and no page ends the crawl.

    :param crawler: the crawl; its ``WEB2TEXT_*`` settings are read.
    :raises NotConfigured: if ``WEB2TEXT_ENABLED`` is False.
    :raises ValueError: if a setting is impossible or names a model that does not exist.
    :raises ModelError: if a model folder is broken and there is no fallback.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.settings = Web2TextSettings.from_crawler(crawler)
        if not self.settings.enabled:
            raise NotConfigured("WEB2TEXT_ENABLED is False")
        self.responses = ResponseFinder()
        self._crawler: Crawler = proxy(crawler)  # else the table below would keep every crawl alive
        self._pool = Pool(self.settings.executor, self.settings.n_workers)
        self._answers: WeakKeyDictionary[Response, _Answers] = WeakKeyDictionary()
        self._extractor_for = lru_cache(_MOST_EXTRACTORS)(_make_extractor)
        self._check_model()
        self._told: set[str] = set()
        self._summary = Summary()
        crawler.signals.connect(self._response_received, signals.response_received)
        crawler.signals.connect(self._item_lost, signals.item_dropped)
        crawler.signals.connect(self._item_lost, signals.item_error)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    @classmethod
    def of(cls, crawler: Crawler) -> CrawlExtractor:
        """Return the extractor that all components of *crawler* share; it is made for the first of them."""
        extractor = _EXTRACTORS.get(crawler)
        if extractor is None:
            extractor = _EXTRACTORS[crawler] = cls(crawler)
        return extractor

    async def extract(self, response: Response, request: Request) -> Extraction:
        """Return the answer for the page of *response*, which need not be tied to *request* yet."""
        answers = self._answers.get(response)
        if answers is None:
            answers = self._answers[response] = _Answers()
        await answers.lock.acquire()
        try:
            options = self._options(request)
            if options not in answers.by_options:
                answers.by_options[options] = await self._guarded(
                    response.url, lambda: self._extract_response(response, request, options)
                )
            return answers.by_options[options]
        finally:
            answers.lock.release()

    async def extract_html(self, html: str | bytes, url: str | None, request: Request | None) -> Extraction:
        """Return the answer for *html*, with the options of *request* where there is one."""
        options = self.settings.options if request is None else self._options(request)
        return await self._guarded(url, lambda: self._run(options, html, url, None))

    def fingerprint(self, response: Response, request: Request) -> str:
        """Return what an answer belongs to: URL, body and options, as a short text."""
        digest = blake2b(response.body, digest_size=16)
        digest.update(f"{response.url}\n{self.settings.options_for(request.meta)!r}".encode(errors="replace"))
        return digest.hexdigest()

    def skip(self, reason: str, url: str | None) -> Extraction:
        """Return the empty answer for a page that is skipped for *reason*, and count it."""
        self.count(f"skipped/{reason}")
        return Extraction(method="none", fallback_reason=reason, url=url)

    def count(self, name: str, amount: float = 1) -> None:
        """Add *amount* to the stat ``web2text/<name>``."""
        # Scrapy's own stats count seconds too, but its annotation says int.
        self._crawler.stats.inc_value(f"web2text/{name}", amount)  # type: ignore[arg-type]

    def tell_once(
        self, kind: str, message: str, *args: Any, level: int = logging.WARNING, exc_info: bool = False
    ) -> None:
        """Log *message* at *level* the first time that *kind* turns up in this crawl, from then on at DEBUG."""
        is_first = kind not in self._told
        self._told.add(kind)
        extra = {"spider": self._crawler.spider}
        logger.log(level if is_first else logging.DEBUG, message, *args, exc_info=exc_info and is_first, extra=extra)

    def _check_model(self) -> None:
        """Load the model of the settings, so that what is wrong with it shows now and not at the first page."""
        try:
            self._extractor_for(self.settings.options)
        except OptionError as e:
            raise ValueError(f"{self.settings.source_of(e.option)}: {e.problem}") from e

    def _options(self, request: Request) -> Options:
        """Return the options of *request*; what is wrong with them is left out, counted and told once."""
        for name, problem in self.settings.problems_with(request.meta).items():
            self._tell_ignored(name, problem, request)
        options, ours = self.settings.options_for(request.meta), self.settings.options
        while options != ours:
            try:
                self._extractor_for(options)
                break
            except Exception as e:  # noqa: BLE001  no page is lost for the model that it asks for
                name, problem = (e.option, e.problem) if isinstance(e, OptionError) else ("model", str(e))
            # A preset of ours may be unknown to the model of the request, and a model of ours be broken without rules.
            theirs = [at for at in (name, "model", "fallback") if getattr(options, at) != getattr(ours, at)]
            if not theirs:
                return ours
            self._tell_ignored(theirs[0], problem, request)
            options = options.replace(**{theirs[0]: getattr(ours, theirs[0])})
        return options

    def _tell_ignored(self, name: str, problem: object, request: Request) -> None:
        self.count("ignored_options")
        what = f"Request meta {META_KEY}" if name == META_KEY else f"Request meta {META_KEY}, key {name!r}"
        self.tell_once(f"meta {name}", "%s is left out: %s (%s)", what, problem, request)

    async def _extract_response(self, response: Response, request: Request, options: Options) -> Extraction:
        result = request.meta.get(RESULT_META_KEY)
        if isinstance(result, Extraction) and self._is_of(response, request):
            return result
        reason = skip_reason(response, statuses=self.settings.statuses, max_bytes=options.max_bytes)
        if reason is not None:
            return self.skip(reason, response.url)
        # Not response.selector: callbacks change its tree, and a wrong encoding can no longer be mended there.
        encoding = response.encoding if isinstance(response, TextResponse) else None
        return await self._run(options, response.body, response.url, encoding)

    def _is_of(self, response: Response, request: Request) -> bool:
        """Return whether the result in the meta of *request* is that of this very page."""
        return request.meta.get(FINGERPRINT_META_KEY) == self.fingerprint(response, request)

    async def _run(self, options: Options, html: str | bytes, url: str | None, encoding: str | None) -> Extraction:
        extractor = self._extractor_for(options)
        for _ in range(_MOST_WORKERS_PER_PAGE):
            try:
                extraction = await self._pool.extract(extractor, html, url, encoding)
                break
            except WorkerDied as e:
                self.count(f"errors/{type(e).__name__}")
                message = "%s over %s. A new one takes its place; no page is tried more than twice"
                self.tell_once("worker_died", message, e, url)
        else:  # not the rules: what has ended two processes must not be parsed in this one
            extraction = Extraction(fallback_reason="worker_died", url=url)
        self._count_extraction(extraction)
        return extraction

    def _count_extraction(self, extraction: Extraction) -> None:
        if extraction.method == "none" and extraction.fallback_reason in _SKIPPED_BY_EXTRACTOR:
            self.count(f"skipped/{extraction.fallback_reason}")
            return
        self.count("pages")
        self.count(f"method/{extraction.method}")
        if extraction.fallback_reason is not None:
            self.count(f"fallback/{extraction.fallback_reason}")
            self.tell_once(
                f"fallback/{extraction.fallback_reason}",
                "The model does not answer for %s (%s); such pages are counted as %s",
                *(extraction.url, extraction.fallback_reason, f"web2text/fallback/{extraction.fallback_reason}"),
                level=logging.INFO,
            )
        if extraction.no_main_content:
            self.count("no_main_content")
        self.count("extraction_seconds", extraction.elapsed)
        self._summary.add(extraction.method, extraction.fallback_reason, extraction.confidence, extraction.elapsed)
        logger.debug(
            "%s: %s found %d of %d blocks in %.3f s",
            *(extraction.url, extraction.method, extraction.n_content, extraction.n_blocks, extraction.elapsed),
            extra={"spider": self._crawler.spider},
        )

    async def _guarded(self, url: str | None, extract: Callable[[], Awaitable[Extraction]]) -> Extraction:
        """Return what *extract* returns; an error in it is ours, is counted, and costs neither page nor item."""
        try:
            return await extract()
        except Exception as e:  # noqa: BLE001  the boundary between a crawl and our bugs
            name = type(e).__name__
            self.count(f"errors/{name}")
            self.tell_once(f"errors/{name}", "No extraction of %s: %r", url, e, level=logging.ERROR, exc_info=True)
            return Extraction(method="none", fallback_reason="error", url=url)

    def _response_received(self, response: Response) -> None:
        self.responses.add_response(response)

    def _item_lost(self, item: Any) -> None:
        self.responses.remove_item(item)

    def _spider_closed(self) -> None:
        self._pool.close()
        if self._summary.n_pages:
            logger.info("Main content of %s", self._summary, extra={"spider": self._crawler.spider})


_EXTRACTORS: WeakKeyDictionary[Crawler, CrawlExtractor] = WeakKeyDictionary()


def _make_extractor(options: Options) -> Extractor:
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415  loads numpy, which nobody needs on import

    return Extractor(options)
