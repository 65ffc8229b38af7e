"""Which response an item came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakValueDictionary

if TYPE_CHECKING:
    from scrapy.http import Response

__all__ = ["ResponseFinder"]


class ResponseFinder:
    """Finds the response of an item: exactly where the spider middleware has seen the item, else by the item's URL.

    Everything hangs weakly on the responses, which live until Scrapy has handled all their items.
    """

    def __init__(self) -> None:
        self._by_url: WeakValueDictionary[str, Response] = WeakValueDictionary()
        self._by_item_id: WeakValueDictionary[int, Response] = WeakValueDictionary()
        # As long as an item is held here, no other object can have its id.
        self._items: WeakKeyDictionary[Response, dict[int, Any]] = WeakKeyDictionary()

    def add_response(self, response: Response) -> None:
        """Remember *response* by its URL and by that of its request; the newest response of a URL counts."""
        self._by_url[_without_fragment(response.url)] = response
        if response.request is not None:
            self._by_url[_without_fragment(response.request.url)] = response

    def add_item(self, item: Any, response: Response) -> None:
        """Remember that *item* came from *response*."""
        self._items.setdefault(response, {})[id(item)] = item
        self._by_item_id[id(item)] = response

    def remove_item(self, item: Any) -> Response | None:
        """Return the response that *item* came from, and forget the item; None if it was never added."""
        response = self._by_item_id.pop(id(item), None)
        if response is not None:
            del self._items[response][id(item)]
        return response

    def find_by_url(self, url: object) -> Response | None:
        """Return the newest response from *url* that is still at work; None if there is none."""
        return self._by_url.get(_without_fragment(str(url)))


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]
