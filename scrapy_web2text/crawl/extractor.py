"""The extractor that all components of one crawl share."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.settings.default_settings import TWISTED_REACTOR as DEFAULT_REACTOR
from scrapy.utils.asyncio import is_asyncio_available

from scrapy_web2text.answer.summary import is_unmatched
from scrapy_web2text.common.option import find_idle
from scrapy_web2text.crawl.feeds import FeedReport
from scrapy_web2text.crawl.journal import Journal
from scrapy_web2text.crawl.pool import Pool
from scrapy_web2text.crawl.responses import ResponseFinder
from scrapy_web2text.crawl.setting_values import META_KEY, setting_name
from scrapy_web2text.crawl.settings import Web2TextSettings
from scrapy_web2text.crawl.snapshot import Snapshot
from scrapy_web2text.exceptions import ModelError, WorkerDied, WorkerNotStarted
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.options import DEFAULT_BLOCK_FIELDS, OptionError, Options
from scrapy_web2text.page.sniffing import stated_encoding
from scrapy_web2text.reasons import name_options
from scrapy_web2text.sources.responses import skip_reason
from scrapy_web2text.sources.sites import name_source_of_errors
from scrapy_web2text.workers.processes import MOST_WORKERS_PER_PAGE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response
    from scrapy.settings import BaseSettings

    from scrapy_web2text.crawl.items import ItemHtml
    from scrapy_web2text.crawl.settings import RequestOptions
    from scrapy_web2text.extraction import PageKind
    from scrapy_web2text.reasons import SkipReason

logger = logging.getLogger(__name__)

RESULT_META_KEY = "web2text_result"

_MOST_EXTRACTORS = 64


@dataclass
class _Answers:
    """The answers for one response, and the lock that lets one extraction of it run at a time.

    :param by_options: the keys are the options, and whether only an item gets the answer.
    :param was_offered: whether the snapshot was offered the response.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    by_options: dict[tuple[Options, bool], Extraction] = field(default_factory=dict)
    was_offered: bool = False


class CrawlExtractor:
    """The extractor of one crawl. It extracts a response once for each set of options, and no error ends the crawl.

    :param crawler: the crawl; its ``WEB2TEXT_*`` settings are read.
    :raises NotConfigured: if ``WEB2TEXT_ENABLED`` is False.
    :raises ValueError: if a setting is invalid or names a model that does not exist, or the crawl runs without asyncio.
    :raises ModelError: if the model folder is missing or broken, and ``WEB2TEXT_ON_MISSING_MODEL`` is ``error``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.settings = Web2TextSettings.from_crawler(crawler)
        if not self.settings.enabled:
            raise NotConfigured("WEB2TEXT_ENABLED is False")
        _check_asyncio(crawler.settings)
        self.responses = ResponseFinder()
        self.journal = Journal(crawler, self.settings.options.min_confidence)
        FeedReport(crawler, self.settings, self.journal)
        self._pool = Pool(self.settings.executor, self.settings.n_workers, self.settings.worker_memory)
        self._snapshot = Snapshot.of(self.settings)
        self._check_lock = asyncio.Lock()  # options are checked one at a time
        self._answers: WeakKeyDictionary[Response, _Answers] = WeakKeyDictionary()
        self._without_blocks = lru_cache(_MOST_EXTRACTORS)(
            lambda options: options.replace(blocks="none", block_fields=DEFAULT_BLOCK_FIELDS)
        )
        for options, name_source in self.settings.list_options():
            self._check(options, name_source)
        idle = find_idle(self.settings)
        self._log_warnings([(name, f"has no effect: {why}") for name, why in idle], setting_name)
        crawler.signals.connect(self.responses.add_response, signals.response_received)
        crawler.signals.connect(self.responses.remove_item, signals.item_dropped)
        crawler.signals.connect(self.responses.remove_item, signals.item_error)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    @classmethod
    def of(cls, crawler: Crawler) -> CrawlExtractor:
        """Return the extractor that all components of *crawler* share; the first of them creates it."""
        extractor = _EXTRACTORS.get(crawler)
        if extractor is None:
            try:
                extractor = _EXTRACTORS[crawler] = cls(crawler)
            except (ValueError, ModelError) as error:
                logger.error("%s", error)
                # scrapy crawl does not await the task of the crawl, and asyncio logs the traceback of an error that is
                # never read. So it is read here; callers that await the task still get it.
                with suppress(RuntimeError):  # no event loop is running
                    if (task := asyncio.current_task()) is not None:
                        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
                raise
        return extractor

    async def extract(
        self, response: Response, request: Request, asked: RequestOptions, *, for_item: bool = False
    ) -> Extraction:
        """Return the answer for *response*, whose attribute ``request`` may not be set yet.

        :param asked: the options of *request*, as :meth:`Web2TextSettings.read_meta` returns them.
        :param for_item: whether only the fields of an item get the answer. The answer may then lack blocks and their
            paths if no field holds them.
        """
        self.journal.start(self.settings.log_interval)
        answers = self._answers.setdefault(response, _Answers())
        async with answers.lock:
            options = await self._usable_options(asked, request)
            for known in ((options, False), (options, for_item)):
                if known in answers.by_options:
                    return answers.by_options[known]
            answer = await self._guard(
                response.url, lambda: self._extract_response(response, answers, options, for_item=for_item)
            )
            answers.by_options[options, for_item] = answer
            return answer

    async def extract_html(
        self, html: ItemHtml, url: str | None, request: Request | None, asked: RequestOptions
    ) -> Extraction:
        """Return the answer for the HTML in an item's field, with the options of *request*. Only the item gets it.

        If the HTML cannot be read, the answer is empty, with the reason ``error``.
        """
        self.journal.start(self.settings.log_interval)
        options = asked.options if request is None else await self._usable_options(asked, request)
        if html.error is not None:
            self.journal.count("errors", "TypeError")
            self.journal.log_once(
                f"html_field {html.error}",
                "No main content for an item of %s: its field %r (WEB2TEXT_HTML_FIELD): %s",
                url,
                self.settings.html_field,
                html.error,
                level=logging.ERROR,
            )
            return Extraction(reason="error", error="TypeError", url=url)
        if html.is_element and options.fragment == "auto":  # workers get the text of an element
            options = options.replace(fragment=True)
        return await self._guard(url, lambda: self._run(options, html.source, url, None, for_item=True))

    def _check(self, options: Options, name_source: Callable[[str], str]) -> None:
        """Log the warnings of an extractor with *options*: a broken model is reported now, not at the first page."""
        with name_source_of_errors(name_source):
            self._log_warnings(self._pool.check(options), name_source)

    def _log_warnings(self, warnings: Iterable[tuple[str, str]], name_source: Callable[[str], str]) -> None:
        for option, problem in warnings:
            self.journal.log_once(
                f"{option} {problem}", "%s %s", name_source(option), name_options(problem, name_source)
            )

    def skip(self, reason: SkipReason, url: str | None) -> Extraction:
        """Count a page that is skipped for *reason*, and return its empty answer."""
        self.journal.count("skipped", reason)
        page_kind: PageKind | None = "empty" if reason == "empty_body" else None
        return Extraction(page_kind=page_kind, reason=reason, url=url)

    async def _usable_options(self, asked: RequestOptions, request: Request) -> Options:
        """Return the options of *request*; values that cannot be used are ignored, counted and logged once."""
        for name, problem in asked.problems.items():
            self._ignore_option(name, problem, request)
        options, ours = asked.options, asked.defaults
        while options != ours:
            try:
                async with self._check_lock:
                    self._log_warnings(await self._pool.check_later(options), self.settings.name_source)
                break
            except Exception as e:  # noqa: BLE001  a bad model in the meta of a request costs no page
                name, problem = (e.option, e.problem) if isinstance(e, OptionError) else ("model", str(e))
            if getattr(options, name) == getattr(ours, name):  # the request breaks an option that it does not set
                name, problem, options = META_KEY, f"{self.settings.name_source(name)}: {problem}", ours
            else:
                options = options.replace(**{name: getattr(ours, name)})
            self._ignore_option(name, problem, request)
        return options

    def _ignore_option(self, name: str, problem: object, request: Request) -> None:
        self.journal.count("ignored_options")
        key = f"meta[{name!r}]" if name.lower().startswith(META_KEY) else f"meta[{META_KEY!r}][{name!r}]"
        self.journal.log_once(f"meta {name}", "Ignoring %s of %s: %s", key, request, problem)

    async def _extract_response(
        self, response: Response, answers: _Answers, options: Options, *, for_item: bool
    ) -> Extraction:
        reason = skip_reason(response, statuses=self.settings.statuses, max_bytes=options.max_bytes)
        if reason is not None:
            return self.skip(reason, response.url)
        if self._snapshot and not answers.was_offered:
            answers.was_offered = True
            await self._keep(response, self._snapshot)
        # Not response.selector: callbacks may edit its tree, and its text has been decoded, perhaps wrongly.
        return await self._run(options, response.body, response.url, stated_encoding(response), for_item=for_item)

    async def _keep(self, response: Response, snapshot: Snapshot) -> None:
        """Keep *response* in *snapshot*. An error is counted and logged, and the page still gets its answer."""
        try:
            outcome = await self._pool.run(snapshot.keep, response.url, response.body, stated_encoding(response))
            self.journal.count("snapshots", outcome)
            if outcome == "full":
                self.journal.log_once(
                    "snapshots/full",
                    "%s is not in the snapshot, which is as large as WEB2TEXT_SNAPSHOT_BYTES allows",
                    response.url,
                )
        except Exception as error:  # noqa: BLE001  a full disk, or a bug; the page still gets its answer
            self.journal.count("snapshots", "failed")
            self.journal.log_once("snapshots/failed", "Cannot keep %s in the snapshot: %r", response.url, error)

    async def _run(
        self, options: Options, html: str | bytes, url: str | None, encoding: str | None, *, for_item: bool
    ) -> Extraction:
        paths = not for_item or "path" in options.block_fields
        if for_item and "blocks" not in self.settings.fields.values():
            options = self._without_blocks(options)
        for _ in range(MOST_WORKERS_PER_PAGE):
            try:
                extraction = await self._pool.extract(options, html, url, encoding, paths=paths)
                break
            except ModelError as e:  # the folder was changed during the crawl, and this process has to load it again
                self.journal.log_once("no_model", "Model lost during the crawl: %s", e, level=logging.ERROR)
                extraction = Extraction(reason="no_model", error=type(e).__name__, url=url)
                break
            except (WorkerDied, WorkerNotStarted) as e:
                self.journal.count("errors", type(e).__name__)
                self.journal.log_once(
                    f"errors/{type(e).__name__}",
                    "%s while extracting %s. A new worker process replaces it; each page is tried at most twice",
                    e,
                    url,
                )
            finally:
                self.journal.add_losses(self._pool.take_losses(), self._pool.start_error)
        else:  # no rules: they would parse the page in this process
            extraction = Extraction(reason="worker_died", url=url)
        self.journal.add(extraction, has_paths="path" in options.block_fields)
        if is_unmatched(extraction, options.include):
            self.journal.add_unmatched(options.include, url)
        return extraction

    async def _guard(self, url: str | None, extract: Callable[[], Awaitable[Extraction]]) -> Extraction:
        """Return what *extract* returns. If it raises an error, count and log it, and return an empty answer."""
        try:
            return await extract()
        except Exception as e:  # noqa: BLE001  the boundary between a crawl and bugs of this package
            self.journal.add_error(e, url)
            return Extraction(reason="error", url=url)

    async def _spider_closed(self) -> None:
        for lock in [answers.lock for answers in self._answers.values()]:  # items of scrapy parse may still need it
            async with lock:
                pass
        for site in (site for site, has_page in self.settings.site_index.has_pages.items() if not has_page):
            self.journal.log(
                logging.WARNING,
                "The rule for %r in WEB2TEXT_SITES applied to no page of its host. Its path must match the whole path "
                "of a page: /forum/* matches all paths below /forum/",
                site,
            )
        await self._pool.finish()
        self.journal.close()


def _check_asyncio(settings: BaseSettings) -> None:
    """Raise a ValueError if the crawl runs without asyncio."""
    with suppress(RuntimeError):  # no crawl is running: a test creates a component
        if not is_asyncio_available():
            raise ValueError(
                f"TWISTED_REACTOR: expected a reactor of asyncio, such as {DEFAULT_REACTOR!r}, Scrapy's default, got "
                f"{settings['TWISTED_REACTOR']!r}. Remove this setting, or set TWISTED_REACTOR_ENABLED = False"
            )


_EXTRACTORS: WeakKeyDictionary[Crawler, CrawlExtractor] = WeakKeyDictionary()
