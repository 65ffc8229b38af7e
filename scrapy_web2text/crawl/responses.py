"""Finds the response that an item came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakValueDictionary

if TYPE_CHECKING:
    from scrapy.http import Response

__all__ = ["ResponseFinder"]


class ResponseFinder:
    """Finds the response of an item: the exact one if the spider middleware has seen the item, else by the item's URL.

    Responses are referenced weakly. They live until Scrapy has handled all their items.
    """

    def __init__(self) -> None:
        self._by_url: WeakValueDictionary[str, Response] = WeakValueDictionary()
        self._by_item_id: WeakValueDictionary[int, Response] = WeakValueDictionary()
        self._sees_items = False
        # While an item is referenced here, no other object can have its id. The number: how often it is still expected.
        self._items: WeakKeyDictionary[Response, dict[int, tuple[Any, int]]] = WeakKeyDictionary()

    @property
    def sees_items(self) -> bool:
        """Whether a spider middleware adds items."""
        return self._sees_items

    def expect_items(self) -> None:
        """Note that a spider middleware adds items."""
        self._sees_items = True

    def add_response(self, response: Response) -> None:
        """Remember *response* by its URL and by that of its request; the newest response of a URL wins."""
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
