"""Contracts for ``scrapy check``.

They are registered by the add-on, if it is in the project's settings. Without the add-on::

    SPIDER_CONTRACTS = {"scrapy_web2text.contracts.MainTextContract": 50}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrapy.contracts import Contract
from scrapy.exceptions import ContractFail
from scrapy.http import Response

from scrapy_web2text.crawl.extractor import RESULT_META_KEY
from scrapy_web2text.crawl.settings import Web2TextSettings
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.page.sniffing import stated_encoding
from scrapy_web2text.sources.responses import skip_reason
from scrapy_web2text.workers.worker import extract_page

__all__ = ["MainTextContract"]


class MainTextContract(Contract):
    """``@main_text 50`` checks that the main text of the page has at least 50 words; ``@main_text`` expects one word.

    In scripts that do not separate words by spaces, each letter counts as a word. The contract reads the result of the
    downloader middleware. Without a result it extracts the page, with the settings of the spider and the options of the
    request.
    """

    name = "main_text"

    def __init__(self, method: Callable[..., Any], *args: str) -> None:
        super().__init__(method, *args)
        self._spider = method.__self__  # type: ignore[attr-defined]
        given = " ".join(args)
        if given and not given.isdecimal():
            raise ValueError(f"@main_text: expected a whole number of words, got {given!r}")
        self._least_words = int(given or 1)

    def pre_process(self, response: Response) -> None:
        """Check *response*.

        :raises ContractFail: if its main text has too few words; the message describes the answer.
        """
        from scrapy_web2text.features.texts import count_tokens  # loads numpy

        extraction = self._extract(response)
        n_words = int(count_tokens([extraction.text])[0])
        if n_words < self._least_words:
            raise ContractFail(
                f"expected at least {self._least_words} words of main text at {response.url}, found {n_words}: "
                f"{extraction!r}"
            )

    def _extract(self, response: Response) -> Extraction:
        found = response.meta.get(RESULT_META_KEY)
        if isinstance(found, Extraction):
            return found
        settings = Web2TextSettings.from_crawler(self._spider.crawler)
        options = settings.read_meta(response.meta, response.url).options
        reason = skip_reason(response, statuses=settings.statuses, max_bytes=options.max_bytes)
        if reason is not None:
            return Extraction(reason=reason)
        return extract_page(options, response.body, response.url, stated_encoding(response))
