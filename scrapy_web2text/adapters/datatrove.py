"""The extractor as a step of a datatrove pipeline, in the place of FineWeb's ``Trafilatura``. Needs datatrove."""

from __future__ import annotations

from typing import Any

from datatrove.pipeline.extractors.base import BaseExtractor

from scrapy_web2text.adapters import ContentWriter

__all__ = ["Web2TextExtractor"]


class Web2TextExtractor(BaseExtractor):  # type: ignore[misc]
    """Replaces the HTML of each document by its main content; datatrove drops documents without main content.

    :param timeout: seconds after which datatrove skips a page and starts a new process. By default, the option
        ``timeout`` is a quarter of these seconds, so that the rules answer a slow page before datatrove skips it.
    :param options: the options of :class:`~scrapy_web2text.adapters.ContentWriter`.
    """

    name = "Web2Text"

    def __init__(self, timeout: float = 40, **options: Any) -> None:
        super().__init__(timeout)
        self._writer = ContentWriter(**{"timeout": timeout / 4, **options})

    def extract(self, text: str) -> str:
        """Return the main content of the page *text*."""
        return self._writer.write(text)
