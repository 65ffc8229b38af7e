"""scrapy-poet provider: main content as an argument of callbacks and page objects. Needs the extra ``poet``.

The add-on registers the provider. Without the add-on::

    SCRAPY_POET_PROVIDERS = {"scrapy_web2text.poet.MainContentProvider": 500}
"""

from __future__ import annotations

from collections.abc import Callable  # scrapy-poet reads the annotations of providers when it runs
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy_poet.page_input_providers import PageObjectInputProvider
from web_poet.serialization import SerializedLeafData, register_serialization

from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.extraction import MainContent
from scrapy_web2text.workers.answers import decode_answer, encode_answer

__all__ = ["MainContentProvider"]


class MainContentProvider(PageObjectInputProvider):
    """Provides the page's :class:`~scrapy_web2text.extraction.MainContent` to callbacks and page objects.

    The answer is the same as in the other components: settings, spider attribute and request meta apply, and no page is
    extracted twice. If extraction is switched off, by ``WEB2TEXT_ENABLED`` or request meta, the answer is empty and has
    the reason ``disabled``.
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
    ) -> list[MainContent]:
        """Return the answer for *response*."""
        try:
            extractor = CrawlExtractor.of(crawler)
        except NotConfigured:
            return [MainContent(fallback_reason="disabled", url=response.url)]
        asked = extractor.settings.read_meta(request.meta, response.url)
        if asked.is_disabled:
            return [MainContent.from_extraction(extractor.skip("disabled", response.url))]
        return [MainContent.from_extraction(await extractor.extract(response, request, asked))]


def _serialize(content: MainContent) -> SerializedLeafData:
    """Return *content* as a file for scrapy-poet's cache and web-poet's test fixtures."""
    return {"json": encode_answer(content)}


def _deserialize(cls: type[MainContent], data: SerializedLeafData) -> MainContent:
    return cls.from_extraction(decode_answer(data["json"])[0])


register_serialization(_serialize, _deserialize)
