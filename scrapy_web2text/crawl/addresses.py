"""Compares the URL of an item with a response: does the item belong to the page of the response?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode, urljoin, urlsplit
from weakref import WeakKeyDictionary

from scrapy.http import Response
from w3lib.url import canonicalize_url

from scrapy_web2text.page.urls import has_long_host

# Parameters that say where a reader comes from, not which page is meant.
_TRACKING: Final = re.compile(
    r"utm_\w+|mtm_\w+|pk_\w+|(?:fb|g|dc|ms|y|tt|tw|li_fat_)clid|gclsrc|_ga|_gl|mc_[ce]id|igshid|wbraid|gbraid|_hs\w+",
    re.IGNORECASE,
)
_PORTS: Final = frozenset({None, 80, 443})
# The URL of a page inside the URL of a service that renders or archives pages.
_INNER: Final = re.compile(r"https?:/{1,2}[^\s&]+", re.IGNORECASE)
_SLASHES: Final = re.compile("/{1,2}")  # archives may write one slash in place of two
_HEAD_BYTES: Final = 200_000  # of a page that are searched for its canonical URL


class Address(NamedTuple):
    """The parts of a URL that tell pages apart, without scheme, ``www.``, fragment and tracking parameters.

    :param host: host without ``www.``, with the port unless it is 80 or 443.
    :param path: path without a slash at its end.
    :param query: parameters in the order of their names.
    """

    host: str
    path: str
    query: str

    def is_same(self, other: Address) -> bool:
        """Return whether both have the same path and query, and the same host or a subdomain of it."""
        return self[1:] == other[1:] and self.is_near(other)

    def is_near(self, other: Address) -> bool:
        """Return whether the hosts are the same, or one is a subdomain of the other."""
        one, two = f".{self.host}", f".{other.host}"
        return one.endswith(two) or two.endswith(one)


def find_host(url: str) -> str | None:
    """Return the host of *url* in lower case, without ``www.``; None if the URL has no host."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return None
    return host.rstrip(".").removeprefix("www.") or None


def read_address(url: str) -> Address | None:
    """Return the address of the page at *url*; None if *url* is not the URL of a page."""
    try:
        parts = urlsplit(canonicalize_url("" if has_long_host(url) else url.strip()))
        port = parts.port
    except ValueError:
        return None
    host = find_host(f"//{parts.netloc}")
    if host is None or parts.scheme not in ("http", "https"):
        return None
    parameters = [(name, value) for name, value in parse_qsl(parts.query, True) if not _TRACKING.fullmatch(name)]
    return Address(host if port in _PORTS else f"{host}:{port}", parts.path.rstrip("/"), urlencode(parameters))


def _read_relative(base: str, url: str) -> Address | None:
    """Return the address of the page at *url*, which may be relative to *base*; None if it is not the URL of a page."""
    try:
        return None if " " in url.strip() else read_address(urljoin(base, url))
    except ValueError:
        return None


# The URLs that a page states for itself are read once.
_STATED: Final[WeakKeyDictionary[Response, list[Address]]] = WeakKeyDictionary()


def is_own_url(url: str, response: Response) -> bool:
    """Return whether *url* is the URL of *response*, of its request or a redirect, or a URL that the page states.

    Services that render or archive pages have the URL of the page inside their own URL. A value that is not the URL of
    a page, such as an e-mail address, counts as the URL of the response.
    """
    if url == response.url:  # almost always
        return True
    address = _read_relative(response.url, url)
    if address is None or any(map(address.is_same, _list_addresses(response))):
        return True
    if response not in _STATED:
        _STATED[response] = [*_list_stated(response)]
    return any(map(address.is_same, _STATED[response]))


def _list_addresses(response: Response) -> Iterator[Address]:
    request = response.request
    urls = [response.url]
    if request is not None:
        urls += [request.url, *map(str, request.meta.get("redirect_urls") or ())]
    for url in urls:
        yield from filter(None, (read_address(url),))
        inner = _INNER.search(unquote(url), len("https://"))
        if inner is not None:
            yield from filter(None, (read_address(_SLASHES.sub("//", inner[0], count=1)),))


def _list_stated(response: Response) -> Iterator[Address]:
    """Yield the URLs that the page states for itself, on the same host. The URL of a home page does not count."""
    from scrapy_web2text.exceptions import PageError
    from scrapy_web2text.page.parse import to_tree  # loads numpy
    from scrapy_web2text.page.urls import stated_urls

    own = read_address(response.url)
    try:
        stated = stated_urls(to_tree(response.body[:_HEAD_BYTES]))
    except PageError:
        return
    for url in stated.values():
        address = _read_relative(response.url, url)
        if own is not None and address is not None and address.path and address.is_near(own):
            yield address
