"""Tasks of worker processes. The extractors stay loaded from page to page."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.extractor import Extractor
    from scrapy_web2text.options import Options

__all__ = ["extract_page", "get_extractor"]

_MOST_EXTRACTORS = 64


@lru_cache(_MOST_EXTRACTORS)
def get_extractor(options: Options) -> Extractor:
    """Return the extractor of this process with these options."""
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415  loads numpy, which only the worker needs

    return Extractor(options)


def extract_page(
    options: Options, html: str | bytes, url: str | None, encoding: str | None, *, paths: bool = True
) -> Extraction:
    """Return the answer for one page.

    :param paths: whether to find the XPaths of blocks.
    """
    return get_extractor(options).extract(html, url, encoding=encoding, paths=paths)
