"""``scrapy web2text`` prints the main content of pages, with the settings of the project.

Every call of ``scrapy`` imports this module to list the commands. Imports that only a run needs are in functions.
"""

from __future__ import annotations

import logging
from functools import partial
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
    """Prints the main content of URLs, fetched as in a crawl of the project."""

    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "[options] URL ..."

    def short_desc(self) -> str:
        """Return the purpose of the command in a line."""
        return "Print the main content of web pages"

    def long_desc(self) -> str:
        """Return the description of the command, for its help."""
        return (
            "Print the main content of URLs, fetched with the downloader and settings of the project. Several pages "
            "are printed one after another, each below a line with its URL. With --format json, each page is one line. "
            "The exit code is 1 if a page has no answer. --nolog turns off the log of a project."
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
        """Print the main content of the URLs *args*."""
        from w3lib.url import is_url

        from scrapy_web2text.cli.output import run_until_closed
        from scrapy_web2text.content.forms import FORMATS

        if not args or not all(map(is_url, args)):
            others = ", ".join(name for name in args if not is_url(name))
            problem = f"expected URLs, got {others or 'none'}; web2text extract reads files"
            raise UsageError(escape_line(problem), print_help=False)
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
        from scrapy import Request
        from scrapy.utils.spider import DefaultSpider

        from scrapy_web2text.crawl.setting_values import META_KEY
        from scrapy_web2text.crawl.settings import Web2TextSettings
        from scrapy_web2text.extractor import Extractor
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
        # The same URL may be given twice, and may be outside the domains of the spider.
        make_request = partial(Request, meta={META_KEY: dict(form.options)}, dont_filter=True)
        requests += [make_request(page.url, partial(page.parse, crawler), errback=page.fail) for page in pages]
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
            say(f"scrapy web2text: {page.url}: {answer}")
        elif len(pages) == 1:
            print_answer("scrapy web2text", page.url, answer, form.write(answer, block_fields))
        else:
            part = form.write_part(escape_line(page.url), answer, block_fields)
            print_answer("scrapy web2text", page.url, answer, part)
    return int(any(isinstance(page.answer, str) for page in pages))


class _Page:
    """A page of the command: its URL, and its answer or the reason why it has none."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.answer: Extraction | str = "no response"

    async def parse(self, crawler: Crawler, response: Response) -> None:
        """Keep the answer for *response*, or only the reason if the page has no answer."""
        from scrapy_web2text.cli.output import report_unmatched
        from scrapy_web2text.crawl.extractor import CrawlExtractor
        from scrapy_web2text.crawl.setting_values import setting_name
        from scrapy_web2text.reasons import describe_failure, name_options

        assert response.request is not None  # noqa: S101  set for callbacks
        extractor = CrawlExtractor.of(crawler)
        asked = extractor.settings.read_meta(response.meta, response.url)
        answer = await extractor.extract(response, response.request, asked)
        report_unmatched("scrapy web2text", self.url, answer, asked.options.include)
        self.answer = answer
        if answer.reason == "status":
            self.answer = f"status {response.status}"
        elif answer.method == "none" and answer.reason is not None:
            self.answer = name_options(describe_failure(answer.reason), setting_name)

    def fail(self, failure: Failure) -> None:
        """Keep why the page was not fetched."""
        self.answer = failure.getErrorMessage()
