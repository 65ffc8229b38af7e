"""An item class with the fields of the pipeline."""

from __future__ import annotations

from scrapy import Field, Item

__all__ = ["MainContentItem"]


class MainContentItem(Item):
    """An item with all fields that the pipeline writes by default; subclasses add their own.

    ::

        class Article(MainContentItem):
            author = scrapy.Field()
    """

    url = Field()
    """URL of the page; set by the spider, read by the pipeline."""
    main_content = Field()
    """The clean text."""
    blocks = Field()
    """All text blocks, each with its label and probability, as dicts."""
    web2text = Field()
    """Summary of the extraction, such as method, model, confidence, reason and title."""
