"""A spider with typed items: the add-on fills in the fields of a zyte Article by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from zyte_common_items import Article

from example_project.spiders.pages import PagesSpider

if TYPE_CHECKING:
    from scrapy.http import Response

__all__ = ["ArticlesSpider"]


class ArticlesSpider(PagesSpider):
    """Yields ``Article(url=…)`` for each page; the add-on fills in headline and body.

    A higher threshold keeps only blocks that are very likely content. The arguments are those of :class:`PagesSpider`.
    """

    name = "articles"
    web2text: ClassVar = {"threshold": 0.7}
    custom_settings: ClassVar = {
        "WEB2TEXT_FIELDS": {"headline": "title", "articleBody": "text", "articleBodyHtml": "html"},
    }

    def make_item(self, response: Response) -> Any:
        """Return the item of one page."""
        return Article(url=response.url)
