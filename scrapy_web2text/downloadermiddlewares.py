"""The downloader middleware: main content before the callback, for requests that ask for it."""

from __future__ import annotations

from scrapy.crawler import Crawler
from scrapy.http import Request, Response
from scrapy.http.request import NO_CALLBACK

from scrapy_web2text.crawl.extractor import RESULT_META_KEY, CrawlExtractor
from scrapy_web2text.crawl.setting_values import META_KEY

__all__ = ["Web2TextDownloaderMiddleware"]


class Web2TextDownloaderMiddleware:
    """Puts the :class:`~scrapy_web2text.extraction.Extraction` of a page into ``response.meta["web2text_result"]``.

    It extracts for requests with ``meta={"web2text": True}`` or ``{"web2text": {"in_middleware": True, …}}``. With
    ``WEB2TEXT_IN_MIDDLEWARE`` it extracts for all requests except requests whose meta has False. At 540 it sees
    only final responses, after decompression (590) and retry (550).
    """

    def __init__(self, extractor: CrawlExtractor) -> None:
        self._extractor = extractor

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Web2TextDownloaderMiddleware:
        """Return the middleware of *crawler*."""
        return cls(CrawlExtractor.of(crawler))

    async def process_request(self, request: Request) -> None:
        """Remove the result of an earlier response from the meta of *request*. A copied request has such a result."""
        request.meta.pop(RESULT_META_KEY, None)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Return *response* unchanged, with the answer in the meta of *request* if the request asks for it."""
        asked = self._extractor.settings.read_meta(request.meta, response.url)
        # Requests of other components, such as the request for robots.txt, have no callback that reads the answer.
        # They get an answer only if they ask for it themselves.
        has_reader = request.callback is not NO_CALLBACK or META_KEY in request.meta
        if asked.in_middleware and has_reader:
            request.meta[RESULT_META_KEY] = await self._extractor.extract(response, request, asked)
        return response
