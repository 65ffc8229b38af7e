"""Main content for Scrapy: Web2Text's block labels and clean text on every item.

Names are imported on first use (PEP 562), so that ``import scrapy_web2text`` loads neither numpy nor lxml.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scrapy_web2text._version import __version__

if TYPE_CHECKING:
    from scrapy_web2text.addon import Addon
    from scrapy_web2text.content.chunks import chunk_paragraphs
    from scrapy_web2text.crawl.settings import Web2TextSettings
    from scrapy_web2text.downloadermiddlewares import Web2TextDownloaderMiddleware
    from scrapy_web2text.exceptions import ModelError, PageError, Web2TextError
    from scrapy_web2text.extraction import Block, Extraction, Label, MainContent
    from scrapy_web2text.extractor import Extractor, extract
    from scrapy_web2text.items import MainContentItem
    from scrapy_web2text.options import Options
    from scrapy_web2text.pipelines import LowConfidence, NoText, Web2TextPipeline
    from scrapy_web2text.spidermiddlewares import Web2TextSpiderMiddleware

_HOMES = {
    "Addon": "addon",
    "Block": "extraction",
    "Extraction": "extraction",
    "Extractor": "extractor",
    "Label": "extraction",
    "LowConfidence": "pipelines",
    "MainContent": "extraction",
    "MainContentItem": "items",
    "ModelError": "exceptions",
    "NoText": "pipelines",
    "Options": "options",
    "PageError": "exceptions",
    "Web2TextDownloaderMiddleware": "downloadermiddlewares",
    "Web2TextError": "exceptions",
    "Web2TextPipeline": "pipelines",
    "Web2TextSettings": "crawl.settings",
    "Web2TextSpiderMiddleware": "spidermiddlewares",
    "chunk_paragraphs": "content.chunks",
    "extract": "extractor",
}

__all__ = [
    "Addon",
    "Block",
    "Extraction",
    "Extractor",
    "Label",
    "LowConfidence",
    "MainContent",
    "MainContentItem",
    "ModelError",
    "NoText",
    "Options",
    "PageError",
    "Web2TextDownloaderMiddleware",
    "Web2TextError",
    "Web2TextPipeline",
    "Web2TextSettings",
    "Web2TextSpiderMiddleware",
    "__version__",
    "chunk_paragraphs",
    "extract",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
