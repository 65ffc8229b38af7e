"""Decides which responses are extracted, before a body is decoded or parsed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse, JsonResponse, TextResponse
from w3lib.encoding import http_content_type_encoding

from scrapy_web2text.page.sniffing import is_empty_body, looks_binary

if TYPE_CHECKING:
    from collections.abc import Container

    from scrapy.http import Response

    from scrapy_web2text.reasons import SkipReason

__all__ = ["skip_reason", "stated_encoding"]

_SNIFFED_BYTES = 1024
_HTML_TAG = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s/>]", re.IGNORECASE)


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
    """Return the encoding that *response* was created with, or that its header states; None if neither states one.

    `response.encoding` can also be Scrapy's guess, which takes long and does not say that it is one.
    """
    if not isinstance(response, TextResponse):
        return None
    # Scrapy has no public name for the encoding without the guess.
    return response._encoding or http_content_type_encoding(  # noqa: SLF001
        response.headers.get(b"Content-Type", b"").decode("latin-1")  # type: ignore[union-attr]
    )


def _is_html(response: Response) -> bool:
    """Return whether *response* is HTML to Scrapy, or is text or XML to Scrapy but begins with HTML tags.

    Pages without a Content-Type can be text to Scrapy, and XHTML can be XML. A body that begins with the signature of
    another format is never HTML.
    """
    if not isinstance(response, TextResponse) or isinstance(response, JsonResponse):
        return False
    if looks_binary(response.body, stated_encoding(response)):
        return False
    return isinstance(response, HtmlResponse) or _HTML_TAG.search(response.body[:_SNIFFED_BYTES]) is not None
