"""Which responses are pages that can be extracted, decided before any of them is decoded or parsed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse, JsonResponse, TextResponse

from scrapy_web2text.page.parse import looks_binary

if TYPE_CHECKING:
    from collections.abc import Container

    from scrapy.http import Response

    from scrapy_web2text.reasons import SkipReason

__all__ = ["skip_reason"]

_SNIFFED_BYTES = 1024
_HTML_TAG = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s/>]", re.IGNORECASE)


def skip_reason(response: Response, *, statuses: Container[int], max_bytes: int | None) -> SkipReason | None:
    """Return why *response* is not extracted: ``status``, ``not_html`` or ``max_bytes``; None if it is.

    :param statuses: HTTP statuses that count as a page.
    :param max_bytes: longest body, in bytes; None sets no limit.
    """
    if response.status not in statuses:
        return "status"
    if not _is_html(response):
        return "not_html"
    if max_bytes is not None and len(response.body) > max_bytes:
        return "max_bytes"
    return None


def _is_html(response: Response) -> bool:
    """Return whether Scrapy calls the response HTML, or calls it text or XML and it begins as HTML does.

    A page without a Content-Type, or XHTML sent as XML, comes as the latter; whatever begins with the signature of
    another format is no page under any name.
    """
    if not isinstance(response, TextResponse) or isinstance(response, JsonResponse) or looks_binary(response.body):
        return False
    return isinstance(response, HtmlResponse) or _HTML_TAG.search(response.body[:_SNIFFED_BYTES]) is not None
