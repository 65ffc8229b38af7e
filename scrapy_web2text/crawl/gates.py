"""Decides which responses are extracted, before a body is decoded or parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse, JsonResponse, TextResponse

from scrapy_web2text.page import responses
from scrapy_web2text.page.sniffing import is_empty_body, looks_binary

if TYPE_CHECKING:
    from collections.abc import Container

    from scrapy.http import Response

    from scrapy_web2text.reasons import SkipReason

__all__ = ["skip_reason", "stated_encoding"]


def skip_reason(response: Response, *, statuses: Container[int], max_bytes: int | None) -> SkipReason | None:
    """Return why *response* is skipped, such as ``status`` or ``not_html``; None if it is extracted.

    :param statuses: HTTP statuses of responses that are extracted.
    :param max_bytes: length of the longest body, in bytes; None for no limit.
    """
    if response.status not in statuses:
        return "status"
    if is_empty_body(response.body):
        return "empty_body"
    if not _is_html(response):
        return "not_html"
    if max_bytes is not None and len(response.body) > max_bytes:
        return "max_bytes"
    return None


def stated_encoding(response: Response) -> str | None:
    """Return the encoding that *response* was created with, or that its header states; None if neither states one."""
    return responses.stated_encoding(response) if isinstance(response, TextResponse) else None


def _is_html(response: Response) -> bool:
    """Return whether *response* is HTML to Scrapy, or is text or XML to Scrapy but begins with HTML tags.

    Pages without a Content-Type can be text to Scrapy, and XHTML can be XML. A body that begins with the signature of
    another format is never HTML.
    """
    if not isinstance(response, TextResponse) or isinstance(response, JsonResponse):
        return False
    if looks_binary(response.body, stated_encoding(response)):
        return False
    return isinstance(response, HtmlResponse) or responses.has_html_tag(response.body)
