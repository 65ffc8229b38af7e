"""A spider that yields the URL of every page of one site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spidermiddlewares.httperror import HttpError

from example_project.server import DEFAULT_URL

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from twisted.python.failure import Failure

__all__ = ["PagesSpider"]


class PagesSpider(Spider):
    """Follows the links of one site and yields ``{"url": …}`` for each response; the add-on fills in the rest.

    Its arguments come from the command line::

        scrapy crawl pages -a url=https://example.com/ -a max_pages=50 -O clean.jsonl

    :param url: the first page; only links to the same domain are followed. The default is the local site of the
        project, which must be served: ``python -m example_project.server``.
    :param max_pages: largest number of URLs to request, including broken links and other files.
    :raises ValueError: if *url* is not an http(s) URL or *max_pages* is not a whole number above 0.
    """

    name = "pages"

    def __init__(self, url: str = DEFAULT_URL, max_pages: str | int = 200, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"url: expected a URL such as https://example.com/, got {url!r}")
        if not str(max_pages).isdecimal() or int(max_pages) < 1:
            raise ValueError(f"max_pages: expected a whole number above 0, got {max_pages!r}")
        self.start_url = url
        self.max_pages = int(max_pages)
        self.allowed_domains = [parts.hostname.removeprefix("www.")]
        self._links = LinkExtractor(allow_domains=[parts.netloc.removeprefix("www.")])
        self._seen = {url}

    async def start(self) -> AsyncIterator[Request]:
        """Yield the request for the first page."""
        yield Request(self.start_url, callback=self.parse, errback=self.explain)

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield the item of the page, then a request for each of its new links."""
        yield self.make_item(response)
        yield from self.follow_links(response)

    def make_item(self, response: Response) -> Any:
        """Return the item of one page."""
        return {"url": response.url}

    def follow_links(self, response: Response) -> Iterator[Request]:
        """Yield a request for each new link of the page."""
        if not isinstance(response, HtmlResponse):
            return
        for link in self._links.extract_links(response):
            url = link.url.partition("#")[0]
            if url not in self._seen and len(self._seen) < self.max_pages:
                self._seen.add(url)
                yield Request(url, callback=self.parse)

    def explain(self, failure: Failure) -> None:
        """Log the reason why the first page could not be fetched, in one line without a traceback."""
        error = failure.value
        reason = f"status {error.response.status}" if isinstance(error, HttpError) else str(error)
        hint = ""
        if self.start_url == DEFAULT_URL:
            hint = "; start the local site with `python -m example_project.server`, or give another URL with -a url=…"
        self.logger.error("Could not fetch %s: %s%s", self.start_url, reason, hint)
