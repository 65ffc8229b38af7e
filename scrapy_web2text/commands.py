"""``scrapy web2text``: the main content of pages and files, with the settings of the project.

Every call of ``scrapy`` imports this module to list the commands, so it imports what only a run needs in functions.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from scrapy_web2text.exceptions import Web2TextError

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Sequence

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from scrapy_web2text.content.forms import Format
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.extractor import Extractor
    from scrapy_web2text.options import Options

__all__ = ["Web2TextCommand"]

# The command must not overwrite the feeds of the project or resume a stored crawl. Their priority is above spiders
# and below -s, as in `scrapy check`.
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
            "files (also .gz). Of several pages, each is printed below a line with its name, or as json on one line. "
            "The exit code is 1 if a page has no answer. --nolog turns off the log of a project."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments to *parser*."""
        from scrapy_web2text.content.forms import FORMATS

        super().add_options(parser)
        parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="default: %(default)s")
        parser.add_argument(
            "--view", metavar="FILE", help="write an HTML file that shows the pages, their labels and their text"
        )
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
        from scrapy_web2text.view.pages import check_out, write_out

        if not args:
            raise UsageError("expected a URL or a file", print_help=False)
        form = FORMATS[opts.format]
        seen: dict[int, dict[str, Any]] | None = None if opts.view is None else {}
        try:
            if seen is not None:
                check_out(Path(opts.view), may_overwrite=False)
            answers = self._find_answers(args, opts.spider, form, seen)
        except (OSError, ValueError, Web2TextError) as error:
            raise UsageError(str(error), print_help=False) from error
        self.exitcode = run_until_closed(partial(_print_answers, args, answers, form, is_viewed=seen is not None))
        if seen:
            print(f"scrapy web2text: {write_out(Path(opts.view), [*seen.values()])}", file=sys.stderr)

    def _find_answers(
        self, names: list[str], spider_name: str | None, form: Format, seen: dict[int, dict[str, Any]] | None
    ) -> list[Extraction | str]:
        """Return the answer for each of *names*, or the reason why it has none as a message.

        :param seen: gets what the viewer shows of each page; None for no viewer.

        :raises ValueError: if the spider does not exist, or a setting is impossible.
        :raises ModelError: if the model is broken and there is no fallback.
        """
        from scrapy.utils.spider import DefaultSpider
        from w3lib.url import is_url

        from scrapy_web2text.crawl.settings import META_KEY, Web2TextSettings
        from scrapy_web2text.extractor import Extractor

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
        with settings.name_source_of_errors():
            extractor = Extractor(settings.options.replace(**form.options))
        pages = _Pages(crawler, ["no response"] * len(names), seen)
        for i, name in enumerate(names):
            if is_url(name):
                pages.request(i, name, meta={META_KEY: dict(form.options)}, to=requests)
            else:
                pages.extract_file(i, extractor, name)
        if requests:
            process.crawl(crawler)
            process.start()
        return pages.answers


def _print_answers(names: Sequence[str], answers: Sequence[Extraction | str], form: Format, *, is_viewed: bool) -> int:
    """Print the answer for each name, or the reason why it has none, and return the exit code.

    :param is_viewed: whether the answers are in the viewer, so that only the reasons are printed.
    """
    from scrapy_web2text.cli.output import print_answer

    for name, answer in zip(names, answers, strict=True):
        if isinstance(answer, str):
            print(f"scrapy web2text: {name}: {answer}", file=sys.stderr)
        elif not is_viewed:
            text = form.write(answer) if len(names) == 1 else form.write_part(name, answer)
            print_answer("scrapy web2text", name, answer, text)
    return int(any(isinstance(answer, str) for answer in answers))


def _make_fetcher(spider: type[Spider], requests: Sequence[Request]) -> type[Spider]:
    """Return a subclass of *spider* that starts with *requests*, a list that may still grow."""

    async def start(self: Spider) -> AsyncIterator[Request]:  # noqa: ARG001
        for request in requests:
            yield request

    return type(spider.__name__, (spider,), {"start": start})


class _Pages:
    """Collects the answers for pages: for each an extraction, or the reason why it has none.

    :param seen: gets what the viewer shows of each page; None for no viewer.
    """

    def __init__(
        self, crawler: Crawler, answers: list[Extraction | str], seen: dict[int, dict[str, Any]] | None
    ) -> None:
        self.answers = answers
        self._crawler = crawler
        self._seen = seen

    def request(self, i: int, url: str, *, meta: dict[str, Any], to: list[Request]) -> None:
        """Add the request for page number *i* to the list *to*."""
        from scrapy import Request

        try:
            # The same URL may be given twice, and may be outside the domains of the spider.
            request = Request(url, self._parse, meta=meta, cb_kwargs={"i": i, "name": url}, dont_filter=True)
        except ValueError as error:
            self.answers[i] = str(error)
        else:
            to.append(request.replace(errback=partial(self._fail, i)))

    async def _parse(self, response: Response, i: int, name: str) -> None:
        from scrapy_web2text.cli.output import report_unmatched
        from scrapy_web2text.crawl.extractor import CrawlExtractor
        from scrapy_web2text.page.sniffing import stated_encoding

        assert response.request is not None  # noqa: S101  set for callbacks
        extractor = CrawlExtractor.of(self._crawler)
        asked = extractor.settings.read_meta(response.meta, response.url)
        answer = await extractor.extract(response, response.request, asked)
        report_unmatched("scrapy web2text", name, answer, asked.options.include)
        has_bad_status = answer.fallback_reason == "status"
        self.answers[i] = f"status {response.status}" if has_bad_status else _answer_or_message(answer)
        self._see(i, response.body, name, asked.options, url=response.url, encoding=stated_encoding(response))

    def extract_file(self, i: int, extractor: Extractor, name: str) -> None:
        """Extract page number *i* from a file."""
        from scrapy_web2text.cli.output import report_unmatched
        from scrapy_web2text.page.files import read_page_file

        try:
            body = read_page_file(Path(name), extractor.options.max_bytes)
        except OSError as error:
            self.answers[i] = error.strerror or str(error)
            return
        answer = extractor.extract(body)
        report_unmatched("scrapy web2text", name, answer, extractor.options.include)
        self.answers[i] = _answer_or_message(answer)
        self._see(i, body, name, extractor.options)

    def _see(
        self, i: int, body: bytes, name: str, options: Options, *, url: str | None = None, encoding: str | None = None
    ) -> None:
        """Collect what the viewer shows of page number *i*, if there is a viewer and the page has an answer."""
        if self._seen is not None and not isinstance(self.answers[i], str):
            from scrapy_web2text.view.seen import see_page

            self._seen[i] = see_page(body, name, options, url=url, encoding=encoding)

    def _fail(self, i: int, failure: Failure) -> None:
        self.answers[i] = failure.getErrorMessage()


def _answer_or_message(answer: Extraction) -> Extraction | str:
    """Return *answer*, or the reason as a message if there is no answer."""
    from scrapy_web2text.reasons import describe_failure

    reason = answer.fallback_reason
    return describe_failure(reason) if answer.method == "none" and reason is not None else answer
