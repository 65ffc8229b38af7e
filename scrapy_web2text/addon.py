"""The add-on: all components with one line of settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_web2text.downloadermiddlewares import Web2TextDownloaderMiddleware
from scrapy_web2text.exporters import FEED_EXPORTERS
from scrapy_web2text.pipelines import Web2TextPipeline
from scrapy_web2text.spidermiddlewares import Web2TextSpiderMiddleware

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

__all__ = ["Addon"]


class Addon:
    """``ADDONS = {"scrapy_web2text.Addon": 300}`` adds the pipeline and both middlewares at their usual places.

    It registers the exporters too. Components that the user has placed, or switched off with None, stay as they are.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components to *settings*."""
        add = settings.setdefault_in_component_priority_dict
        add("ITEM_PIPELINES", Web2TextPipeline, 300)
        add("SPIDER_MIDDLEWARES", Web2TextSpiderMiddleware, 100)
        add("DOWNLOADER_MIDDLEWARES", Web2TextDownloaderMiddleware, 540)
        exporters = settings["FEED_EXPORTERS"]
        for name, path in FEED_EXPORTERS.items():
            if name not in exporters:
                exporters[name] = path
