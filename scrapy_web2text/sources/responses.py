"""Decides which responses of Scrapy are pages."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse

from scrapy_web2text.page.sniffing import (
    content_type,
    find_extent,
    has_html_tag,
    is_empty_body,
    looks_binary,
    stated_encoding,
)
from scrapy_web2text.reasons import SkipReason

_MEDIA_TYPES: Final = ("", "text/html", "application/xhtml+xml")  # of pages in a response for bytes


def skip_reason(response: Response, *, statuses: Container[int], max_bytes: int | None) -> SkipReason | None:
    """Return why *response* is skipped, such as ``status`` or ``not_html``; None if it is extracted.

    :param max_bytes: length of the longest body, in bytes; None for no limit.
    """
    if response.status not in statuses:
        return "status"
    if is_empty_body(response.body):
        return "empty_body"
    if not _is_html(response):
        return "not_html"
    return "max_bytes" if max_bytes is not None and len(response.body) > max_bytes else None


def _is_html(response: Response) -> bool:
    """Return whether *response* is HTML by its class, or begins with HTML tags and is neither JSON nor a download.

    Scrapy can give a page without a Content-Type the class for text or for bytes, and XHTML the class for XML. A body
    that begins with the signature of another format is never HTML.
    """
    if isinstance(response, JsonResponse) or looks_binary(response.body, stated_encoding(response)):
        return False
    if isinstance(response, TextResponse):
        return isinstance(response, HtmlResponse) or has_html_tag(response.body)
    media_type = content_type(response).partition(";")[0].strip().lower()
    return media_type in _MEDIA_TYPES and find_extent(response.body) == "page"
