"""scrapy-poet providers: main content as an argument of callbacks and page objects. Needs the extra ``poet``.

The add-on registers `MainContentProvider`. Without the add-on, or to get an `Article`, which needs the extra ``zyte``::

    SCRAPY_POET_PROVIDERS = {
        "scrapy_web2text.poet.MainContentProvider": 1200,
        "scrapy_web2text.poet.ArticleProvider": 500,
    }
"""

from __future__ import annotations

from collections.abc import Callable  # scrapy-poet reads the annotations of providers when it runs
from dataclasses import replace
from typing import Any

from andi.typeutils import strip_annotated
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy_poet.page_input_providers import PageObjectInputProvider
from web_poet import AnyResponse, BrowserResponse
from web_poet.annotated import AnnotatedInstance
from web_poet.serialization import SerializedLeafData, register_serialization

from scrapy_web2text.adapters.zyte import to_article
from scrapy_web2text.content.forms import ask_for_metadata
from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.extraction import MainContent
from scrapy_web2text.options import Options
from scrapy_web2text.workers.answers import decode_answer, encode_answer

__all__ = ["ArticleProvider", "MainContentProvider"]


class MainContentProvider(PageObjectInputProvider):
    """Provides the page's :class:`~scrapy_web2text.extraction.MainContent` to callbacks and page objects.

    The answer is the same as in the other components: settings, spider attribute and request meta apply, and no page is
    extracted twice. If extraction is switched off, by ``WEB2TEXT_ENABLED`` or request meta, the answer is empty and has
    the reason ``disabled``. If an earlier provider, such as scrapy-zyte-api's, gives the same callback or page object
    the response of a browser, the answer is for this response, which each provider extracts again.
    """

    provided_classes = {MainContent}  # noqa: RUF012  scrapy-poet's name and form
    name = "web2text_main_content"

    # scrapy-poet fills in the arguments after the first by their types; their names and order are free.
    async def __call__(
        self,
        to_provide: set[Callable[..., Any]],  # noqa: ARG002
        request: Request,
        response: Response,
        crawler: Crawler,
    ) -> list[Any]:
        """Return the answer for *response*."""
        try:
            extractor = CrawlExtractor.of(crawler)
        except NotConfigured:
            return [MainContent(reason="disabled", url=response.url)]
        asked = extractor.settings.read_meta(request.meta, response.url)
        if asked.is_disabled:
            return [MainContent.from_extraction(extractor.skip("disabled", response.url))]
        asked = replace(asked, options=self.complete(asked.options))
        response = self._browser_response(request) or response
        return [MainContent.from_extraction(await extractor.extract(response, request, asked))]

    def complete(self, options: Options) -> Options:
        """Return *options* with the parts of the answer that this provider needs."""
        return options

    def _browser_response(self, request: Request) -> HtmlResponse | None:
        built = self.injector.weak_cache.get(request, {})
        for found in (built.get(BrowserResponse), getattr(built.get(AnyResponse), "response", None)):
            if isinstance(found, BrowserResponse):
                body = found.html.encode(errors="replace")
                status = found.status or 200
                return HtmlResponse(str(found.url), status, body=body, encoding="utf-8", request=request)
        return None


class ArticleProvider(MainContentProvider):
    """Provides the answer as a `zyte_common_items.Article`, also to `AutoArticlePage` and its subclasses.

    It has the content as HTML and, with the extra ``metadata``, authors, dates, images and breadcrumbs.
    """

    name = "web2text_article"

    def is_provided(self, type_: Callable[..., Any]) -> bool:
        """Return whether *type_* is the class of articles, annotated or not."""
        from zyte_common_items import Article

        return strip_annotated(type_) is Article

    def complete(self, options: Options) -> Options:
        """Return *options* with the parts of an article."""
        return ask_for_metadata(options.replace(html=True))

    async def __call__(
        self, to_provide: set[Callable[..., Any]], request: Request, response: Response, crawler: Crawler
    ) -> list[Any]:
        """Return the article of *response*, once for each annotation of the class."""
        (content,) = await super().__call__(to_provide, request, response, crawler)
        article = to_article(content)
        annotations = [getattr(cls, "__metadata__", None) for cls in to_provide]
        return [AnnotatedInstance(article, each) if each else article for each in annotations]


def _serialize(content: MainContent) -> SerializedLeafData:
    """Return *content* as a file for scrapy-poet's cache and web-poet's test fixtures."""
    return {"json": encode_answer(content)}


def _deserialize(cls: type[MainContent], data: SerializedLeafData) -> MainContent:
    return cls.from_extraction(decode_answer(data["json"])[0])


register_serialization(_serialize, _deserialize)
