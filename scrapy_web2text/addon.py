"""The add-on: all components with one line of settings."""

from __future__ import annotations

from importlib.util import find_spec

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name

from scrapy_web2text.crawl.items import ShortLogFormatter
from scrapy_web2text.downloadermiddlewares import Web2TextDownloaderMiddleware
from scrapy_web2text.exporters import FEED_EXPORTERS
from scrapy_web2text.pipelines import Web2TextPipeline
from scrapy_web2text.spidermiddlewares import Web2TextSpiderMiddleware

__all__ = ["Addon"]


class Addon:
    """``ADDONS = {"scrapy_web2text.Addon": 300}`` adds the pipeline and both middlewares with their usual priorities.

    It also registers the exporters, the contract, a log formatter that shortens the texts of items and, if scrapy-poet
    is installed, the provider. Components that the user has placed, or switched off with None, stay as they are.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Addon:
        """Return the add-on.

        :raises ValueError: if it is in another setting than ``ADDONS``.
        """
        if cls not in map(load_object, crawler.settings.getdict("ADDONS")):
            raise ValueError(
                f"{cls.__name__} belongs in ADDONS = {{'scrapy_web2text.Addon': 300}}, not in another setting"
            )
        return cls()

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Add the contract to the project's *settings*: ``scrapy check`` reads no other settings."""
        _add_by_path(settings, "SPIDER_CONTRACTS", "scrapy_web2text.contracts.MainTextContract", 50)

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
        settings.set("LOG_FORMATTER", ShortLogFormatter, "addon")  # settings of the user have a higher priority
        if find_spec("scrapy_poet") is not None:
            # This provider runs after scrapy-zyte-api's, whose response may hold the page as a browser shows it.
            _add_by_path(settings, "SCRAPY_POET_PROVIDERS", "scrapy_web2text.poet.MainContentProvider", 1200)


def _add_by_path(settings: BaseSettings, name: str, path: str, place: int) -> None:
    """Add a component by its *path*, so that only its use imports it. A component that the user has placed stays."""
    components = settings.getdict(name)
    if path not in {key if isinstance(key, str) else global_object_name(key) for key in components}:
        settings.set(name, {**components, path: place}, settings.getpriority(name) or 0)
