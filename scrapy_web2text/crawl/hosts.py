"""Hosts of URLs, and whether an item names a page of another host than its response."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from w3lib.url import safe_url_string

if TYPE_CHECKING:
    from scrapy.http import Response

__all__ = ["find_foreign_host", "find_host"]

_WEB = "www."


def find_host(url: str) -> str | None:
    """Return the host of *url* in lower case, without ``www.``; None if it has none."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return None
    return host.rstrip(".").removeprefix(_WEB) or None


def find_foreign_host(url: str, response: Response) -> str | None:
    """Return the host of *url* if it is another than that of *response*, else None.

    A host and its subdomains count as one. The hosts of redirects count as those of the response, and so does a host in
    the URL of the response: services that render or archive pages have the URL of the page in theirs.
    """
    if url == response.url:  # almost always
        return None
    host = _find_host_as_requested(url)
    if host is None:
        return None
    request = response.request
    redirects = () if request is None else (request.url, *request.meta.get("redirect_urls", ()))
    if any(_is_same_host(host, find_host(str(other))) for other in (response.url, *redirects)):
        return None
    return None if host in unquote(response.url).lower() else host


def _find_host_as_requested(url: str) -> str | None:
    """Return the host of *url*, which comes from an item, as Scrapy would request it: umlauts become punycode."""
    try:
        return find_host(safe_url_string(url))
    except ValueError:
        return None


def _is_same_host(one: str, other: str | None) -> bool:
    return other is not None and (one == other or one.endswith(f".{other}") or other.endswith(f".{one}"))
