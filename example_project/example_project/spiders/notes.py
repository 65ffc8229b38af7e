"""A spider with the main content as an argument of its callback: scrapy-poet injects it by type."""

from __future__ import annotations

from collections.abc import Iterator  # scrapy-poet reads the annotations of callbacks when it runs
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response

from example_project.spiders.pages import PagesSpider
from scrapy_web2text import MainContent
from scrapy_web2text.features.texts import count_tokens

__all__ = ["NotesSpider"]

_BEGINNING = 80  # characters


class NotesSpider(PagesSpider):
    """Yields the title, the length and the beginning of the main content of each page that has any.

    The pipeline is off: the callback writes the item. The arguments are those of :class:`PagesSpider`.
    """

    name = "notes"
    custom_settings: ClassVar = {
        "ADDONS": {"scrapy_poet.Addon": 300, "scrapy_web2text.Addon": 310},
        "ITEM_PIPELINES": {"scrapy_web2text.Web2TextPipeline": None},
    }

    def parse(self, response: Response, content: MainContent) -> Iterator[dict[str, Any] | Request]:
        """Yield a note on the page, then requests for its links."""
        if content.text:
            (n_words,) = count_tokens([content.text]).tolist()  # in scripts without spaces, each letter is a word
            beginning = " ".join(content.text[:_BEGINNING].split())
            yield {"url": response.url, "title": content.title, "words": n_words, "beginning": beginning}
        yield from self.follow_links(response)
