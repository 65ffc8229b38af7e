"""The answer for one page as a class of its own, for what is injected by type."""

from __future__ import annotations

from dataclasses import fields

from scrapy_web2text.extraction import Extraction

__all__ = ["MainContent"]


class MainContent(Extraction):
    """An :class:`~scrapy_web2text.extraction.Extraction` that scrapy-poet gives to callbacks and page objects.

    ::

        def parse(self, response, content: MainContent):
            yield {"url": response.url, "text": content.text, "title": content.title}
    """

    __slots__ = ()

    @classmethod
    def from_extraction(cls, extraction: Extraction) -> MainContent:
        """Return the same answer in this class."""
        return cls(**{field.name: getattr(extraction, field.name) for field in fields(extraction)})
