"""The URLs in a page: what they are relative to, which are the page's own, and which share the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final
from urllib.parse import quote, urljoin

from lxml import etree

from scrapy_web2text.common.budget import watched

# Without whitespace, control characters and what RFC 3986 excludes.
_WEB_URL: Final = re.compile(
    r"https?://[^\s\x00-\x20\x7f-\x9f\"<>\\^`{|}/?#][^\s\x00-\x20\x7f-\x9f\"<>\\^`{|}]*", re.IGNORECASE
)
# URLs that need no change, and paths that follow an origin as they are: most links. To read others takes 20 times as
# long.
_ORIGIN: Final = r"https?://(?:[a-z0-9-]{1,40}\.){1,3}[a-z]{1,20}"
_REST: Final = r"/(?![./])(?:[\w~%,@+!$-]|[./](?![./]))*(?:\?[\w~%,@+!$=&./:-]+)?(?:#[\w~%=./:-]+)?"
_PLAIN_BASE: Final = re.compile(rf"({_ORIGIN})(?=[/?#]|\Z)((?:[^?#]*/)?)")  # its origin and its folder
_PLAIN_REST: Final = re.compile(_REST, re.ASCII)
_PLAIN_URL: Final = re.compile(rf"{_ORIGIN}(?:{_REST})?", re.ASCII)
# Characters; a longer base is ignored. Each relative link is written with its base, which the page chooses.
_LONGEST_BASE: Final = 300
_LONGEST_URL: Final = 100_000  # browsers cut or refuse longer URLs; to join a URL takes many times its size
# Nothing answers to a host that DNS does not allow (RFC 1035, section 2.3.4), and to encode it takes quadratic time.
_LONGEST_HOST: Final = len(":65535") + 253
_LONGEST_LABEL: Final = 63
_AUTHORITY: Final = re.compile(r"[\x00-\x20]*(?:[a-z][a-z0-9+.-]*:)?//([^/?#]*)", re.IGNORECASE | re.ASCII)
_DOTS: Final = re.compile("[.\u3002\uff0e\uff61]")
_DROPPED: Final = str.maketrans("", "", "\t\n\r")  # by all parsers of URLs
_KEPT: Final = "%!#$&'()*+,/:;=?@[]~"  # in a URL that is escaped as a whole


def find_base(bases: Iterable[etree._Element], url: str | None) -> str | None:
    """Return the URL that the links of a page are relative to, from its ``base``, else *url*; None if both are missing.

    :param bases: the ``base`` elements of the page, whose URL is *url*.
    """
    for base in bases:
        href = (base.get("href") or "").strip()
        if href:
            joined = join_url(url, href) if len(href) <= _LONGEST_BASE else None
            return url if joined is None or len(joined) > _LONGEST_BASE else joined
    return url


def canonical_links(root: etree._Element) -> Iterator[str]:
    """Yield the URLs that the ``link`` elements of a document call its own."""
    for link in watched(root.iter("{*}link")):
        if "canonical" in (link.get("rel") or "").lower().split():
            yield (link.get("href") or "").strip()


def stated_urls(root: etree._Element) -> dict[str, str]:
    """Return the first URL that a document states for itself in each of ``canonical`` and ``og:url``, as written."""
    found = {source: next(find(root), "") for source, find in _FINDERS.items()}
    return {source: url for source, url in found.items() if url}


def _og_urls(root: etree._Element) -> Iterator[str]:
    for meta in watched(root.iter("{*}meta")):
        if "og:url" in (meta.get("property"), meta.get("name")):
            yield (meta.get("content") or "").strip()


_FINDERS: Final = {"canonical": canonical_links, "og:url": _og_urls}
STATED: Final = tuple(_FINDERS)


def join_url(base: str | None, url: str) -> str | None:
    """Return *url* as an absolute URL if *base* is known; None if it is not a URL, or too long for one."""
    if len(url) > _LONGEST_URL:
        return None
    plain = _PLAIN_BASE.match(base) if base else None
    if (plain is not None or not base) and _PLAIN_URL.fullmatch(url):
        return url
    rest = plain[2] + url if plain and url[:1].isalnum() else url
    if plain is not None and _PLAIN_REST.fullmatch(rest):
        return plain[1] + rest
    if has_long_host(url):
        return quote(url.strip(), safe=_KEPT, errors="replace")
    if base and has_long_host(base):
        base = None
    try:
        joined = urljoin(base, url) if base else url
        if not _PLAIN_URL.fullmatch(joined):
            from w3lib.url import safe_url_string  # loads ssl, and few pages need it

            joined = safe_url_string(joined)
    except ValueError:
        return None
    return None if " " in joined else joined  # in a host, where it is not escaped


def has_long_host(url: str) -> bool:
    """Return whether the host of *url* or one of its labels is longer than any site can have."""
    authority = _AUTHORITY.match(url.translate(_DROPPED))
    if authority is None:
        return False
    host = authority[1].rpartition("@")[2]
    return len(host) > _LONGEST_HOST or max(map(len, _DOTS.split(host.partition(":")[0]))) > _LONGEST_LABEL


def web_url(base: str | None, url: str) -> str | None:
    """Return *url* as an absolute ``http`` or ``https`` URL, as written where possible; None for any other URL."""
    joined = join_url(base, url)
    if joined is None:
        return None
    return next(filter(_WEB_URL.fullmatch, (url, joined)), None)


# Hosts -> what follows the host in their URLs that share a page. Subdomains of these hosts count, too.
_SHARE_PAGES: Final = {
    "facebook.com": r"/(?:sharer|share\b|dialog/(?:share|feed|send))",
    "twitter.com x.com": r"/(?:intent|share\b|home\?status)",
    "linkedin.com": "/(?:sharing|share|cws/share)",
    "pinterest": r"\.[a-z.]{2,6}/pin/create",
    "wa.me": r"/?\?",
    "whatsapp.com": "/send",
    "t.me telegram.me": "/share",
    "reddit.com digg.com stumbleupon.com": "/submit",
    "tumblr.com": "/(?:share|widgets/share)",
    "news.ycombinator.com": "/submitlink",
    "vk.com weibo.com flipboard.com buffer.com xing.com": r"/[^?\#]{0,40}share",
    "xing.com": r"/app/user\?op=share",
    "vkontakte.ru": "/share",
    "connect.ok.ru": "/offer",
    "line.me": r"/[^?\#]{0,20}msg",
    "social-plugins.line.me": "",
    "b.hatena.ne.jp": "/(?:add|entry)",
    "bsky.app threads.net threads.com": "/intent",
    "getpocket.com": "/(?:save|edit)",
    "instapaper.com": "/(?:hello|edit)",
    "bufferapp.com buffer.com": "/add",
    "addtoany.com": "",
    "addthis.com": "/bookmark",
    "sharethis.com": "",
    "flipboard.com": "/bookmarklet",
    "del.icio.us delicious.com": "/(?:post|save)",
}
_SHARE: Final = re.compile(
    r"(?:https?:)?//(?:[a-z0-9-]+\.)*(?:"
    + "|".join(host.replace(".", r"\.") + rest for hosts, rest in _SHARE_PAGES.items() for host in hosts.split())
    + r")|whatsapp://send|mailto:\?|tg://msg|fb-messenger://share",
    re.IGNORECASE | re.ASCII,
)
# The host of a URL that shares a page has one of these labels. The test is fast, and most hosts fail it.
_LABELS: Final = frozenset(host.partition(".")[0] for hosts in _SHARE_PAGES for host in hosts.split())
_LONGEST: Final = 500  # characters that are searched


def is_share_url(url: str) -> bool:
    """Return whether a link to *url* shares a page."""
    url = url[:_LONGEST].strip()
    if url[:1] in "hH/":
        host = url.partition("//")[2].partition("/")[0]
        if not _can_share(host):
            return False
    return _SHARE.match(url) is not None


@lru_cache(maxsize=1024)  # the links of a page lead to few hosts
def _can_share(host: str) -> bool:
    return not _LABELS.isdisjoint(host.lower().split("."))
