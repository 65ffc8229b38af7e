"""``scrapy web2text``: the main content of pages and files, with the settings of the project.

Every call of ``scrapy`` imports this module to list its commands: what a run needs is imported in the run.
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

    from scrapy_web2text.content.formats import Format
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.extractor import Extractor

__all__ = ["Web2TextCommand"]

# The pages come for the command alone: what else the project does with a crawl, such as overwriting its feeds or
# going on with a stored one, is left out. Stronger than settings of spiders, weaker than -s, as in `scrapy check`.
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
    """Prints the main content of URLs, fetched as a crawl of the project would fetch them, and of HTML files."""

    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        """Return how the command is called."""
        return "[options] URL|FILE ..."

    def short_desc(self) -> str:
        """Return what the command does."""
        return "Print the main content of web pages"

    def long_desc(self) -> str:
        """Return what the command does, for its help."""
        return (
            "Print the main content of URLs, fetched with the downloader and settings of the project, and of HTML "
            "files (also .gz). Of several, each comes under a line with its name; as json, each is one line. "
            "The exit code is 1 if a page has no answer. You may want to use --nolog in a project."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments to *parser*."""
        from scrapy_web2text.content.formats import FORMATS  # noqa: PLC0415

        super().add_options(parser)
        parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="default: %(default)s")
        parser.add_argument("--spider", metavar="NAME", help="use the settings of this spider of the project")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Settle the settings."""
        super().process_options(args, opts)
        assert self.settings is not None  # noqa: S101  set in scrapy.cmdline
        self.settings.setdict(_OVERRIDES, priority=_OVERRIDES_PRIORITY)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the main content of the pages and files *args*."""
        from scrapy_web2text.cli.arguments import BROKEN_PIPE, close_output  # noqa: PLC0415
        from scrapy_web2text.content.formats import FORMATS  # noqa: PLC0415

        if not args:
            raise UsageError("name a URL or a file", print_help=False)
        form = FORMATS[opts.format]
        try:
            answers = self._find_answers(args, opts.spider, form)
        except (ValueError, Web2TextError) as error:
            raise UsageError(str(error), print_help=False) from error
        try:
            for name, answer in zip(args, answers, strict=True):
                if isinstance(answer, str):
                    print(f"scrapy web2text: {name}: {answer}", file=sys.stderr)
                    self.exitcode = 1
                else:
                    _print(name, answer, form.write(answer) if len(args) == 1 else form.write_part(name, answer))
            sys.stdout.flush()  # here a closed pipe still ends it quietly
        except BrokenPipeError:
            close_output()
            self.exitcode = BROKEN_PIPE

    def _find_answers(self, names: list[str], spider_name: str | None, form: Format) -> list[Extraction | str]:
        """Return the answer for each of *names*, or the reason why it has none.

        :raises ValueError: if there is no such spider, or a setting is impossible.
        :raises ModelError: if the model is broken and there is no fallback.
        """
        from scrapy.utils.spider import DefaultSpider  # noqa: PLC0415
        from w3lib.url import is_url  # noqa: PLC0415

        from scrapy_web2text.crawl.settings import META_KEY, Web2TextSettings  # noqa: PLC0415
        from scrapy_web2text.extractor import Extractor  # noqa: PLC0415

        process = self.crawler_process
        assert process is not None  # noqa: S101  set in scrapy.cmdline
        try:
            spider = DefaultSpider if spider_name is None else process.spider_loader.load(spider_name)
        except KeyError as error:
            raise ValueError(f"no spider of the project has the name {spider_name!r}") from error
        requests: list[Request] = []
        crawler = process.create_crawler(_make_fetcher(spider, requests))
        settings = Web2TextSettings.from_settings(crawler.settings, getattr(spider, META_KEY, None))
        if not settings.enabled:
            raise ValueError("WEB2TEXT_ENABLED is False")
        with settings.name_source_of_errors():
            extractor = Extractor(settings.options.replace(**form.options))
        pages = _Pages(crawler, ["no response"] * len(names))
        for i, name in enumerate(names):
            if is_url(name):
                pages.request(i, name, meta={META_KEY: dict(form.options)}, to=requests)
            else:
                pages.answers[i] = _extract_file(extractor, name)
        if requests:
            process.crawl(crawler)
            process.start()
        return pages.answers


def _print(name: str, answer: Extraction, text: str) -> None:
    if text:
        print(text)
    if answer.no_main_content:
        print(f"scrapy web2text: {name}: no main content", file=sys.stderr)


def _make_fetcher(spider: type[Spider], requests: Sequence[Request]) -> type[Spider]:
    """Return a class as *spider*, but whose crawl is that of *requests*, which may still be added."""

    async def start(self: Spider) -> AsyncIterator[Request]:  # noqa: ARG001
        for request in requests:
            yield request

    return type(spider.__name__, (spider,), {"start": start})


class _Pages:
    """Gathers the answers for pages that a crawl fetches: for each an extraction, or the reason why it has none."""

    def __init__(self, crawler: Crawler, answers: list[Extraction | str]) -> None:
        self.answers = answers
        self._crawler = crawler

    def request(self, i: int, url: str, *, meta: dict[str, Any], to: list[Request]) -> None:
        """Add the request for the page number *i* to a list."""
        from scrapy import Request  # noqa: PLC0415

        try:
            # The same address may be asked for twice, and outside of the spider's domains.
            request = Request(url, self._parse, meta=meta, cb_kwargs={"i": i}, dont_filter=True)
        except ValueError as error:
            self.answers[i] = str(error)
        else:
            to.append(request.replace(errback=partial(self._fail, i)))

    async def _parse(self, response: Response, i: int) -> None:
        from scrapy_web2text.crawl.extractor import CrawlExtractor  # noqa: PLC0415

        assert response.request is not None  # noqa: S101  it is that of a callback
        extractor = CrawlExtractor.of(self._crawler)
        asked = extractor.settings.read_meta(response.meta)
        answer = await extractor.extract(response, response.request, asked)
        self.answers[i] = f"status {response.status}" if answer.fallback_reason == "status" else _or_reason(answer)

    def _fail(self, i: int, failure: Failure) -> None:
        self.answers[i] = failure.getErrorMessage()


def _extract_file(extractor: Extractor, name: str) -> Extraction | str:
    from scrapy_web2text.cli.files import read_page_file  # noqa: PLC0415

    try:
        body = read_page_file(Path(name), extractor.options.max_bytes)
    except OSError as error:
        return error.strerror or str(error)
    return _or_reason(extractor.extract(body))


def _or_reason(answer: Extraction) -> Extraction | str:
    """Return *answer*; if it is none, the reason."""
    return f"no answer ({answer.fallback_reason})" if answer.method == "none" else answer
