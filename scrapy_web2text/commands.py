"""``scrapy web2text`` prints the main content of pages and files, with the settings of the project.

Every call of ``scrapy`` imports this module to list the commands. Imports that only a run needs are in functions.
"""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from scrapy_web2text.exceptions import Web2TextError, escape_line, explain, say

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Sequence

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from scrapy_web2text.content.forms import Format
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.options import Options
    from scrapy_web2text.sources.pages import PageSources

__all__ = ["Web2TextCommand"]

# The command must not overwrite the feeds of the project or resume a stored crawl. As in `scrapy check`, these settings
# override the settings of spiders, and -s overrides both.
_OVERRIDES: dict[str, Any] = {
    "FEEDS": {},
    "ITEM_PIPELINES": {},
    "JOBDIR": None,
    "TELNETCONSOLE_ENABLED": False,
    "HTTPERROR_ALLOW_ALL": True,  # WEB2TEXT_STATUSES decides
    "WEB2TEXT_ENABLED": True,
}
_OVERRIDES_PRIORITY = 35


class Web2TextCommand(ScrapyCommand):
    """Prints the main content of HTML files and of URLs, fetched as in a crawl of the project."""

    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "[options] URL|FILE ..."

    def short_desc(self) -> str:
        """Return the purpose of the command in a line."""
        return "Print the main content of web pages"

    def long_desc(self) -> str:
        """Return the description of the command, for its help."""
        return (
            "Print the main content of URLs, fetched with the downloader and settings of the project, and of HTML "
            "files (also .gz). Several pages are printed one after another, each below a line with its name. With "
            "--format json, each page is one line. The exit code is 1 if a page has no answer. --nolog turns off the "
            "log of a project."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments to *parser*."""
        from scrapy_web2text.content.forms import FORMATS

        super().add_options(parser)
        parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="default: %(default)s")
        parser.add_argument("--spider", metavar="NAME", help="use the settings of this spider of the project")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Override the settings that a command must not share with a crawl."""
        super().process_options(args, opts)
        assert self.settings is not None  # noqa: S101  set in scrapy.cmdline
        self.settings.setdict(_OVERRIDES, priority=_OVERRIDES_PRIORITY)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the main content of the pages and files *args*."""
        from scrapy_web2text.cli.output import run_until_closed
        from scrapy_web2text.content.forms import FORMATS

        if not args:
            raise UsageError("expected a URL or a file", print_help=False)
        for middleware in ("retry", "robotstxt"):  # the command itself says why a page was not fetched
            logging.getLogger(f"scrapy.downloadermiddlewares.{middleware}").setLevel(logging.CRITICAL)
        form = FORMATS[opts.format]
        pages = [_Page(name) for name in args]
        try:
            options = self._extract(pages, opts.spider, form)
        except (OSError, ValueError, Web2TextError) as error:
            raise UsageError(escape_line(explain(error)), print_help=False) from error
        self.exitcode = run_until_closed(partial(_print_answers, pages, form, options.block_fields))

    def _extract(self, pages: Sequence[_Page], spider_name: str | None, form: Format) -> Options:
        """Extract *pages*, and return the options of the crawl.

        :raises ValueError: if the spider does not exist, or a setting has an invalid value.
        :raises ModelError: if the model is broken and there is no fallback.
        """
        from scrapy.utils.spider import DefaultSpider
        from w3lib.url import is_url

        from scrapy_web2text.crawl.settings import META_KEY, Web2TextSettings
        from scrapy_web2text.extractor import Extractor
        from scrapy_web2text.page.urls import STATED
        from scrapy_web2text.sources.pages import PageSources
        from scrapy_web2text.sources.sites import name_source_of_errors

        process = self.crawler_process
        assert process is not None  # noqa: S101  set in scrapy.cmdline
        try:
            spider = DefaultSpider if spider_name is None else process.spider_loader.load(spider_name)
        except KeyError as error:
            raise ValueError(f"spider not found: {spider_name!r}") from error
        requests: list[Request] = []
        crawler = process.create_crawler(_make_fetcher(spider, requests))
        settings = Web2TextSettings.from_settings(crawler.settings, getattr(spider, META_KEY, None))
        if not settings.enabled:
            raise ValueError("WEB2TEXT_ENABLED is False")
        for options, name_source in settings.list_options():
            with name_source_of_errors(name_source):
                Extractor(options.replace(**form.options))
        sources = PageSources(settings.options, settings.site_index, STATED if settings.sites else ())
        for page in pages:
            if is_url(page.name):
                requests += page.make_request(crawler, {META_KEY: dict(form.options)})
            else:
                page.read_file(sources, form)
        if requests:
            process.crawl(crawler)
            process.start()
        return settings.options


def _make_fetcher(spider: type[Spider], requests: Sequence[Request]) -> type[Spider]:
    """Return a subclass of *spider* that starts with *requests*. The list may still grow."""

    async def start(self: Spider) -> AsyncIterator[Request]:  # noqa: ARG001
        for request in requests:
            yield request

    return type(spider.__name__, (spider,), {"start": start})


def _print_answers(pages: Sequence[_Page], form: Format, block_fields: Sequence[str]) -> int:
    """Print the answer for each page, or the reason why it has none, and return the exit code."""
    from scrapy_web2text.cli.output import print_answer

    for page in pages:
        answer = page.answer
        if isinstance(answer, str):
            say(f"scrapy web2text: {page.name}: {answer}")
        elif len(pages) == 1:
            print_answer("scrapy web2text", page.name, answer, form.write(answer, block_fields))
        else:
            part = form.write_part(escape_line(page.name), answer, block_fields)
            print_answer("scrapy web2text", page.name, answer, part)
    return int(any(isinstance(page.answer, str) for page in pages))


class _Page:
    """A page of the command: its URL or file, and its answer or the reason why it has none."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.answer: Extraction | str = "no response"

    def make_request(self, crawler: Crawler, meta: dict[str, Any]) -> list[Request]:
        """Return a list with the request for the page; an empty list if its URL is invalid."""
        from scrapy import Request

        try:
            # The same URL may be given twice, and may be outside the domains of the spider.
            request = Request(self.name, partial(self._parse, crawler), meta=meta, dont_filter=True)
        except ValueError as error:
            self.answer = str(error)
            return []
        return [request.replace(errback=self._fail)]

    async def _parse(self, crawler: Crawler, response: Response) -> None:
        from scrapy_web2text.crawl.extractor import CrawlExtractor

        assert response.request is not None  # noqa: S101  set for callbacks
        extractor = CrawlExtractor.of(crawler)
        asked = extractor.settings.read_meta(response.meta, response.url)
        answer = await extractor.extract(response, response.request, asked)
        self._take(answer, asked.options)
        if answer.reason == "status":
            self.answer = f"status {response.status}"

    def _fail(self, failure: Failure) -> None:
        self.answer = failure.getErrorMessage()

    def read_file(self, sources: PageSources, form: Format) -> None:
        from scrapy_web2text.extractor import Extractor
        from scrapy_web2text.sources.pages import PageSource

        try:
            page = sources.load(PageSource(self.name, Path(self.name)))
        except OSError as error:
            self.answer = explain(error, is_named=False)
        else:
            options = page.options.replace(**form.options)
            self._take(Extractor(options).extract(page.source, page.url), options)

    def _take(self, answer: Extraction, options: Options) -> None:
        """Keep *answer*, or only the reason if the page has no answer."""
        from scrapy_web2text.cli.output import report_unmatched
        from scrapy_web2text.crawl.setting_values import setting_name
        from scrapy_web2text.reasons import describe_failure, name_options

        report_unmatched("scrapy web2text", self.name, answer, options.include)
        if answer.method == "none" and answer.reason is not None:
            self.answer = name_options(describe_failure(answer.reason), setting_name)
        else:
            self.answer = answer
