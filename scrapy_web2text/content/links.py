"""The URLs of links and images: what they are relative to, and which are kept."""

from __future__ import annotations

from typing import Final
from urllib.parse import urljoin

from lxml import etree
from w3lib.url import safe_url_string

__all__ = ["ALLOWED_SCHEMES", "find_base", "has_allowed_scheme", "join_url"]

ALLOWED_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})


def find_base(root: etree._Element, url: str | None) -> str | None:
    """Return the URL that a page's links are relative to: that of its ``base``, else *url*; None if both are missing.

    :param url: URL of the page.
    """
    for base in root.iter("{*}base"):
        href = (base.get("href") or "").strip()
        if href:
            return join_url(url, href) or url
    return url


def join_url(base: str | None, url: str) -> str | None:
    """Return *url* as an absolute URL if *base* is known; None if it is not a URL."""
    try:
        joined = urljoin(base, url) if base else url
        return safe_url_string(joined)
    except ValueError:
        return None


def has_allowed_scheme(url: str) -> bool:
    """Return whether nh3 would keep the ``href`` of a link to *url*; otherwise the link is written as plain text."""
    scheme, colon, _ = url.partition(":")
    return not colon or scheme.lower() in ALLOWED_SCHEMES or not scheme.isalnum()
