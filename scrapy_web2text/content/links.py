"""Links: the URLs that are kept, and links that share the page."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from lxml import etree

from scrapy_web2text.page.shares import is_share_url
from scrapy_web2text.page.urls import join_url

__all__ = ["ALLOWED_SCHEMES", "has_allowed_scheme", "is_share_link", "leads_home", "link_url"]

ALLOWED_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
# The path of a home page; the page's own name is relative to a folder.
_HOME: Final = re.compile(r"/?|/(?:index|default|home)\.\w{2,5}")
_LONGEST_HOME: Final = 300  # characters of a URL


def has_allowed_scheme(url: str) -> bool:
    """Return whether nh3 would keep the ``href`` of a link to *url*; otherwise the link is written as plain text."""
    scheme, colon, _ = url.partition(":")
    return not colon or scheme.lower() in ALLOWED_SCHEMES or not scheme.isalnum()


def link_url(link: etree._Element, base: str | None) -> str | None:
    """Return the URL of a link, joined to *base*; None if it leads nowhere or within the page: its text is kept."""
    href = (link.get("href") or "").strip()
    url = join_url(base, href) if href and not href.startswith("#") else None
    return url if url is not None and has_allowed_scheme(url) else None


def is_share_link(link: etree._Element) -> bool:
    """Return whether a link shares its page on another site or by mail."""
    return is_share_url(link.get("href") or "")


def leads_home(link: etree._Element, base: str | None) -> bool:
    """Return whether a link leads to the home page of the site whose URL is *base*."""
    href = (link.get("href") or "").strip()
    if not href or len(href) > _LONGEST_HOME:
        return False
    try:
        target, own = urlsplit(href), urlsplit(base or "")
    except ValueError:
        return False
    is_own = not target.netloc or target.netloc.removeprefix("www.") == own.netloc.removeprefix("www.")
    return (
        is_own and not target.query and _HOME.fullmatch(target.path) is not None and bool(target.netloc or target.path)
    )
