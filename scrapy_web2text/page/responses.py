"""Responses of Scrapy, web-poet and the like, by their attributes, so that Scrapy need not be imported."""

from __future__ import annotations

import re
from typing import Any, Final, Protocol, TypeGuard

from w3lib.encoding import http_content_type_encoding

__all__ = ["ResponseLike", "has_html_tag", "is_html", "is_response", "stated_encoding"]

_SNIFFED_BYTES: Final = 1024
_HTML_TAG: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s/>]", re.IGNORECASE)


class ResponseLike(Protocol):
    """A response: its body, its headers and its URL."""

    @property
    def body(self) -> bytes: ...

    @property
    def headers(self) -> Any: ...

    @property
    def url(self) -> Any: ...


def is_response(value: object) -> TypeGuard[ResponseLike]:
    """Return whether *value* has the body, the headers and the URL of a response."""
    return isinstance(getattr(value, "body", None), bytes) and hasattr(value, "headers") and hasattr(value, "url")


def is_html(response: ResponseLike) -> bool:
    """Return whether *response* is HTML by its Content-Type, or has none, or begins with HTML tags.

    Its body can be something else nevertheless, which the parser finds out.
    """
    kind = _content_type(response).partition(";")[0].strip().lower()
    return not kind or "html" in kind or has_html_tag(response.body)


def has_html_tag(body: bytes) -> bool:
    """Return whether the first bytes of *body* have a tag that only HTML has."""
    return _HTML_TAG.search(body[:_SNIFFED_BYTES]) is not None


def stated_encoding(response: ResponseLike) -> str | None:
    """Return the encoding that *response* was created with, or that its header states; None if neither states one.

    `response.encoding` can also be Scrapy's guess, which takes long and does not say that it is one.
    """
    # Scrapy has no public name for the encoding without the guess.
    return getattr(response, "_encoding", None) or http_content_type_encoding(_content_type(response))


def _content_type(response: ResponseLike) -> str:
    value = response.headers.get("Content-Type") or ""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
