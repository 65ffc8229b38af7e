"""Hosts of URLs, and whether an item names a page of another host than its response."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from w3lib.url import safe_url_string

if TYPE_CHECKING:
    from scrapy.http import Response

__all__ = ["find_host", "has_foreign_host"]

_WEB = "www."


def find_host(url: str) -> str | None:
    """Return the host of *url* in lower case, without ``www.``; None if it has none."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return None
    return host.rstrip(".").removeprefix(_WEB) or None


def has_foreign_host(url: str, response: Response) -> bool:
    """Return whether *url* is of another host than *response*.

    A host and its subdomains count as one. The hosts of redirects count as those of the response, and so does a host in
    the path or query of its URL: services that render or archive pages have the URL of the page there.
    """
    if url == response.url:  # almost always
        return False
    host = _find_host_as_requested(url)
    if host is None:
        return False
    request = response.request
    redirects = () if request is None else (request.url, *(request.meta.get("redirect_urls") or ()))
    if any(_is_same_host(host, find_host(str(other))) for other in (response.url, *redirects)):
        return False
    _, _, path, query, _ = urlsplit(response.url)
    return host not in unquote(f"{path}?{query}").lower()


def _find_host_as_requested(url: str) -> str | None:
    """Return the host of *url*, which comes from an item, as Scrapy would request it: umlauts become punycode."""
    try:
        return find_host(safe_url_string(url))
    except ValueError:
        return None


def _is_same_host(one: str, other: str | None) -> bool:
    return other is not None and (one == other or one.endswith(f".{other}") or other.endswith(f".{one}"))
