"""The responses of a crawl: which one an item came from, and whether their hosts agree."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit
from weakref import WeakKeyDictionary, WeakValueDictionary

from scrapy.http import Response
from w3lib.url import safe_url_string


class ResponseFinder:
    """Finds the response of an item: the exact one if the spider middleware has seen the item, else by the item's URL.

    Responses are referenced weakly. They live until Scrapy has handled all their items.
    """

    def __init__(self) -> None:
        self._by_url: WeakValueDictionary[str, Response] = WeakValueDictionary()
        self._by_item_id: WeakValueDictionary[int, Response] = WeakValueDictionary()
        # While an item is referenced here, no other object can have its id. The number: how often it is still expected.
        self._items: WeakKeyDictionary[Response, dict[int, tuple[Any, int]]] = WeakKeyDictionary()
        self.sees_items = False  # whether a spider middleware adds items

    def add_response(self, response: Response) -> None:
        """Remember *response* by its URL and by the URL of its request; the newest response of a URL wins."""
        self._by_url[_without_fragment(response.url)] = response
        if response.request is not None:
            self._by_url[_without_fragment(response.request.url)] = response

    def add_item(self, item: Any, response: Response) -> None:
        """Remember that *item* came from *response*; the same object may be yielded several times."""
        items = self._items.setdefault(response, {})
        _, n_times = items.get(id(item), (item, 0))
        items[id(item)] = item, n_times + 1
        self._by_item_id[id(item)] = response

    def remove_item(self, item: Any) -> Response | None:
        """Return the response that *item* came from, and forget one of its occurrences; None if it is unknown."""
        response = self._by_item_id.get(id(item))
        if response is None:
            return None
        _, n_times = self._items[response].pop(id(item))
        if n_times > 1:
            self._items[response][id(item)] = item, n_times - 1
        else:
            del self._by_item_id[id(item)]
        return response

    def find_by_url(self, url: object) -> Response | None:
        """Return the newest response from *url* that is still in progress, or None."""
        return self._by_url.get(_without_fragment(str(url)))


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


def find_host(url: str) -> str | None:
    """Return the host of *url* in lower case, without ``www.``; None if it has none."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return None
    return host.rstrip(".").removeprefix("www.") or None


def has_foreign_host(url: str, response: Response) -> bool:
    """Return whether *url* is of another host than *response*.

    A host and its subdomains count as one. The hosts of redirects count as those of the response, and so does a host in
    the path or query of its URL: services that render or archive pages have the URL of the page there.
    """
    if url == response.url:  # almost always
        return False
    try:
        host = find_host(safe_url_string(url))  # as Scrapy would request it: umlauts become punycode
    except ValueError:
        return False
    if host is None:
        return False
    request = response.request
    redirects = () if request is None else (request.url, *(request.meta.get("redirect_urls") or ()))
    others = filter(None, (find_host(str(other)) for other in (response.url, *redirects)))
    if any(f".{host}".endswith(f".{other}") or f".{other}".endswith(f".{host}") for other in others):
        return False
    _, _, path, query, _ = urlsplit(response.url)
    return host not in unquote(f"{path}?{query}").lower()
